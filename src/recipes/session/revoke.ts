import { deleteAll } from '../../store/delete-all.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Store, TenantNumber, Transaction } from '../../store/store.ts';
import { allIdsOfUser } from '../accounts/identity.ts';
import { type SessionKey, type SessionRecord, sessions } from '../session-records/records.ts';
import { liveKeys, sessionPages } from './sessions-of-id.ts';

/** Sessions that one transaction deletes; a user with more loses them in several. */
const BATCH = 500;

/** Which sessions of a user are meant: those of one tenant, or only those that have not expired. */
export interface SessionFilter {
  readonly tenant?: TenantNumber;
  /** Leave out sessions that expired before this time, ms. */
  readonly liveAt?: number;
}

/** Told of sessions in the transaction that ends them. */
export type Told = (tx: Transaction, ending: readonly SessionRecord[]) => MaybePromise<void>;

/** Deletes all sessions of user ids (as in the rows) of an app, in bounded transactions; answers the deleted keys. */
export async function revokeSessionsOfUsers(
  store: Store,
  app: AppNumber,
  userIds: readonly string[],
  { tenant, liveAt }: SessionFilter = {},
  told?: Told,
): Promise<SessionKey[]> {
  const revoked: SessionKey[] = [];
  for (const userId of userIds) {
    // Each page in a snapshot of its own: rows may go while this runs, and what is deleted makes room at once.
    for await (const page of sessionPages({ app, userId, tenant }, (body) => store.read(body))) {
      const keys = liveAt === undefined ? page.map(({ key }) => key) : await store.read((reader) => liveKeys(reader, page, liveAt));
      for (const key of await deleteSessions(store, keys, told)) revoked.push(key);
    }
  }
  return revoked;
}

/** Deletes all sessions of whoever has an id, under each of their ids, in all tenants; answers how many there were. */
export async function endSessionsOfUser(store: Store, app: AppNumber, id: string, told?: Told): Promise<number> {
  const userIds = await store.read((reader) => allIdsOfUser(reader, app, id));
  return (await revokeSessionsOfUsers(store, app, userIds, {}, told)).length;
}

/** Deletes sessions by key, expired ones too, in bounded transactions; answers the keys that this call deleted. */
export async function deleteSessions(store: Store, keys: readonly SessionKey[], told?: Told): Promise<SessionKey[]> {
  const deleted: SessionKey[] = [];
  for (let start = 0; start < keys.length; start += BATCH) {
    // Handles of no session cost no commit, whose wait would be a turn for others.
    if (start > 0) await nextTurn();
    const batch = keys.slice(start, start + BATCH);
    deleted.push(...(await store.transact((tx) => deleteBatch(tx, batch, told))));
  }
  return deleted;
}

async function deleteBatch(tx: Transaction, keys: readonly SessionKey[], told: Told | undefined): Promise<SessionKey[]> {
  if (!told) return deleteAll(tx, sessions, keys);
  const ending = (await tx.getMany(keys.map((key) => ({ collection: sessions, key })))).filter((session) => session !== undefined);
  if (ending.length > 0) await told(tx, ending);
  return deleteAll(tx, sessions, keys);
}
