import { removeExpired } from '../../store/remove-expired.ts';
import type { Store } from '../../store/store.ts';
import { verificationTokens } from './records.ts';

/** Deletes at most `limit` verification tokens that are past their expiry; answers whether there may be more (contract 03 section 1.11). */
export async function removeExpiredVerificationTokens(store: Store, now: number, limit: number): Promise<boolean> {
  return (await removeExpired(store, verificationTokens, now, limit)) === limit;
}
