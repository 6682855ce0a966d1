import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key, Store } from '../../store/store.ts';
import { type SessionRecord, sessions } from './records.ts';

/** Sessions that one transaction deletes; a user with more loses them in several. */
const BATCH = 500;

/** Which sessions of a user are meant: those of one tenant, or only those that have not expired. */
export interface SessionFilter {
  readonly tenant?: number;
  /** Leave out sessions that expired before this time, ms. */
  readonly liveAt?: number;
}

/** Deletes all sessions of the given user ids (as they stand in the rows) in an app, in bounded transactions; answers the deleted rows. */
export async function revokeSessionsOfUsers(
  store: Store,
  app: number,
  userIds: readonly string[],
  filter: SessionFilter = {},
): Promise<SessionRecord[]> {
  const revoked: SessionRecord[] = [];
  for (const userId of userIds) {
    const prefix: Key = filter.tenant === undefined ? [app, userId] : [app, userId, filter.tenant];
    for await (const page of sessionPages(store, prefix)) {
      const chosen = page.filter((session) => filter.liveAt === undefined || session.expiresAt >= filter.liveAt);
      const byKey = new Map(chosen.map((session) => [sessions.key(session), session]));
      const gone = await deleteSessions(store, [...byKey.keys()]);
      revoked.push(...gone.flatMap((key) => byKey.get(key) ?? []));
    }
  }
  return revoked;
}

/** Every session under a prefix of the user index, page by page; rows may go while it runs. */
export async function* sessionPages(store: Store, prefix: Key): AsyncGenerator<SessionRecord[]> {
  let from: Key | undefined;
  for (;;) {
    const range = { prefix, ...(from ? { from } : {}), limit: BATCH + 1 };
    const page = await store.read((reader) => reader.list(sessions, 'byUser', range));
    yield page.slice(0, BATCH);
    const next = page[BATCH];
    if (!next) return;
    from = [next.app, next.userId, next.tenant, ...sessions.key(next)];
  }
}

/** Deletes the sessions that exist under the given keys, expired ones too, in bounded transactions; answers the keys that this call deleted. */
export async function deleteSessions(store: Store, keys: readonly Key[]): Promise<Key[]> {
  const deleted: Key[] = [];
  for (let start = 0; start < keys.length; start += BATCH) {
    // Handles of no session cost no commit, whose wait would be a turn for others.
    if (start > 0) await nextTurn();
    const batch = keys.slice(start, start + BATCH);
    const gone = await store.transact(async (tx) => {
      await tx.getMany(batch.map((key) => ({ collection: sessions, key })));
      const found: Key[] = [];
      for (const key of batch) if (await tx.delete(sessions, key)) found.push(key);
      return found;
    });
    deleted.push(...gone);
  }
  return deleted;
}
