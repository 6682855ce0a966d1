import type { AppNumber, Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type FoundId, findId } from '../accounts/find.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import { loadUser, loadUserById, type User } from '../users/user.ts';

const unknownId = (): Refusal => new Refusal('bad-input', { text: 'Unknown user ID provided' });

/** What has an id; account linking refuses unknown ones (contract 03 section 6). @throws Refusal */
export async function requireId(reader: Reader, app: AppNumber, id: string): Promise<FoundId> {
  const found = await findId(reader, app, id);
  if (!found) throw unknownId();
  return found;
}

/** Like `requireId`, for checks: a primary id whose own login method is gone counts as unknown. @throws Refusal */
export async function requireMethod(reader: Reader, app: AppNumber, id: string): Promise<FoundId & { readonly method: LoginMethodRecord }> {
  const found = await requireId(reader, app, id);
  const { method } = found;
  if (!method) throw unknownId();
  return { ...found, method };
}

/** The whole user that a found id belongs to. */
export async function userOf(reader: Reader, { directory, tenant }: Context, found: FoundId): Promise<User> {
  if (found.method) return loadUser(reader, directory, found.method);
  const user = await loadUserById(reader, directory, tenant.app, found.primaryUserId);
  if (!user) throw new Error('a primary user has at least one login method');
  return user;
}
