import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { findUser, type User } from './user.ts';

/** `GET /user/id` (contract 01 section 3.11): the user with a login method of this internal or external id. */
export function getUser({ store, directory, tenant }: Context, command: Commands['users/get-user']): MaybePromise<User | undefined> {
  return store.read((reader) => findUser(reader, directory, tenant, command.userId));
}
