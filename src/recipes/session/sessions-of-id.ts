import { deleteUnder } from '../../store/delete-under.ts';
import type { Key, Reader, Transaction } from '../../store/store.ts';
import { tenantExists } from '../multitenancy/tenant-exists.ts';
import { type SessionRecord, sessions } from './records.ts';

/** Sessions that one look at the store brings; whoever has more is gone through page by page. */
const PAGE = 500;

/** Whether a session that has not expired stands under a user id, as it stands in the rows, in any tenant (contract 01 section 4). */
export async function isSessionUsed(reader: Reader, app: number, userId: string, now: number): Promise<boolean> {
  for await (const page of pagesOf(reader, app, userId)) {
    for (const { expiresAt, tenant } of page) if (expiresAt >= now && (await tenantExists(reader, app, tenant))) return true;
  }
  return false;
}

/** Deletes every session under a user id, as it stands in the rows, in all tenants, in the caller's transaction. */
export async function removeSessionsOfId(tx: Transaction, app: number, userId: string): Promise<void> {
  await deleteUnder(tx, sessions, 'byUser', [app, userId]);
}

/** The same for one tenant; answers whether there was any. */
export async function removeSessionsInTenant(tx: Transaction, app: number, tenant: number, userId: string): Promise<boolean> {
  return (await deleteUnder(tx, sessions, 'byUser', [app, userId, tenant])) > 0;
}

async function* pagesOf(reader: Reader, app: number, userId: string): AsyncGenerator<SessionRecord[]> {
  const prefix: Key = [app, userId];
  let from = prefix;
  for (;;) {
    const page = await reader.list(sessions, 'byUser', { prefix, from, limit: PAGE + 1 });
    yield page.slice(0, PAGE);
    const next = page[PAGE];
    if (!next) return;
    from = [next.app, next.userId, next.tenant, ...sessions.key(next)];
  }
}
