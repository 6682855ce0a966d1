import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { hashParameters } from '../email-password/hash-parameters.ts';
import { SCOPES } from '../scope.ts';
import { normaliseEmail } from '../normalise.ts';
import { isDashboardEmail } from './email-rule.ts';
import { passwordComplaint } from './password-rule.ts';
import { type DashboardUserRecord, dashboardUsers } from './records.ts';

export type CreateUserResult =
  | { readonly status: 'EMAIL_ALREADY_EXISTS_ERROR' | 'INVALID_EMAIL_ERROR' }
  | { readonly status: 'PASSWORD_WEAK_ERROR'; readonly message: string }
  | { readonly status: 'OK'; readonly user: DashboardUserRecord };

/** `POST /recipe/dashboard/user` (contract 05 section 5.2). The input is checked before the app is looked for. */
export function createDashboardUser(context: Context, command: Commands['dashboard/create-user']): Promise<CreateUserResult> {
  return createUser(context, command, async () => {});
}

/** Makes a dashboard user. @param made does what belongs to it, in the same transaction */
export async function createUser(
  context: Context,
  command: Commands['dashboard/create-user'],
  made: (tx: Transaction, userId: string) => Promise<void>,
): Promise<CreateUserResult> {
  const email = normaliseEmail(command.email);
  if (!isDashboardEmail(email)) return { status: 'INVALID_EMAIL_ERROR' };
  context.checkLate();
  const message = passwordComplaint(context, command.password);
  if (message !== undefined) return { status: 'PASSWORD_WEAK_ERROR', message };
  const tenant = await SCOPES.app(context.address, context.traits, context.directory);
  const { app, config } = tenant;
  const { store, crypto } = context;
  const passwordHash = await crypto.hashPassword(command.password, hashParameters(config));
  const user: DashboardUserRecord = { app, id: context.randomId(), email, passwordHash, timeJoined: context.now() };
  const taken = await store.transact(async (tx) => {
    const owned = await tx.insert(dashboardUsers, user);
    if (owned !== undefined) return owned;
    await recordEvent(tx, context, 'operator.created', { at: tenant, details: { operator: user.id } });
    await made(tx, user.id);
    return undefined;
  });
  return taken === undefined ? { status: 'OK', user } : { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
}
