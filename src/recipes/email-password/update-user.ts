import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findId } from '../accounts/find.ts';
import { changeLoginMethod, type LoginMethodChange, type LoginMethodRecord } from '../accounts/login-methods.ts';
import { recordContactChange } from '../accounts/record-contact-change.ts';
import { normaliseEmail } from '../normalise.ts';
import { hashParameters } from './hash-parameters.ts';
import { refuseBlocked } from './refuse-blocked.ts';
import { forgetFailures } from './sign-in-failures.ts';

type Command = Commands['email-password/update-user'];

export type UpdateUserResult =
  | { readonly status: 'OK' | 'UNKNOWN_USER_ID_ERROR' | 'EMAIL_ALREADY_EXISTS_ERROR' }
  | { readonly status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR'; readonly reason: string };

/** There must be something to change. */
export function checkUpdateUser({ email, password }: Command): void {
  if (email === undefined && password === undefined) {
    throw new Refusal('bad-input', { text: 'You have to provide either email or password.' });
  }
}

const UNKNOWN: UpdateUserResult = { status: 'UNKNOWN_USER_ID_ERROR' };

/** `PUT /recipe/user` (contract 03 section 2.7): makes both changes or none. An unknown user costs no hash. */
export async function updateUser(context: Context, command: Command): Promise<UpdateUserResult> {
  const { store, crypto, tenant } = context;
  const { email, password } = command;
  const id = command.recipeUserId ?? command.userId ?? '';
  if (!(await store.read((reader) => findMethod(reader, tenant.app, id)))) return UNKNOWN;
  if (password !== undefined) refuseBlocked(context, password);
  const change: LoginMethodChange = {
    ...(email !== undefined && { email: normaliseEmail(email) }),
    ...(password !== undefined && { passwordHash: await crypto.hashPassword(password, hashParameters(tenant.config)) }),
  };
  const outcome = await store.transact(async (tx) => {
    const method = await findMethod(tx, tenant.app, id);
    if (!method) return undefined;
    const changed = await changeLoginMethod(tx, method, change);
    if (changed.status === 'changed') {
      await recordContactChange(tx, context, id, method, changed.method);
      if (password !== undefined) await recordEvent(tx, context, 'password.changed', { userId: id, details: { by: 'caller' } });
    }
    return changed;
  });
  if (!outcome) return UNKNOWN;
  if (outcome.status === 'changed') {
    if (password !== undefined) await forgetFailures(context, outcome.method);
    return { status: 'OK' };
  }
  if (outcome.status === 'duplicate') return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
  return { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', reason: 'New email is associated with another primary user ID' };
}

/** The email/password login method that has this id itself, internal or external. */
async function findMethod(reader: Reader, app: AppNumber, id: string): Promise<LoginMethodRecord | undefined> {
  const method = (await findId(reader, app, id))?.method;
  return method?.recipe === 'emailpassword' ? method : undefined;
}
