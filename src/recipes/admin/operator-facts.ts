import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import type { OperatorRecord } from '../operators/records.ts';
import { type OperatorRole, ROLE_SCOPES } from '../operators/roles.ts';
import { IDLE_MS, type SignedIn } from '../operators/sessions.ts';

/** What a page shows of whoever is signed in. Times are ms since the epoch. */
export interface SignedInFacts {
  readonly status: 'OK';
  readonly operator: {
    readonly userId: string;
    readonly email: string;
    readonly role: OperatorRole;
    readonly scopes: readonly string[];
    readonly hasTotp: boolean;
  };
  /** True where the role opens nothing until TOTP is enrolled. */
  readonly mustEnrolTotp: boolean;
  /** For the header `x-csrf-token` of every request that changes something. */
  readonly csrfToken: string;
  /** The clock of the core, which the browser's need not agree with. */
  readonly now: number;
  readonly session: { readonly id: string; readonly createdAt: number; readonly expiresAt: number; readonly idleMs: number };
}

/** Whether an operator can do nothing before enrolling. */
export const mustEnrol = ({ tenant }: Context, { totp }: Pick<OperatorRecord, 'totp'>): boolean =>
  tenant.config.admin_require_totp && totp === undefined;

/** What is to be told of somebody signed in; undefined where the dashboard user is gone meanwhile. */
export async function factsOf(
  context: Context,
  reader: Reader,
  { session, operator, csrfToken }: SignedIn,
): Promise<SignedInFacts | undefined> {
  const user = await findUser(reader, operator.app, { userId: operator.userId });
  if (!user) return undefined;
  const { userId, role, totp } = operator;
  const { id, createdAt, expiresAt } = session;
  return {
    status: 'OK',
    operator: { userId, email: user.email, role, scopes: ROLE_SCOPES[role], hasTotp: totp !== undefined },
    mustEnrolTotp: mustEnrol(context, operator),
    csrfToken,
    now: context.now(),
    session: { id, createdAt, expiresAt, idleMs: IDLE_MS },
  };
}
