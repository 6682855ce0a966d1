import type { Collection } from '../../store/collection.ts';
import { deleteOver } from '../../store/delete-all.ts';
import type { Store } from '../../store/store.ts';
import { CLEAN_BUCKET_MS, tenantTotpAttempts, totpAttempts } from './records.ts';

/**
 * Removes expired attempts of at most `limit` users; answers whether there may be more (contract 05 section 1).
 * @param now ms since the epoch; what expires within its hour stays
 */
export async function removeExpiredAttempts(store: Store, now: number, limit: number): Promise<boolean> {
  const ofUsers = await removeFrom(store, totpAttempts, now, limit);
  const ofTenants = await removeFrom(store, tenantTotpAttempts, now, limit);
  return ofUsers || ofTenants;
}

async function removeFrom<R extends { readonly cleanAfter: number }>(
  store: Store,
  collection: Collection<R>,
  now: number,
  limit: number,
): Promise<boolean> {
  const until = [Math.floor(now / CLEAN_BUCKET_MS)];
  const keys = await store.read((reader) => reader.keys(collection, 'byCleanAfter', { prefix: [], until, limit }));
  await deleteOver(store, collection, keys, ({ cleanAfter }) => cleanAfter < now);
  return keys.length === limit;
}
