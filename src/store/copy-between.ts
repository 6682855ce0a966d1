import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inSnapshot } from './check-store.ts';
import type { AnyCollection } from './collection.ts';
import { UnfitStore } from './copy.ts';
import { type CopyMark, markBytes, markIn } from './copy-mark.ts';
import type { CommitRequest, Engine, Entry } from './engine.ts';
import { firstAfter, sameBytes } from './keys.ts';
import { checkLayout, LAYOUT_KEY, storedLayout } from './layout-version.ts';

/*
 * A whole store moved as bytes, in the order of keys. Each piece is written together with a mark that says where the
 * next one begins, so that a copy that was ended at any moment goes on there. The mark stands in place of the layout:
 * no core opens the target before everything was read again on both sides and found to be the same.
 */

/** So much is read and written at once. */
const PIECE_ENTRIES = 2_000;
const PIECE_BYTES = 2 * 1024 * 1024;
const FIRST_KEY = Uint8Array.of(0);
const AFTER_LAST_KEY = Uint8Array.of(0xff, 0xff);
/** What a piece of the comparison has in common: the number of the collection. */
const COLLECTION_BYTES = 2;
const MOST_DIFFERENCES = 5;
const MOST_TRIES = 10;

/** One side of a copy: a store that no core uses meanwhile. */
export interface HeldStore {
  readonly engine: Engine;
  /** Of folder, or host, database and schema: for messages, and to know it again. Holds no secret. */
  readonly name: string;
  /** A text that orders higher after each commit. @throws Error where others may have written since it is held */
  state(): Promise<string>;
  close(): Promise<void>;
}

/** Who is told how far a copy is, and may end it. */
export interface CopyWatch {
  readonly progress: (stage: 'copied' | 'compared', done: number, total: number) => void;
  readonly signal: AbortSignal;
  /** Whose names are told where the sides differ. */
  readonly collections: readonly AnyCollection[];
}

/** What was copied. */
export interface CopyAccount {
  /** Records and index entries. */
  readonly entries: number;
  /** SHA-256 over all keys and values, in hex: the same on both sides. */
  readonly sha256: string;
  /** Entries that were there before, from a copy that was interrupted. */
  readonly resumedAt: number;
}

/**
 * Copies all of a store into an empty one, or goes on with that, and compares both sides.
 * @throws UnfitStore where one side cannot be used, was written meanwhile, or they differ
 */
export async function copyBetween(from: HeldStore, to: HeldStore, watch: CopyWatch): Promise<CopyAccount> {
  const layout = await checkLayout(from.engine);
  if (!layout) throw new UnfitStore(`There is no store in ${from.name}`);
  const begun = await beginOrResume(from, to);
  const total = await countAll(from.engine);
  const copied = await copyEntries({ from, to, watch, total }, begun);
  const account = await compare(from, to, watch, total);
  await requireStill(from, copied);
  await write(to, copied, [], layout);
  return { ...account, resumedAt: begun.copied };
}

async function countAll(engine: Engine): Promise<number> {
  return inSnapshot(engine, async (snapshot) => snapshot.count({ start: FIRST_KEY, end: AFTER_LAST_KEY }));
}

async function beginOrResume(from: HeldStore, to: HeldStore): Promise<CopyMark> {
  // In this order: another copy that begins between the two is found by its mark.
  const [found] = await readPiece(to.engine, FIRST_KEY);
  const stored = await storedLayout(to.engine);
  if (stored) {
    const mark = markIn(stored);
    if (!mark) throw new UnfitStore(`${to.name} is not empty: it holds a store`);
    if (mark.source !== from.name)
      throw new UnfitStore(`${to.name} holds an unfinished copy of ${mark.source}: finish that one, or empty it first`);
    await requireStill(from, mark);
    return mark;
  }
  if (found) throw new UnfitStore(`${to.name} is not empty`);
  const mark: CopyMark = { source: from.name, state: await from.state(), next: Buffer.from(FIRST_KEY).toString('hex'), copied: 0 };
  await write(to, undefined, [], markBytes(mark));
  return mark;
}

async function requireStill(from: HeldStore, { state }: CopyMark): Promise<void> {
  if ((await from.state()) > state)
    throw new UnfitStore(`${from.name} was written since its copy was begun: stop what uses it, empty the target, and begin anew`);
}

/** What a copy works with. */
interface Work {
  readonly from: HeldStore;
  readonly to: HeldStore;
  readonly watch: CopyWatch;
  readonly total: number;
}

/** Copies what is missing; answers the mark that the target then has. */
async function copyEntries({ from, to, watch, total }: Work, begun: CopyMark): Promise<CopyMark> {
  let mark = begun;
  let reading = readPiece(from.engine, Buffer.from(mark.next, 'hex'));
  for (;;) {
    const piece = await reading;
    const last = piece.at(-1);
    if (!last) return mark;
    const next = firstAfter(last.key);
    // While this piece is written; what goes wrong is told in its turn.
    reading = readPiece(from.engine, next);
    reading.catch(() => {});
    const entries = piece.filter(({ key }) => !sameBytes(key, LAYOUT_KEY));
    const written: CopyMark = { ...mark, next: Buffer.from(next).toString('hex'), copied: mark.copied + piece.length };
    await write(to, mark, entries, markBytes(written));
    mark = written;
    watch.progress('copied', mark.copied, total);
    watch.signal.throwIfAborted();
  }
}

