import { randomBytes } from 'node:crypto';
import type { CommitRequest, SeenKey, SeenRange } from '../engine.ts';
import { compareBytes, keyText } from '../keys.ts';
import { guardOfRange, guardsOfKey } from './guards.ts';
import type { Statement, Statements } from './statements.ts';

const MARKER_RANDOM_BYTES = 10;
const TIME_BYTES = 6;

/** The marker of a commit: its time, so that old ones are found together, then chance. @param now ms */
export function newMarker(now: number): Buffer {
  const marker = Buffer.alloc(TIME_BYTES + MARKER_RANDOM_BYTES);
  marker.writeUIntBE(Math.floor(now), 0, TIME_BYTES);
  randomBytes(MARKER_RANDOM_BYTES).copy(marker, TIME_BYTES);
  return marker;
}

/** A marker that no commit has, later than all of them: one lone run holds it at a time. */
export const TURN: Buffer = Buffer.alloc(TIME_BYTES + MARKER_RANDOM_BYTES, 0xff);

/** What becomes of one key. `seen` is what was read there, `next` what is written; both may be nothing. */
export interface Step {
  readonly kind: 'same' | 'change' | 'remove' | 'add' | 'claim' | 'set' | 'drop';
  readonly key: Buffer;
  readonly seen: Buffer | undefined;
  readonly next: Buffer | undefined;
}

/** What was read there, and whether anything was. */
const KINDS = {
  read: { value: { write: 'change', delete: 'remove', leave: 'same' }, nothing: { write: 'add', delete: 'claim', leave: 'claim' } },
  unread: { write: 'set', delete: 'drop' },
} as const;

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** All that is read or written, in the order of keys: two commits then wait for each other in one direction only. */
export function stepsOf({ keys, writes }: Pick<CommitRequest, 'keys' | 'writes'>): readonly Step[] {
  const steps = new Map<string, Step>();
  for (const one of keys) steps.set(keyText(one.key), readStep(one));
  for (const { key, value } of writes) {
    const name = keyText(key);
    const read = steps.get(name);
    const deed = value === undefined ? 'delete' : 'write';
    const kind = read ? KINDS.read[read.seen ? 'value' : 'nothing'][deed] : KINDS.unread[deed];
    steps.set(name, { kind, key: buffer(key), seen: read?.seen, next: value && buffer(value) });
  }
  return [...steps.values()].toSorted((a, b) => compareBytes(a.key, b.key));
}

function readStep({ key, value }: SeenKey): Step {
  return { kind: KINDS.read[value ? 'value' : 'nothing'].leave, key: buffer(key), seen: value && buffer(value), next: undefined };
}

/** Neighbours of one kind, which one statement does. */
function runsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last?.[0]?.kind === step.kind) last.push(step);
    else runs.push([step]);
  }
  return runs;
}

const keysOf = (run: readonly Step[]): Buffer[] => run.map(({ key }) => key);
const EMPTY = Buffer.alloc(0);
const seenOf = (run: readonly Step[]): Buffer[] => run.map(({ seen }) => seen ?? EMPTY);
const nextOf = (run: readonly Step[]): Buffer[] => run.map(({ next }) => next ?? EMPTY);

/** How each kind is done. A key that must stay absent is taken by a placeholder until the end. */
const STATEMENT_OF: { readonly [K in Step['kind']]: (all: Statements, run: readonly Step[]) => Statement } = {
  same: (all, run) => ({ text: all.isSame, values: [keysOf(run), seenOf(run), run.length] }),
  change: (all, run) => ({ text: all.change, values: [keysOf(run), seenOf(run), nextOf(run), run.length] }),
  remove: (all, run) => ({ text: all.remove, values: [keysOf(run), seenOf(run), run.length] }),
  add: (all, run) => ({ text: all.add, values: [keysOf(run), nextOf(run)] }),
  claim: (all, run) => ({ text: all.add, values: [keysOf(run), nextOf(run)] }),
  set: (all, run) => ({ text: all.set, values: [keysOf(run), nextOf(run)] }),
  drop: (all, run) => ({ text: all.drop, values: [keysOf(run)] }),
};

const ADDING: ReadonlySet<Step['kind']> = new Set(['add', 'set']);

/**
 * What a commit does between BEGIN and its marker, to be sent in one write: it locks the guards and then every key in
 * order, and fails where one is not as it was read. What it has locked stays until its end, so that reads of two
 * commits cannot both be of the other's past. @param hasTableLocks see `Statements.lockAll`
 */
export function commitStatements(
  all: Statements,
  steps: readonly Step[],
  ranges: readonly SeenRange[],
  hasTableLocks: boolean,
): readonly Statement[] {
  const claimed = steps.filter(({ kind }) => kind === 'claim');
  return [
    ...guardStatements(all, ranges, steps, hasTableLocks),
    // Before any write of its own, which would be found in them.
    ...ranges.map((range) => rangeStatement(all, range)),
    ...runsOf(steps).map((run) => STATEMENT_OF[run[0]?.kind ?? 'same'](all, run)),
    ...(claimed.length > 0 ? [{ text: all.drop, values: [keysOf(claimed)] }] : []),
  ];
}

/**
 * A commit that only changes one value which it has read, as many do, in one statement with its marker; nothing for
 * others. (The rows of one statement are not locked in the order of keys, so it has to be one row.)
 */
export function soleStatement(all: Statements, steps: readonly Step[], marker: Buffer): Statement | undefined {
  if (steps.length !== 1 || steps[0]?.kind !== 'change') return undefined;
  return { text: all.changeAndMark, values: [keysOf(steps), seenOf(steps), nextOf(steps), steps.length, marker] };
}

function guardStatements(
  all: Statements,
  ranges: readonly SeenRange[],
  steps: readonly Step[],
  hasTableLocks: boolean,
): readonly Statement[] {
  const held = new Set(ranges.map(({ range }) => guardOfRange(range)));
  const shared = new Set(steps.filter(({ kind }) => ADDING.has(kind)).flatMap(({ key }) => guardsOfKey(key)));
  if (held.has('all') && hasTableLocks) return [{ text: all.lockAll, values: [] }];
  const alone = [...held].filter((guard) => guard !== 'all');
  const others = [...shared].filter((guard) => !held.has(guard));
  return [
    ...(alone.length > 0 ? [{ text: all.lock, values: [alone] }] : []),
    ...(others.length > 0 ? [{ text: all.share, values: [others] }] : []),
  ];
}

function rangeStatement(all: Statements, { range, entries }: SeenRange): Statement {
  const { start, end, limit, reverse } = range;
  return {
    text: all.isRange(reverse),
    values: [buffer(start), buffer(end), limit, entries.map(({ key }) => buffer(key)), entries.map(({ value }) => buffer(value))],
  };
}
