import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { listByAccountInfo } from '../accounts/login-methods.ts';
import { normaliseEmail } from '../normalise.ts';
import { findMethodAlone, loadUsers, type User } from '../users/user.ts';

type Command = Commands['email-password/get-user'];

export type GetUserResult =
  | { readonly status: 'UNKNOWN_USER_ID_ERROR' | 'UNKNOWN_EMAIL_ERROR' }
  | { readonly status: 'OK'; readonly user: User };

/** One of the two parameters, and not both. */
export function checkGetUser({ userId, email }: Command): void {
  const refuse = (text: string): never => {
    throw new Refusal('bad-input', { text });
  };
  if (userId !== undefined && email !== undefined) refuse('Please provide only one of userId or email');
  if (userId === undefined && email === undefined) refuse('Please provide one of userId or email');
}

/** `GET /recipe/user` (contract 03 section 2.6): by id a login method of the app, by email a user of the tenant. */
export function getUser(context: Context, { userId, email }: Command): Promise<GetUserResult> {
  return userId === undefined ? byEmail(context, normaliseEmail(email ?? '')) : byId(context, userId);
}

async function byId({ address, traits, directory, store }: Context, userId: string): Promise<GetUserResult> {
  const { app } = await SCOPES.app(address, traits, directory);
  return store.read(async (reader) => {
    const user = await findMethodAlone(reader, directory, app, { id: userId, recipe: 'emailpassword' });
    return user ? { status: 'OK', user } : { status: 'UNKNOWN_USER_ID_ERROR' };
  });
}

/** Who has the email here by any recipe, and an email/password login with it anywhere; those with it here go first. */
async function byEmail({ address, traits, directory, store }: Context, email: string): Promise<GetUserResult> {
  const tenant = await SCOPES.tenant(address, traits, directory);
  return store.read(async (reader) => {
    const methods = await listByAccountInfo(reader, tenant, ['email', email]);
    const [own, others] = [methods.filter((m) => m.recipe === 'emailpassword'), methods.filter((m) => m.recipe !== 'emailpassword')];
    const candidates = await loadUsers(reader, directory, [...own, ...others]);
    const user = candidates.find(({ loginMethods }) => loginMethods.some((m) => m.recipe === 'emailpassword' && m.email === email));
    return user ? { status: 'OK', user } : { status: 'UNKNOWN_EMAIL_ERROR' };
  });
}
