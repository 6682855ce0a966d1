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

/** A page of the queue, newest first, and the token of the next one unless this is the last. */
export interface QueuePage {
  /** JSON objects. */
  readonly users: readonly JsonText[];
  readonly nextPaginationToken: string | undefined;
}

/** The kept statuses that an asked one stands for: PROCESSING is never kept, none asked for means all. */
export function statusesOf(asked: string | undefined): readonly QueueStatus[] {
  return KEPT.filter((status) => asked === undefined || status === asked);
}

/** `GET /bulk-import/users` (contract 05 section 6.5). */
export function listQueue({ store, tenant }: Context, command: Commands['bulk-import/list-queue']): Promise<QueuePage> {
  const limit = command.limit ?? DEFAULT_LIMIT;
  const from = command.paginationToken === undefined ? undefined : readPlace(command.paginationToken);
  const statuses = statusesOf(command.status);
  return store.read(async (reader) => {
    const lists = await Promise.all(statuses.map((status) => newestFirst(reader, tenant.app, status, from, limit + 1)));
    const places = lists.flat().toSorted(byNewest);
    const { users, count } = await textsAt(reader, tenant.app, places.slice(0, limit));
    const next = places[count];
    return { users, nextPaginationToken: next && pageToken({ id: asInternal(next.id), timeJoined: next.createdAt }) };
  });
}

/** Entries as shown, and how many places they cover: a page ends early before it is too large for a thread's memory. */
async function textsAt(reader: Reader, app: AppNumber, places: readonly QueuePlace[]): Promise<{ users: JsonText[]; count: number }> {
  const users: JsonText[] = [];
  let chars = 0;
  for (let at = 0; at < places.length; at += READ_AT_ONCE) {
    const keys = places.slice(at, at + READ_AT_ONCE).map(({ id }) => ({ collection: queueEntries, key: [app, id] as const }));
    const entries = await reader.getMany(keys);
    for (const [n, entry] of entries.entries()) {
      const text = entry && entryText(entry);
      chars += text?.length ?? 0;
      if (chars > LIMITS.queuePageChars && users.length > 0) return { users, count: at + n };
      if (text !== undefined) users.push(text);
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
