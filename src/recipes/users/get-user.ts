import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { findUser, type User } from './user.ts';

/** `GET /user/id` (contract 01 section 3.11): the whole user of an internal or external id of any of its login methods. */
export function getUser({ store, directory, tenant }: Context, command: Commands['users/get-user']): MaybePromise<User | undefined> {
  return store.read((reader) => findUser(reader, directory, tenant, command.userId));
}
