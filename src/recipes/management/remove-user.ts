import type { Commands } from '../../generated/commands.ts';
import { findId } from '../accounts/find.ts';
import type { Context } from '../context.ts';
import { removeUser } from '../users/remove-user.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

/** `POST /manage/v1/user/remove`: as `POST /user/remove`, but says where nobody has the id. */
export async function removeKnownUser(
  context: Context,
  command: Commands['management/remove-user'],
): Promise<UnknownUser | { readonly status: 'OK' }> {
  const { store, tenant } = context;
  if (!(await store.read((reader) => findId(reader, tenant.app, command.userId)))) return UNKNOWN_USER;
  await removeUser(context, command);
  return { status: 'OK' };
}
