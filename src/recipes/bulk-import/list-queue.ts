import { LIMITS } from '../../config/limits.ts';
import type { Commands } from '../../generated/commands.ts';
import type { JsonText } from '../../json/free-form.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { pageToken, readPageToken } from '../users/page-token.ts';
import { asInternal } from '../accounts/ids.ts';
import { behindPlace, placeIn, type QueueEntry, type QueuePlace, type QueueStatus, queueEntries, textsOf } from './records.ts';

const DEFAULT_LIMIT = 100;
/** Entries that are in memory before it is known how large they are: each has some 2 MiB at most. */
const READ_AT_ONCE = 20;
const KEPT: readonly QueueStatus[] = ['NEW', 'FAILED'];

/** How a page of the queue is asked for. */
interface QueueQuery {
  readonly limit?: number | undefined;
  readonly status?: string | undefined;
  readonly paginationToken?: string | undefined;
}

/** What stands in a page for an entry, and how much of the page it takes. */
interface Shown<T> {
  readonly item: T;
  readonly chars: number;
}

/** A page of the queue, newest first, and the token of the next one unless this is the last. */
export interface QueuePage<T> {
  readonly users: readonly T[];
  readonly nextPaginationToken: string | undefined;
}

/** The kept statuses that an asked one stands for: PROCESSING is never kept, none asked for means all. */
export function statusesOf(asked: string | undefined): readonly QueueStatus[] {
  return KEPT.filter((status) => asked === undefined || status === asked);
}

/** `GET /bulk-import/users` (contract 05 section 6.5): JSON objects. */
export function listQueue(context: Context, command: Commands['bulk-import/list-queue']): Promise<QueuePage<JsonText>> {
  return pageOfQueue(context, command, (entry) => {
    const text = entryText(entry);
    return { item: text, chars: text.length };
  });
}

/** A page with something in place of each entry. @throws Refusal */
export async function pageOfQueue<T>(
  { store, tenant }: Context,
  { limit = DEFAULT_LIMIT, status, paginationToken }: QueueQuery,
  show: (entry: QueueEntry) => Shown<T>,
): Promise<QueuePage<T>> {
  const from = paginationToken === undefined ? undefined : readPlace(paginationToken);
  return store.read(async (reader) => {
    const lists = await Promise.all(statusesOf(status).map((kept) => newestFirst(reader, tenant.app, kept, from, limit + 1)));
    const places = lists.flat().toSorted(byNewest);
    const { users, count } = await entriesAt(reader, tenant.app, places.slice(0, limit), show);
    const next = places[count];
    return { users, nextPaginationToken: next && pageToken({ id: asInternal(next.id), timeJoined: next.createdAt }) };
  });
}

/** Entries as shown, and how many places they cover: a page ends early before it is too large for a thread's memory. */
async function entriesAt<T>(
  reader: Reader,
  app: AppNumber,
  places: readonly QueuePlace[],
  show: (entry: QueueEntry) => Shown<T>,
): Promise<{ users: T[]; count: number }> {
  const users: T[] = [];
  let chars = 0;
  for (let at = 0; at < places.length; at += READ_AT_ONCE) {
    const keys = places.slice(at, at + READ_AT_ONCE).map(({ id }) => ({ collection: queueEntries, key: [app, id] as const }));
    const entries = await reader.getMany(keys);
    for (const [n, entry] of entries.entries()) {
      const shown = entry && show(entry);
      chars += shown?.chars ?? 0;
      if (chars > LIMITS.queuePageChars && users.length > 0) return { users, count: at + n };
      if (shown) users.push(shown.item);
    }
  }
  return { users, count: places.length };
}

function readPlace(token: string): QueuePlace {
  const place = readPageToken(token);
  if (!place) throw new Refusal('bad-input', { text: 'invalid pagination token' });
  return { id: place.id, createdAt: place.timeJoined };
}

/** Where entries are, from a place on backwards, it included. */
async function newestFirst(
  reader: Reader,
  app: AppNumber,
  status: QueueStatus,
  from: QueuePlace | undefined,
  limit: number,
): Promise<QueuePlace[]> {
  const prefix = [status, app] as const;
  const until = from && behindPlace(status, app, from);
  const found = await reader.entries(queueEntries, 'byStatus', { prefix, ...(until && { until }), limit, reverse: true });
  return found.map(placeIn);
}

function byNewest(a: QueuePlace, b: QueuePlace): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** An entry as it is shown: the user as it is kept, passwords too, with what became of it. */
function entryText(entry: QueueEntry): JsonText {
  const { id, status, createdAt, updatedAt, errorMessage } = entry;
  const { user, metadata } = textsOf(entry);
  const shown = metadata === undefined ? '{}' : `{"userMetadata":${metadata}}`;
  const objects = [JSON.stringify({ id }), shown, user, JSON.stringify({ status, createdAt, updatedAt, errorMessage })];
  const members = objects.map((object) => object.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}` as JsonText;
}
