import type { Store } from '../../store/store.ts';
import { verificationTokens } from './records.ts';

/** Deletes at most `limit` verification tokens that are past their expiry; answers whether there may be more (contract 03 section 1.11). */
export async function removeExpiredVerificationTokens(store: Store, now: number, limit: number): Promise<boolean> {
  const expired = await store.read((reader) => reader.list(verificationTokens, 'byExpiry', { prefix: [], until: [now], limit }));
  if (expired.length > 0) {
    // Their expiry never changes, so what has expired in the snapshot still has.
    const keys = expired.map(verificationTokens.key);
    await store.transact(async (tx) => {
      await tx.getMany(keys.map((key) => ({ collection: verificationTokens, key })));
      for (const key of keys) await tx.delete(verificationTokens, key);
    });
  }
  return expired.length === limit;
}
