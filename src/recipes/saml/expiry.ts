import { removeExpired } from '../../store/remove-expired.ts';
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
