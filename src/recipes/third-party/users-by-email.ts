import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { listByAccountInfo } from '../accounts/login-methods.ts';
import { normaliseEmail } from '../normalise.ts';
import { loadUsers, timeJoinedOf, type User } from '../users/user.ts';

/** `GET /recipe/users/by-email` (contract 03 section 4.2): by email here and in a third-party login, oldest first. */
export async function usersByEmail(
  { store, directory, tenant }: Context,
  command: Commands['third-party/users-by-email'],
): Promise<User[]> {
  const email = normaliseEmail(command.email);
  const users = await store.read(async (reader) => loadUsers(reader, directory, await listByAccountInfo(reader, tenant, ['email', email])));
  const chosen = users.filter((user) => user.loginMethods.some((method) => method.recipe === 'thirdparty' && method.email === email));
  return chosen.toSorted((a, b) => timeJoinedOf(a) - timeJoinedOf(b));
}
