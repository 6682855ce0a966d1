import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { findMapping } from './id-type.ts';
import type { UserIdMapping } from '../accounts/mappings.ts';

/** `GET /recipe/userid/map` (contract 01 section 4.2); `undefined` for unknown ids and users without a mapping. */
export async function getMapping(
  { store, tenant }: Context,
  { userId, userIdType = 'ANY' }: Commands['user-id-mapping/get-mapping'],
): Promise<UserIdMapping | undefined> {
  return store.read((reader) => findMapping(reader, tenant.app, userId, userIdType));
}
