import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { proveUser } from '../dashboard/prove-user.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import { normaliseEmail } from '../normalise.ts';
import { type OperatorRecord, operators } from '../operators/records.ts';
import { beginSession, csrfTokenOf, newSession } from '../operators/sessions.ts';
import { newStepOf, withinCodeLimit } from './check-code.ts';
import { factsOf, type SignedInFacts } from './operator-facts.ts';

type Refused =
  | 'INVALID_CREDENTIALS_ERROR'
  /** The password is right; a one-time code must be sent with it. */
  | 'TOTP_REQUIRED_ERROR'
  | 'INVALID_TOTP_ERROR'
  /** A dashboard user without a role. */
  | 'NOT_AN_OPERATOR_ERROR';

export type SignInResult =
  | { readonly status: Refused }
  | { readonly status: 'INSECURE_CONNECTION_ERROR'; readonly message: string }
  | { readonly status: 'OK'; readonly facts: SignedInFacts; readonly token: string };

/** What was proved of whoever signs in. */
interface Proven {
  readonly status: 'OK';
  readonly userId: string;
  readonly passwordHash: string;
  readonly operator: OperatorRecord | undefined;
}

/**
 * `POST /manage/v1/operator/sign-in`: password, and the one-time code where the operator has enrolled. Over a limit of
 * failures password and code are answered like wrong ones. The session is a new one, whatever the browser brought.
 */
export async function signIn(context: Context, command: Commands['admin/sign-in']): Promise<SignInResult> {
  const { browser, store, tenant } = context;
  if (browser?.insecure !== undefined) return { status: 'INSECURE_CONNECTION_ERROR', message: browser.insecure };
  const credentials = { email: normaliseEmail(command.email), password: command.password };
  const proven = await proveUser<Proven>(context, credentials, browser?.address, async ({ id: userId, passwordHash }) => {
    const operator = await store.read((reader) => reader.get(operators, [tenant.app, userId]));
    return { status: 'OK', userId, passwordHash, operator };
  });
  if (!proven) return { status: 'INVALID_CREDENTIALS_ERROR' };
  const { operator } = proven;
  if (!operator) return { status: 'NOT_AN_OPERATOR_ERROR' };
  if (!operator.totp) return begin(context, proven, operator);
  if (command.totp === undefined) return { status: 'TOTP_REQUIRED_ERROR' };
  const code = command.totp;
  return (await withinCodeLimit(context, operator, () => begin(context, proven, operator, code))) ?? { status: 'INVALID_TOTP_ERROR' };
}

/** Begins the session, where nothing of what was proved has changed meanwhile. */
async function begin(context: Context, { userId, passwordHash }: Proven, proven: OperatorRecord, code = ''): Promise<SignInResult> {
  const { store, tenant, randomBytes, signedIn: before } = context;
  const { app } = tenant;
  const now = context.now();
  const address = context.browser?.address ?? '';
  const { token, record } = newSession({ app, userId, id: context.randomId(), address, randomBytes, now });
  return store.transact(async (tx): Promise<SignInResult> => {
    const [user, operator] = await Promise.all([findUser(tx, app, { userId }), tx.get(operators, [app, userId])]);
    if (user?.passwordHash !== passwordHash || !operator || operator.totp?.secret !== proven.totp?.secret)
      return { status: 'INVALID_CREDENTIALS_ERROR' };
    const lastStep = operator.totp && newStepOf(operator.totp, code, now);
    if (operator.totp && lastStep === undefined) return { status: 'INVALID_TOTP_ERROR' };
    const current: OperatorRecord =
      operator.totp && lastStep !== undefined ? { ...operator, totp: { ...operator.totp, lastStep } } : operator;
    if (current !== operator) await tx.put(operators, current);
    await beginSession(tx, record, before?.session);
    await recordEvent(tx, context, 'operator.signed-in', { by: { type: 'operator', name: userId } });
    const facts = await factsOf(context, tx, { session: record, operator: current, csrfToken: csrfTokenOf(token) });
    return facts ? { status: 'OK', facts, token } : { status: 'INVALID_CREDENTIALS_ERROR' };
  });
}
