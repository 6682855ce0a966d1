import { deleteUnder } from '../../store/delete-under.ts';
import { pagesOf } from '../../store/pages.ts';
import type { AppNumber, Noted, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import { existingTenants } from '../tenants/tenant-exists.ts';
import { NOTED_EXPIRY_MS, type SessionKey, sessions, tenantIn } from '../session-records/records.ts';

/** Whose sessions, as the rows have it: those of a user id in all tenants of an app, or in the one of this number. */
export interface Owner {
  readonly app: AppNumber;
  readonly userId: string;
  readonly tenant?: TenantNumber | undefined;
}

/** All sessions of an owner, expired ones too, by page of the index of users. @param read reads a range of it */
export function sessionPages(
  { app, userId, tenant }: Owner,
  read: <T>(body: (reader: Reader) => T) => T,
): AsyncGenerator<readonly Noted<SessionKey>[]> {
  const prefix = tenant === undefined ? ([app, userId] as const) : ([app, userId, tenant] as const);
  return pagesOf((page) => read((reader) => reader.pageOfKeys(sessions, 'byUser', { prefix, ...page })));
}

/**
 * The keys of sessions that have not expired at `now`. Expiry only moves on, so what the index notes of it settles
 * nearly all; a row is read only where its session might expire within the noted day.
 */
export async function liveKeys(reader: Reader, page: readonly Noted<SessionKey>[], now: number): Promise<readonly SessionKey[]> {
  const isCertain = ({ note }: Noted<SessionKey>): boolean => note !== undefined && note * NOTED_EXPIRY_MS >= now;
  const doubtful = page.filter((noted) => !isCertain(noted));
  if (doubtful.length === 0) return page.map(({ key }) => key);
  const rows = await reader.getMany(doubtful.map(({ key }) => ({ collection: sessions, key })));
  const expired = new Set(doubtful.filter((_, at) => !((rows[at]?.expiresAt ?? Number.NEGATIVE_INFINITY) >= now)));
  return page.filter((noted) => !expired.has(noted)).map(({ key }) => key);
}

/** Whether a user id, as in the rows, has a session that has not expired, in any tenant (contract 01 section 4). */
export async function isSessionUsed(reader: Reader, app: AppNumber, userId: string, now: number): Promise<boolean> {
  for await (const page of sessionPages({ app, userId }, (body) => body(reader))) {
    const live = await liveKeys(reader, page, now);
    if ((await existingTenants(reader, app, live.map(tenantIn))).size > 0) return true;
  }
  return false;
}

/** Deletes every session under a user id, as it stands in the rows, in all tenants, in the caller's transaction. */
export async function removeSessionsOfId(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await deleteUnder(tx, sessions, 'byUser', [app, userId]);
}

/** The same for one tenant; answers whether there was any. */
export async function removeSessionsInTenant(tx: Transaction, app: AppNumber, tenant: TenantNumber, userId: string): Promise<boolean> {
  return (await deleteUnder(tx, sessions, 'byUser', [app, userId, tenant])) > 0;
}
