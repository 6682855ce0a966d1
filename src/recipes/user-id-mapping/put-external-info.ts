import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { mappingToChange } from './id-type.ts';
import { putMapping } from '../accounts/write-mapping.ts';

/** `PUT /recipe/userid/external-user-id-info` (contract 01 section 4.4): `null` clears the info. */
export async function putExternalInfo(
  context: Context,
  { userId, userIdType = 'ANY', externalUserIdInfo }: Commands['user-id-mapping/put-external-info'],
): Promise<'OK' | 'UNKNOWN_MAPPING_ERROR'> {
  const {
    store,
    tenant: { app },
  } = context;
  return store.transact(async (tx) => {
    const mapping = await mappingToChange(tx, app, userId, userIdType);
    if (!mapping) return 'UNKNOWN_MAPPING_ERROR';
    await putMapping(tx, { ...mapping, externalUserIdInfo });
    await recordEvent(tx, context, 'mapping.changed', { userId: mapping.externalUserId });
    return 'OK';
  });
}
