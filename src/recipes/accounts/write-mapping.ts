import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Transaction } from '../../store/store.ts';
import type { InternalUserId } from './ids.ts';
import { mappingByInternalId } from './mappings.ts';
import { mappingsByExternalId, mappingsByInternalId, type UserIdMapping } from './mapping-records.ts';

/** Writes a mapping both ways, in the caller's transaction; both ids must be free, or be mapped to each other. */
export function putMapping(tx: Transaction, mapping: UserIdMapping): MaybePromise<void> {
  return whenReady(allReady([tx.put(mappingsByInternalId, mapping), tx.put(mappingsByExternalId, mapping)]), () => undefined);
}

/** The same for a user who is new: nothing can be mapped to the internal id. */
export function addMapping(tx: Transaction, mapping: UserIdMapping): MaybePromise<void> {
  return whenReady(allReady([tx.insert(mappingsByInternalId, mapping), tx.put(mappingsByExternalId, mapping)]), () => undefined);
}

/** Removes a mapping in both directions, in the caller's transaction. */
export async function removeMapping(tx: Transaction, mapping: UserIdMapping): Promise<void> {
  await Promise.all([
    tx.delete(mappingsByInternalId, mappingsByInternalId.key(mapping)),
    tx.delete(mappingsByExternalId, mappingsByExternalId.key(mapping)),
  ]);
}

/** Removes the mapping of an internal id, in the caller's transaction; answers it, `undefined` when there was none. */
export async function removeMappingOfUser(tx: Transaction, app: AppNumber, internalId: InternalUserId): Promise<UserIdMapping | undefined> {
  const { collection, key } = mappingByInternalId(app, internalId);
  const mapping = await tx.get(collection, key);
  if (mapping) await removeMapping(tx, mapping);
  return mapping;
}