/** Keys and values from a key on; nothing at the end. */
function readPiece(engine: Engine, start: Uint8Array): Promise<readonly Entry[]> {
  const range = { start, end: AFTER_LAST_KEY, limit: PIECE_ENTRIES, mostBytes: PIECE_BYTES, reverse: false };
  return inSnapshot(engine, async (snapshot) => snapshot.range(range));
}

/** Writes entries, and what then stands for the layout, where the mark is still as it was. @throws UnfitStore */
async function write(
  { engine, name }: HeldStore,
  mark: CopyMark | undefined,
  entries: readonly Entry[],
  layout: Uint8Array,
): Promise<void> {
  const before = mark && markBytes(mark);
  const request = { keys: [{ key: LAYOUT_KEY, value: before }], ranges: [], writes: [{ key: LAYOUT_KEY, value: layout }, ...entries] };
  for (let tries = 1; !(await kept(engine, name, request)); tries += 1) {
    // A database may give up a transaction although nobody else writes.
    if (tries === MOST_TRIES || !sameBytes(await storedLayout(engine), before))
      throw new UnfitStore(`Somebody else writes to ${name}, perhaps a second copy`);
  }
}

async function kept(engine: Engine, name: string, request: CommitRequest): Promise<boolean> {
  try {
    return await engine.commit(request);
  } catch (error) {
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    throw new UnfitStore(`${name} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause: error });
  }
}

/** Entries of a collection on one side. */
interface Piece {
  entries: number;
  readonly hash: Hash;
}

async function compare(from: HeldStore, to: HeldStore, watch: CopyWatch, total: number): Promise<Omit<CopyAccount, 'resumedAt'>> {
  const told = (done: number): void => watch.progress('compared', done, total);
  const [there, here] = await Promise.all([digestAll(from.engine, watch.signal, told), digestAll(to.engine, watch.signal, () => {})]);
  const numbers = [...new Set([...there.keys(), ...here.keys()])].toSorted((a, b) => a - b);
  const [wanted, found] = [sumUp(there), sumUp(here)];
  if (wanted.sha256 === found.sha256) return wanted;
  const differences = numbers.flatMap((number) => difference(nameOf(number, watch), there.get(number), here.get(number)));
  throw new UnfitStore(
    `${to.name} differs from ${from.name}, and no core will use it: ${differences.slice(0, MOST_DIFFERENCES).join('; ')}. Empty it and begin anew`,
  );
}

const nameOf = (number: number, { collections }: CopyWatch): string =>
  collections.find(({ id }) => id === number)?.name ?? `collection ${number}`;

async function digestAll(engine: Engine, signal: AbortSignal, told: (done: number) => void): Promise<ReadonlyMap<number, Piece>> {
  const pieces = new Map<number, Piece>();
  let done = 0;
  for (let next: Uint8Array | undefined = FIRST_KEY; next; ) {
    const entries = await readPiece(engine, next);
    for (const entry of entries) if (!sameBytes(entry.key, LAYOUT_KEY)) digest(pieces, entry);
    const last = entries.at(-1);
    next = last && firstAfter(last.key);
    done += entries.length;
    told(done);
    await nextTurn();
    signal.throwIfAborted();
  }
  return pieces;
}

function digest(pieces: Map<number, Piece>, { key, value }: Entry): void {
  const [high = 0, low = 0] = key.subarray(0, COLLECTION_BYTES);
  const number = (high << 8) | low;
  const piece = pieces.get(number) ?? { entries: 0, hash: createHash('sha256') };
  pieces.set(number, piece);
  const lengths = Buffer.allocUnsafe(8);
  lengths.writeUInt32BE(key.length, 0);
  lengths.writeUInt32BE(value.length, 4);
  piece.hash.update(lengths).update(key).update(value);
  piece.entries += 1;
}

const hexOf = (piece: Piece | undefined): string | undefined => piece?.hash.copy().digest('hex');

/** In the order in which they were found, which is that of keys. */
function sumUp(pieces: ReadonlyMap<number, Piece>): Omit<CopyAccount, 'resumedAt'> {
  const hash = createHash('sha256');
  let entries = 0;
  for (const [number, piece] of pieces) {
    hash.update(`${number} ${piece.entries} ${hexOf(piece)}\n`);
    entries += piece.entries;
  }
  return { entries, sha256: hash.digest('hex') };
}

function difference(name: string, there: Piece | undefined, here: Piece | undefined): readonly string[] {
  const [wanted, found] = [there?.entries ?? 0, here?.entries ?? 0];
  if (wanted !== found) return [`${name} has ${found} entries instead of ${wanted}`];
  return hexOf(there) === hexOf(here) ? [] : [`${name} has ${found} entries, some with other bytes`];
}
