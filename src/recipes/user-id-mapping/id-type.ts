import type { AppNumber, Reader } from '../../store/store.ts';
import { isUserId } from '../accounts/find.ts';
import { mappingByExternalId, mappingByInternalId, type UserIdMapping } from '../accounts/mappings.ts';
import { asExternal, asInternal } from '../accounts/ids.ts';

/** As what an id is to be taken; `ANY` is what is meant without a word (contract 01 section 4). */
export type UserIdType = 'SUPERTOKENS' | 'EXTERNAL' | 'ANY';

/**
 * The mapping that an id leads to when it is read. `ANY` means the user whose own id it is, if there is one, mapped or not, and only then
 * the user whose external id it is (contract 00).
 */
export async function findMapping(reader: Reader, app: AppNumber, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  const [[own, foreign], isInternal] = await Promise.all([
    reader.getMany([mappingByInternalId(app, asInternal(id)), mappingByExternalId(app, asExternal(id))]),
    isUserId(reader, app, id),
  ]);
  if (type === 'SUPERTOKENS') return own;
  if (type === 'EXTERNAL') return foreign;
  return own ?? (isInternal ? undefined : foreign);
}

/** The mapping that an id leads to when it is changed: `ANY` means the internal id of a user wherever there is one (contract 01 section 4.3). */
export async function mappingToChange(reader: Reader, app: AppNumber, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  if (type !== 'ANY') return findMapping(reader, app, id, type);
  const [isInternal, own, foreign] = await Promise.all([
    isUserId(reader, app, id),
    findMapping(reader, app, id, 'SUPERTOKENS'),
    findMapping(reader, app, id, 'EXTERNAL'),
  ]);
  return isInternal ? own : foreign;
}
