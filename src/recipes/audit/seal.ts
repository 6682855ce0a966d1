import { createHash } from 'node:crypto';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import { DamagedValue } from '../../store/checksum.ts';
import type { KeyOf, Reader, Store, Transaction } from '../../store/store.ts';
import { type Block, blocks, parseEvent, type PendingEvent, pendingEvents, type TrailEnd, trailEnds } from './records.ts';

/** So long an event waits for its place, and a little longer where many come at once. */
export const SEAL_EVERY_MS = 1_000;
/** Events that one block holds: reading one takes less than a millisecond. */
const MOST_OF_A_BLOCK = 100;
/** Damaged events that keep none behind them from their places. */
const MOST_DAMAGED = 1_000;
/** What comes before the first block. */
const BEGINNING: TrailEnd = { name: 'head', last: 0, sealedAt: 0, hash: '0'.repeat(64) };

/**
 * The hash of a block: SHA-256, in hexadecimal, over the hash of the block before, a line with the number of its last
 * event and its time, and each event on a line of its own, as they are kept. Each line ends with a line feed.
 */
export function hashOf(previous: string, { last, sealedAt, events }: Omit<Block, 'hash'>): string {
  const hash = createHash('sha256').update(`${previous}\n${last} ${sealedAt}\n`);
  for (const event of events) hash.update(`${event}\n`);
  return hash.digest('hex');
}

/** What the oldest block that is there follows. */
export function anchorOf(reader: Reader): MaybePromise<TrailEnd> {
  return whenReady(reader.get(trailEnds, ['anchor']), (anchor) => anchor ?? BEGINNING);
}

/** The newest block, or where there is none what would come before the first. */
export function headOf(reader: Reader): MaybePromise<TrailEnd> {
  return whenReady(reader.get(trailEnds, ['head']), (head) => head ?? BEGINNING);
}

/** Pending events, and how many others among them are damaged. */
export interface Waiting {
  readonly events: readonly PendingEvent[];
  readonly damaged: number;
}

/** The oldest events that have no place in the trail yet; damaged ones are left where they are, and keep nobody. */
export async function oldestPending(reader: Reader, limit: number): Promise<readonly PendingEvent[]> {
  return (await waitingEvents(reader, limit)).events;
}

/** The same, with how many damaged ones there are before and between them; all of them where they are few. */
export async function waitingEvents(reader: Reader, limit: number): Promise<Waiting> {
  try {
    const events = await reader.list(pendingEvents, undefined, { prefix: [], limit });
    if (events.every(isEvent)) return { events, damaged: 0 };
  } catch (error) {
    if (!(error instanceof DamagedValue)) throw error;
  }
  return soundEvents(reader, limit);
}

/** Reads them one by one. */
async function soundEvents(reader: Reader, limit: number): Promise<Waiting> {
  const keys = await reader.keys(pendingEvents, undefined, { prefix: [], limit: limit + MOST_DAMAGED });
  const events: PendingEvent[] = [];
  let damaged = 0;
  for (const key of keys) {
    if (events.length === limit) break;
    const event = await readOrNone(reader, key);
    if (event && isEvent(event)) events.push(event);
    else damaged += 1;
  }
  return { events, damaged };
}

async function readOrNone(reader: Reader, key: KeyOf<typeof pendingEvents>): Promise<PendingEvent | undefined> {
  try {
    return await reader.get(pendingEvents, key);
  } catch (error) {
    if (error instanceof DamagedValue) return undefined;
    throw error;
  }
}

/** Whether blocks can be looked up by what the event says. */
function isEvent({ text }: PendingEvent): boolean {
  try {
    return typeof parseEvent(text).kind === 'string';
  } catch {
    return false;
  }
}

/**
 * Gives up to `limit` events that were committed since their places in the trail, as one block; answers whether there
 * are more. Who seals at the same time is told apart by the head, which both change. @param now ms since the epoch
 */
export async function sealEvents(store: Store, now: number, limit: number): Promise<boolean> {
  const most = Math.min(limit, MOST_OF_A_BLOCK);
  // Outside of the transaction: within it, every change that is recorded meanwhile would make it run again.
  const found = await store.read((reader) => oldestPending(reader, most));
  if (found.length === 0) return false;
  await store.transact((tx) => seal(tx, found, now));
  return found.length === most;
}

/** Gives all that waits its place, for who opened the store alone. @param now ms since the epoch */
export async function sealAll(store: Store, now: () => number): Promise<void> {
  while (await sealEvents(store, now(), MOST_OF_A_BLOCK));
}

/** Seals each second, without keeping the process alive, until the answered function is called, and then once more. */
export function startSealing(store: Store, now: () => number, onFault: (error: unknown) => void): () => Promise<void> {
  let running = Promise.resolve();
  const run = (): Promise<void> => {
    running = running.then(() => sealAll(store, now)).catch(onFault);
    return running;
  };
  const timer = setInterval(() => void run(), SEAL_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return run();
  };
}

async function seal(tx: Transaction, found: readonly PendingEvent[], now: number): Promise<void> {
  const [head, pending] = await allReady([
    headOf(tx),
    tx.getMany(found.map((event) => ({ collection: pendingEvents, key: pendingEvents.key(event) }))),
  ]);
  // Those that somebody else sealed meanwhile are gone.
  const left = pending.filter((event) => event !== undefined);
  if (left.length === 0) return;
  for (const event of left) await tx.delete(pendingEvents, pendingEvents.key(event));
  const block = {
    last: head.last + left.length,
    // Where the clock was set back, the time of the trail stands still until it is there again.
    sealedAt: Math.max(head.sealedAt, now, ...left.map(({ at }) => at)),
    events: left.map(({ text }) => text),
  };
  const hash = hashOf(head.hash, block);
  await tx.insert(blocks, { ...block, hash });
  await tx.put(trailEnds, { name: 'head', last: block.last, sealedAt: block.sealedAt, hash });
}
