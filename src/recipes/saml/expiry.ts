import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import { samlClaims, samlRelayStates, samlUsedAssertions } from './records.ts';

/** Deletes at most `limit` logins, codes and assertion ids that ended before `now` (ms); answers whether there may be more (contract 06 section 1.7). */
export async function removeExpiredSamlData(store: Store, now: number, limit: number): Promise<boolean> {
  let left = limit;
  left -= await removeExpired(store, samlRelayStates, now, left);
  if (left > 0) left -= await removeExpired(store, samlClaims, now, left);
  if (left > 0) left -= await removeExpired(store, samlUsedAssertions, now, left);
  return left <= 0;
}

/** By the index `byExpiry`; answers how many there were. */
async function removeExpired<R extends { readonly expiresAt: number }>(
  store: Store,
  collection: Collection<R>,
  now: number,
  limit: number,
): Promise<number> {
  const keys = await store.read((reader) => reader.keys(collection, 'byExpiry', { prefix: [], until: [now], limit }));
  if (keys.length > 0) {
    await store.transact(async (tx) => {
      const current = await tx.getMany(keys.map((key) => ({ collection, key })));
      for (const record of current) if (record && record.expiresAt < now) await tx.delete(collection, collection.key(record));
    });
  }
  return keys.length;
}
