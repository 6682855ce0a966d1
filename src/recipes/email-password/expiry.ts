import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import { resetTokens, signInFailures } from './records.ts';

/** Deletes at most `limit` password reset tokens that are past their expiry; answers whether there may be more (contract 03 section 1.11). */
export function removeExpiredResetTokens(store: Store, now: number, limit: number): Promise<boolean> {
  return removeExpired(store, resetTokens, now, limit);
}

/** Forgets at most `limit` failed sign-ins that count no longer; answers whether there may be more. It keeps their number bounded by the sign-ins of two windows. */
export function removeOldSignInFailures(store: Store, now: number, limit: number): Promise<boolean> {
  return removeExpired(store, signInFailures, now, limit);
}

async function removeExpired<R extends { readonly expiresAt: number }>(
  store: Store,
  collection: Collection<R>,
  now: number,
  limit: number,
): Promise<boolean> {
  const expired = await store.read((reader) => reader.list(collection, 'byExpiry', { prefix: [], until: [now], limit }));
  if (expired.length > 0) {
    const reads = expired.map((record) => ({ collection, key: collection.key(record) }));
    await store.transact(async (tx) => {
      // Read again: an account that somebody tries once more has a new window.
      for (const record of await tx.getMany(reads))
        if (record && record.expiresAt < now) await tx.delete(collection, collection.key(record));
    });
  }
  return expired.length === limit;
}
