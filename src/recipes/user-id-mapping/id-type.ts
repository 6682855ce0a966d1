import type { Reader } from '../../store/store.ts';
import { isUserId } from '../users/find.ts';
import { mappingByExternalId, mappingByInternalId, type UserIdMapping } from './lookups.ts';

/** As what an id is to be taken; `ANY` is what is meant without a word (contract 01 section 4). */
export type UserIdType = 'SUPERTOKENS' | 'EXTERNAL' | 'ANY';

/** The mapping that an id leads to when it is read; of two that `ANY` could mean, the one of the user with this internal id. */
export async function findMapping(reader: Reader, app: number, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  const [own, foreign] = await reader.getMany([mappingByInternalId(app, id), mappingByExternalId(app, id)]);
  if (type === 'SUPERTOKENS') return own;
  return type === 'EXTERNAL' ? foreign : (own ?? foreign);
}

/** The mapping that an id leads to when it is changed: `ANY` means the internal id of a user wherever there is one (contract 01 section 4.3). */
export async function mappingToChange(reader: Reader, app: number, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  if (type !== 'ANY') return findMapping(reader, app, id, type);
  const [isInternal, own, foreign] = await Promise.all([
    isUserId(reader, app, id),
    findMapping(reader, app, id, 'SUPERTOKENS'),
    findMapping(reader, app, id, 'EXTERNAL'),
  ]);
  return isInternal ? own : foreign;
}
