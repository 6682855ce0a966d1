import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { UserIdMapping } from '../accounts/mappings.ts';
import type { Transaction } from '../../store/store.ts';
import { isUserId } from '../accounts/find.ts';
import { recipesUsing } from '../user-data.ts';
import { inUse } from './create-mapping.ts';
import { findMapping, mappingToChange } from './id-type.ts';
import { removeMapping } from '../accounts/write-mapping.ts';

/** `POST /recipe/userid/map/remove` (contract 01 section 4.3): whether there was one. @throws Refusal if in use */
export async function removeUserIdMapping(
  context: Context,
  { userId, userIdType = 'ANY', force = false }: Commands['user-id-mapping/remove-mapping'],
): Promise<boolean> {
  const {
    store,
    tenant: { app },
    userData,
    now,
  } = context;
  return store.transact(async (tx) => {
    const [mapping, isAsked] = await Promise.all([
      findMapping(tx, app, userId, userIdType),
      userIdType === 'SUPERTOKENS' ? isUserId(tx, app, userId) : true,
    ]);
    if (!mapping || !isAsked) return false;
    const [isForced, [recipe], chosen] = await Promise.all([
      isUserId(tx, app, mapping.externalUserId),
      force ? [] : recipesUsing(userData, tx, app, mapping.externalUserId, now()),
      mappingToChange(tx, app, userId, userIdType),
    ]);
    if (isForced) {
      // A mapping that was forced: data under the external id is that other user's.
      await forget(tx, context, mapping);
      return true;
    }
    if (recipe) throw inUse(recipe);
    if (chosen) await forget(tx, context, chosen);
    return chosen !== undefined;
  });
}

async function forget(tx: Transaction, context: Context, mapping: UserIdMapping): Promise<void> {
  await removeMapping(tx, mapping);
  const details = { internalUserId: mapping.superTokensUserId };
  await recordEvent(tx, context, 'mapping.removed', { userId: mapping.externalUserId, details });
}
