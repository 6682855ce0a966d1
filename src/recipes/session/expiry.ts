import { deleteOver } from '../../store/delete-all.ts';
import type { Store } from '../../store/store.ts';
import { EXPIRY_BUCKET_MS, sessions } from '../session-records/records.ts';

/** Deletes at most `limit` expired sessions; answers whether there may be more (contract 02 section 1.13). */
export async function removeExpiredSessions(store: Store, now: number, limit: number): Promise<boolean> {
  const until = [Math.floor(now / EXPIRY_BUCKET_MS) + 1] as const;
  const candidates = await store.read((reader) => reader.list(sessions, 'byExpiry', { prefix: [], until, limit }));
  const expired = candidates.filter((session) => session.expiresAt <= now);
  await deleteOver(store, sessions, expired.map(sessions.key), ({ expiresAt }) => expiresAt <= now);
  return expired.length === limit;
}
