import { setImmediate as nextTurn } from 'node:timers/promises';
import { DamagedValue } from '../../store/checksum.ts';
import { allReady } from '../../store/maybe-promise.ts';
import type { Reader, Store } from '../../store/store.ts';
import { type Block, blocks, parseEvent, type TrailEnd } from './records.ts';
import { anchorOf, hashOf, headOf, oldestPending, waitingEvents } from './seal.ts';

/** A place between two blocks: the number of the last event before it, and the hash of everything up to there. */
export interface Place {
  readonly number: number;
  readonly hash: string;
}

/**
 * What is wrong. `missing`: events are not there; `changed`: a block is not what was sealed; `unreadable`: its bytes
 * are damaged; `end`: the trail does not end where the job that seals left it; `anchor`: the oldest part was removed,
 * and not by the job that trims.
 */
export type TrailFault = 'missing' | 'changed' | 'unreadable' | 'end' | 'anchor';

/** The first thing that does not fit. */
export interface Finding {
  readonly fault: TrailFault;
  /** Numbers of the events concerned. */
  readonly first: number;
  readonly last: number;
}

/** A piece of the trail, looked through from its beginning. */
export interface VerifiedPiece {
  readonly from: Place;
  /** The next piece begins here. */
  readonly to: Place;
  /** Whether this was the last piece, up to the head. */
  readonly isWhole: boolean;
  readonly finding: Finding | undefined;
}

/** Blocks that are hashed between two turns of the event loop: about three milliseconds. */
const AT_ONCE = 10;
/** Blocks in one piece. */
const MOST_BLOCKS = 500;
/** Where the newest event about an anchor is: a run of the job that trims leaves a few. */
const BLOCKS_WITH_ANCHORS = 5;
/** Pending events that are looked at. */
const MOST_PENDING = 1000;

const placeOf = ({ last, hash }: Pick<TrailEnd, 'last' | 'hash'>): Place => ({ number: last, hash });

/** Looks whether every event of the next piece is there, as it was sealed. @param from left out: the anchor */
export async function verifyPiece(store: Store, from?: Place): Promise<VerifiedPiece> {
  const anchor = placeOf(await store.read(anchorOf));
  let at = from ?? anchor;
  const begun = at;
  const found = (fault: TrailFault, first: number, last: number): VerifiedPiece => ({
    from: begun,
    to: at,
    isWhole: true,
    finding: { fault, first, last },
  });
  if (from === undefined && !(await store.read((reader) => isAnchorTold(reader, anchor)))) return found('anchor', 1, anchor.number);
  for (let looked = 0; looked < MOST_BLOCKS; looked += AT_ONCE) {
    if (looked > 0) await nextTurn();
    const place = at.number;
    const { oldest, head, names, read } = await store.read((reader) => readPage(reader, place));
    // Trimmed meanwhile: what is left begins at the new anchor.
    if (oldest.number > at.number) at = oldest;
    for (const [index, name] of names.entries()) {
      if (name <= at.number) continue;
      const block = read[index];
      if (!block) return found('unreadable', at.number + 1, name);
      const first = block.last - block.events.length + 1;
      if (first > at.number + 1) return found('missing', at.number + 1, first - 1);
      if (first <= at.number || hashOf(at.hash, block) !== block.hash) return found('changed', first, block.last);
      at = placeOf(block);
    }
    if (names.length === AT_ONCE) continue;
    if (head.number === at.number && head.hash === at.hash) return { from: begun, to: at, isWhole: true, finding: undefined };
    return found('end', Math.min(at.number, head.number) + 1, Math.max(at.number, head.number));
  }
  return { from: begun, to: at, isWhole: false, finding: undefined };
}

interface PageOfBlocks {
  readonly oldest: Place;
  readonly head: Place;
  readonly names: readonly number[];
  /** In the order of the names; undefined for those that cannot be read. */
  readonly read: readonly (Block | undefined)[];
}

/** The blocks behind a place, with both ends of the trail as they are then. */
async function readPage(reader: Reader, place: number): Promise<PageOfBlocks> {
  const [oldest, head, keys] = await allReady([
    anchorOf(reader),
    headOf(reader),
    reader.keys(blocks, undefined, { prefix: [], from: [place + 1], limit: AT_ONCE }),
  ]);
  const names = keys.map(([name]) => name);
  return { oldest: placeOf(oldest), head: placeOf(head), names, read: await readAll(reader, names) };
}

async function readAll(reader: Reader, names: readonly number[]): Promise<readonly (Block | undefined)[]> {
  try {
    return await reader.getMany(names.map((name) => ({ collection: blocks, key: [name] as const })));
  } catch (error) {
    if (!(error instanceof DamagedValue)) throw error;
    if (names.length === 1) return [undefined];
    return (await Promise.all(names.map((name) => readAll(reader, [name])))).flat();
  }
}

/** Whether an event, sealed or not, tells of an anchor: one that somebody made to hide what he removed has none. */
async function isAnchorTold(reader: Reader, anchor: Place): Promise<boolean> {
  if (anchor.number === 0) return true;
  const [sealed, pending] = await allReady([
    reader.list(blocks, 'bySubject', { prefix: ['', 'public', 'kind audit.trimmed'], limit: BLOCKS_WITH_ANCHORS, reverse: true }),
    oldestPending(reader, MOST_PENDING),
  ]);
  const texts = [...sealed.flatMap(({ events }) => events), ...pending.map(({ text }) => text)];
  return texts
    .map(parseEvent)
    .some(({ kind, details }) => kind === 'audit.trimmed' && details?.['upTo'] === anchor.number && details['hash'] === anchor.hash);
}

/** Whether the trail goes through a place that somebody kept elsewhere; `trimmed`: it begins behind it by now. */
export async function goesThrough(reader: Reader, { number, hash }: Place): Promise<'yes' | 'no' | 'trimmed'> {
  const [block, anchor] = await allReady([reader.get(blocks, [number]), anchorOf(reader)]);
  const known = block?.hash ?? (anchor.last === number ? anchor.hash : undefined);
  if (known !== undefined) return known === hash ? 'yes' : 'no';
  return number < anchor.last ? 'trimmed' : 'no';
}

/** What waits for its place. */
export interface Tail {
  /** At most a thousand are counted. */
  readonly count: number;
  /** ms since the epoch, of the oldest; undefined where none waits. */
  readonly since: number | undefined;
  /** Those that cannot be read, and will have no place. */
  readonly damaged: number;
}

/** The events that were committed and have no place in the trail yet: nothing proves those. */
export async function unsealedTail(reader: Reader): Promise<Tail> {
  const { events, damaged } = await waitingEvents(reader, MOST_PENDING);
  return { count: events.length, since: events[0]?.at, damaged };
}
