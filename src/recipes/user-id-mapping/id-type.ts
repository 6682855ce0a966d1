import type { AppNumber, Reader } from '../../store/store.ts';
import { isUserId } from '../accounts/find.ts';
import { mappingByExternalId, mappingByInternalId, type UserIdMapping } from '../accounts/mappings.ts';
import { asExternal, asInternal } from '../accounts/ids.ts';

/** As what an id is to be taken; `ANY` is what is meant without a word (contract 01 section 4). */
export type UserIdType = 'SUPERTOKENS' | 'EXTERNAL' | 'ANY';

/** The mapping of an id in reads. `ANY` means internal if a user or mapping has it, else external (contract 00). */
export async function findMapping(reader: Reader, app: AppNumber, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  const [[own, foreign], isInternal] = await Promise.all([
    reader.getMany([mappingByInternalId(app, asInternal(id)), mappingByExternalId(app, asExternal(id))]),
    isUserId(reader, app, id),
  ]);
  if (type === 'SUPERTOKENS') return own;
  if (type === 'EXTERNAL') return foreign;
  return own ?? (isInternal ? undefined : foreign);
}

/** The mapping of an id in changes. `ANY` means internal if a user has it, else external (contract 01 section 4.3). */
export async function mappingToChange(reader: Reader, app: AppNumber, id: string, type: UserIdType): Promise<UserIdMapping | undefined> {
  if (type !== 'ANY') return findMapping(reader, app, id, type);
  const [isInternal, own, foreign] = await Promise.all([
    isUserId(reader, app, id),
    findMapping(reader, app, id, 'SUPERTOKENS'),
    findMapping(reader, app, id, 'EXTERNAL'),
  ]);
  return isInternal ? own : foreign;
}
