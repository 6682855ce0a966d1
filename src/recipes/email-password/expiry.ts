import { removeExpired } from '../../store/remove-expired.ts';
import type { Store } from '../../store/store.ts';
import { resetTokens, signInFailures } from './records.ts';

/** Deletes at most `limit` password reset tokens that are past their expiry; answers whether there may be more (contract 03 section 1.11). */
export async function removeExpiredResetTokens(store: Store, now: number, limit: number): Promise<boolean> {
  return (await removeExpired(store, resetTokens, now, limit)) === limit;
}

/** Forgets at most `limit` failed sign-ins that count no longer; answers whether there may be more. It keeps their number bounded by the sign-ins of two windows. */
export async function removeOldSignInFailures(store: Store, now: number, limit: number): Promise<boolean> {
  return (await removeExpired(store, signInFailures, now, limit)) === limit;
}
