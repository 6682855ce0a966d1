import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reader, Store } from '../../store/store.ts';
import type { SealedEvent } from './event.ts';
import type { EventKind } from './kinds.ts';
import { type Block, blocks, parseEvent, type Subject } from './records.ts';
import { headOf } from './seal.ts';

/** Whose events are wanted: of an app, whether it still exists or not. */
export interface AppOfEvents {
  readonly cud: string;
  readonly appId: string;
}

/** Which events are wanted. */
export interface EventFilter {
  /** Of all apps, if left out. */
  readonly app?: AppOfEvents | undefined;
  readonly tenantId?: string | undefined;
  /** A user by any of these ids. */
  readonly userIds?: readonly string[] | undefined;
  readonly kinds?: readonly EventKind[] | undefined;
  /** ms since the epoch: at or after this. */
  readonly since?: number | undefined;
  /** ms since the epoch: before this. */
  readonly until?: number | undefined;
}

/** Which page of them. Positions are sequence numbers. */
export interface EventRange {
  readonly limit: number;
  /** The newest first, instead of the oldest. */
  readonly reverse: boolean;
  /** Only events behind this one, in the order of the page. */
  readonly from?: number | undefined;
}

/** A page of events. */
export interface EventPage {
  readonly events: readonly SealedEvent[];
  /** What lies up to here was looked at: the next page is asked for from here. */
  readonly position: number;
  /** Whether more may follow at once; a page ends when it has taken enough work, too, and may then be empty. */
  readonly isMore: boolean;
}

/** Blocks that are read between two turns of the event loop. */
const BLOCKS_AT_ONCE = 10;
/** Blocks that one page looks into. */
const MOST_BLOCKS = 200;

/** The keys of the index that lead to blocks; of all apps, none. */
type Way = readonly [cud: string, appId: string, subject: Subject] | undefined;

/** A page of the sealed trail; each piece of it is as new as the store is when it is read. */
export async function readEvents(store: Store, filter: EventFilter, range: EventRange): Promise<EventPage> {
  const { limit, reverse } = range;
  const ways = waysTo(filter);
  const events: SealedEvent[] = [];
  const end = reverse ? 0 : (await store.read(headOf)).last;
  let position = range.from ?? (await store.read((reader) => beginning(reader, filter, reverse)));
  for (let looked = 0; looked < MOST_BLOCKS; looked += BLOCKS_AT_ONCE) {
    if (looked > 0) await nextTurn();
    const from = position;
    const found = await store.read((reader) => blocksBehind(reader, ways, from, reverse));
    for (const block of found) {
      if (reverse && block.sealedAt < (filter.since ?? 0)) return { events, position: 0, isMore: false };
      for (const event of eventsBehind(block, position, reverse)) {
        position = event.sequence;
        if (fits(event, filter)) events.push(event);
        if (events.length === limit) return { events, position, isMore: true };
      }
    }
    if (found.length < BLOCKS_AT_ONCE) return { events, position: reverse ? end : Math.max(position, end), isMore: false };
  }
  return { events, position, isMore: true };
}

function eventsBehind(block: Block, position: number, reverse: boolean): readonly SealedEvent[] {
  const events = eventsIn(block);
  return reverse ? events.filter(({ sequence }) => sequence < position).toReversed() : events.filter(({ sequence }) => sequence > position);
}

function fits(event: SealedEvent, { app, tenantId, userIds, kinds, since, until }: EventFilter): boolean {
  if (app && (event.connectionUriDomain !== app.cud || event.appId !== app.appId)) return false;
  if (tenantId !== undefined && event.tenantId !== tenantId) return false;
  if (userIds && !(event.userId !== undefined && userIds.includes(event.userId))) return false;
  if (kinds && !kinds.includes(event.kind)) return false;
  return event.at >= (since ?? event.at) && event.at < (until ?? Number.POSITIVE_INFINITY);
}

/** The events of a block with their places. */
export function eventsIn({ last, events }: Block): SealedEvent[] {
  const first = last - events.length + 1;
  return events.map((text, at) => ({ sequence: first + at, ...parseEvent(text) }));
}

/** Where a page without a place begins: before the first block that can hold such events, or behind the last one. */
async function beginning(reader: Reader, { since }: EventFilter, reverse: boolean): Promise<number> {
  if (reverse) return Number.MAX_SAFE_INTEGER;
  if (since === undefined) return 0;
  // No event of a block is later than the block, and no block than those behind it.
  const [block] = await reader.list(blocks, 'byTime', { prefix: [], from: [since], limit: 1 });
  return block ? block.last - block.events.length : (await headOf(reader)).last;
}

/** What leads to all blocks with such events and to few others. */
function waysTo({ app, userIds, kinds }: EventFilter): readonly Way[] {
  if (!app) return [undefined];
  const subjects: readonly Subject[] =
    userIds?.map((id): Subject => `user ${id}`) ?? kinds?.map((kind): Subject => `kind ${kind}`) ?? (['all'] as const);
  return subjects.map((subject) => [app.cud, app.appId, subject]);
}

/** The next blocks with events behind a place, in the order of the page. */
async function blocksBehind(reader: Reader, ways: readonly Way[], position: number, reverse: boolean): Promise<Block[]> {
  // The block in which the next older event stands may hold the place itself, too.
  const [bound] = reverse ? await reader.keys(blocks, undefined, { prefix: [], from: [position - 1], limit: 1 }) : [];
  const piece = reverse ? { until: bound && bound[0] + 1 } : { from: position + 1 };
  const names = await Promise.all(ways.map((way) => namesOn(reader, way, piece, reverse)));
  const next = [...new Set(names.flat())].toSorted((a, b) => (reverse ? b - a : a - b)).slice(0, BLOCKS_AT_ONCE);
  const found = await reader.getMany(next.map((last) => ({ collection: blocks, key: [last] as const })));
  return found.filter((block) => block !== undefined);
}

/** Between which names blocks are wanted. */
interface Piece {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** The first names on a way, in the order of the page. */
async function namesOn(reader: Reader, way: Way, { from, until }: Piece, reverse: boolean): Promise<number[]> {
  const bounds = { limit: BLOCKS_AT_ONCE, reverse };
  const keys = way
    ? await reader.keys(blocks, 'bySubject', {
        ...bounds,
        prefix: way,
        ...(from !== undefined && { from: [...way, from] }),
        ...(until !== undefined && { until: [...way, until] }),
      })
    : await reader.keys(blocks, undefined, {
        ...bounds,
        prefix: [],
        ...(from !== undefined && { from: [from] }),
        ...(until !== undefined && { until: [until] }),
      });
  return keys.map(([last]) => last);
}
