import { pageAcross, type PageRange } from '../../store/pages.ts';
import type { AppNumber, Page, Reader } from '../../store/store.ts';
import { allIdsOfUser } from '../accounts/identity.ts';
import type { Context } from '../context.ts';
import { type SessionRecord, sessions } from '../session-records/records.ts';
import type { Tenant } from '../tenants/tenant.ts';

/** A session as operators see it: nothing of its tokens, and nothing that the application keeps with it. */
export interface SessionSummary {
  readonly sessionHandle: string;
  readonly recipeUserId: string;
  readonly tenantId: string;
  /** Times are ms since the epoch. */
  readonly timeCreated: number;
  readonly expiry: number;
  /** When its refresh token was last replaced; none for one that is as it began. */
  readonly lastRotation: number | null;
}

/** The sessions of whoever has an id, under each of their ids and in all tenants, by page. */
export function sessionsOfUser(context: Context, userId: string, page: PageRange): Promise<Page<SessionSummary>> {
  const { app } = context.tenant;
  return context.store.read(async (reader) => {
    // In the order in which they stand in the index.
    const ids = (await allIdsOfUser(reader, app, userId)).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return summaries(
      reader,
      context,
      await pageAcross(
        page,
        ids.map((id) => under(reader, app, id)),
      ),
    );
  });
}

const under =
  (reader: Reader, app: AppNumber, userId: string) =>
  (page: PageRange): ReturnType<typeof reader.page<typeof sessions, 'byUser'>> =>
    reader.page(sessions, 'byUser', { prefix: [app, userId], ...page });

/** The sessions of the addressed tenant by page, in the order of their handles backwards: the newest first. */
export function sessionsOfTenant(context: Context, page: PageRange): Promise<Page<SessionSummary>> {
  const { app, tenant } = context.tenant;
  return context.store.read(async (reader) =>
    summaries(reader, context, await reader.page(sessions, undefined, { prefix: [app, tenant], reverse: true, ...page })),
  );
}

/** How many sessions are kept under ids, with those that have expired and wait for the clean-up. */
export async function countSessions(reader: Reader, app: AppNumber, userIds: readonly string[]): Promise<number> {
  const counts = await Promise.all(userIds.map((userId) => reader.count(sessions, 'byUser', { prefix: [app, userId] })));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Those that have not expired, in tenants that are there: a page may be shorter than asked for. */
async function summaries(reader: Reader, { directory, now }: Context, { items, next }: Page<SessionRecord>): Promise<Page<SessionSummary>> {
  const at = now();
  const live = items.filter(({ expiresAt }) => expiresAt >= at);
  const tenantIds = await Promise.all(live.map(({ app, tenant }) => directory.tenantIdOf(reader, app, tenant)));
  return { items: live.flatMap((row, index) => summaryIn(tenantIds[index], row)), next };
}

function summaryIn(tenantId: Tenant['tenantId'] | undefined, row: SessionRecord): SessionSummary[] {
  return tenantId === undefined ? [] : [summaryOf(row, tenantId)];
}

/** @param tenantId the id of the tenant of the row */
export function summaryOf(row: SessionRecord, tenantId: string): SessionSummary {
  const { handle, userId, createdAt, expiresAt, rotatedAt } = row;
  return { sessionHandle: handle, recipeUserId: userId, tenantId, timeCreated: createdAt, expiry: expiresAt, lastRotation: rotatedAt };
}
