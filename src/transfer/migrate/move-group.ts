import { randomInt } from 'node:crypto';
import type { ForeignDatabase } from '../../store/foreign-database.ts';
import type { Store } from '../../store/store.ts';
import { type ConvertedPiece, convertPiece } from './convert-piece.ts';
import { MovedDigests } from './digest-records.ts';
import { INTERRUPTED, MigrateFault } from './fault.ts';
import type { Layout } from './layout.ts';
import { type Changed, changedPieces, countPieces } from './changed-pieces.ts';
import { type Ask, countRows, type Digested, digestPieces } from './digest-pieces.ts';
import { type Cut, type Source, sourcesOf } from './cut.ts';
import { type Instant, isSince } from './instant.ts';
import { isSameCount } from './verify.ts';
import { pagesOf } from '../../store/pages.ts';
import { readPieces } from './read-pieces.ts';
import { type GroupRecord, moveDigests, moveGroups, movePieces } from './records.ts';
import type { Places, TableGroup } from './table-group.ts';
import { writeDeferred, writePieces, type WritePlace } from './write-pieces.ts';

/** Rows of a piece: the fewer, the less is read again for one that changed, and the more is noted. */
const ROWS_OF_PIECE = 8;
const MOST_ROWS_OF_PIECE = 1000;
const MOST_PIECES = 2 ** 18;
const MOST_SEED = 2 ** 31;
/** Records that are written in one transaction, or little more. */
const BATCH_RECORDS = 2000;

/** A storage that is open, with where its rows belong. */
export interface OpenStorage {
  readonly label: string;
  readonly database: ForeignDatabase;
  readonly ask: Ask;
  readonly layout: Layout;
  readonly places: Places;
  /** What is seen of it. */
  readonly instant: Instant;
  /** What the records of a group depend on besides its rows. */
  readonly basisOf: (group: TableGroup) => string;
}

/** What a move writes with, and whom it tells. */
export interface Mover {
  readonly store: Store;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly progress: (group: string, pieces: number, of: number) => void;
}

/** What one pass did with a group of tables. */
export interface GroupPass {
  /** As it left it. */
  readonly state: GroupRecord;
  /** Pieces that were read. */
  readonly read: number;
  readonly counts: Digested['counts'];
}

/** What the server says of a group before any of its rows is read: how all are, or what was written since. */
export type Measured =
  | { readonly known: GroupRecord | undefined; readonly cut: Cut; readonly digested: Digested }
  | { readonly known: GroupRecord; readonly changed: Changed };

/**
 * Has the server say what the rows of a group are like.
 * @param trusting whether rows may tell what was written since
 */
export async function measureGroup(store: Store, storage: OpenStorage, group: TableGroup, trusting: boolean): Promise<Measured> {
  const { label, ask, layout, instant, basisOf } = storage;
  const known = await store.read((reader) => reader.get(moveGroups, [label, group.name]));
  if (!known) return { known, ...(await firstCut(storage, group)) };
  const { seen } = known;
  if (trusting && seen && isSince(seen, instant) && known.basis === basisOf(group))
    return { known, changed: await changedPieces(ask, layout, group.parts, { cut: known, seen }) };
  return { known, cut: known, digested: await digestPieces(ask, layout, group.parts, known) };
}

/** Ids are spread evenly, unless somebody made them up. */
async function firstCut({ ask, layout }: OpenStorage, { parts }: TableGroup): Promise<{ readonly cut: Cut; readonly digested: Digested }> {
  const pieces = piecesFor(await countRows(ask, layout, parts));
  const byId = { pieces, byId: true, seed: randomInt(MOST_SEED) };
  const digested = await digestPieces(ask, layout, parts, byId);
  if (digested.most <= MOST_ROWS_OF_PIECE) return { cut: byId, digested };
  const byHash = { ...byId, byId: false };
  return { cut: byHash, digested: await digestPieces(ask, layout, parts, byHash) };
}

/** Brings the records of a group in line with its rows: reads those that have changed since they were moved. */
export function moveGroup(mover: Mover, storage: OpenStorage, group: TableGroup, measured: Measured): Promise<GroupPass> {
  return 'changed' in measured
    ? moveChanged(mover, storage, group, measured.known, measured.changed)
    : moveDiffering(mover, storage, group, measured);
}

/** Reads pieces of which the digest is another one. */
async function moveDiffering(
  mover: Mover,
  storage: OpenStorage,
  group: TableGroup,
  { known, cut, digested }: Extract<Measured, { cut: Cut }>,
): Promise<GroupPass> {
  const { store } = mover;
  const { label, basisOf } = storage;
  const [basis, { pieces, byId, seed }, { isApart, counts }] = [basisOf(group), cut, digested];
  const begun = { storage: label, group: group.name, pieces, byId, seed, basis, totals: known?.totals ?? [], isApart, seen: undefined };
  const digests = new MovedDigests({ storage: label, group: group.name }, pieces);
  if (known?.basis === basis) await digests.read(store);
  else await forgetDigests(store, begun);
  const wanted = await wantedPieces(store, begun, digests, digested.digests);
  const place: WritePlace = { store, run: mover.run, group, digests };
  const state = await movePiecesOf(mover, storage, place, begun, { now: digested.digests, wanted, counts });
  return { state, read: wanted.length, counts };
}

/**
 * Reads pieces with rows that were written since, and then those that have fewer rows than were moved: in all others no
 * row was added or changed, so that with as many rows they are the same ones.
 */
async function moveChanged(
  mover: Mover,
  storage: OpenStorage,
  group: TableGroup,
  known: GroupRecord,
  { pieces, counts, isApart }: Changed,
): Promise<GroupPass> {
  const { store, run } = mover;
  const begun = { ...known, isApart: known.isApart || isApart };
  const digests = new MovedDigests({ storage: storage.label, group: group.name }, known.pieces);
  await digests.read(store);
  const place: WritePlace = { store, run, group, digests };
  // They have no digest until a pass makes digests again.
  const now = new BigUint64Array(known.pieces);
  const lost = await lostPieces(store, begun);
  const wanted = Int32Array.from(new Set([...pieces, ...lost])).toSorted();
  let state = await movePiecesOf(mover, storage, place, begun, { now, wanted, counts });
  let read = wanted.length;
  for (const source of sourcesOf(storage.layout, group.parts)) {
    if (isSameCount(state.totals, source.part.table, counts.get(source.part.table))) continue;
    const fewer = await piecesWithFewer(store, storage, state, source);
    state = await movePiecesOf(mover, storage, place, state, { now, wanted: fewer, counts });
    read += fewer.length;
  }
  return { state, read, counts };
}

async function piecesWithFewer(store: Store, { ask, layout }: OpenStorage, state: GroupRecord, source: Source): Promise<Int32Array> {
  const [there, moved] = await Promise.all([countPieces(ask, layout, source, state), movedRows(store, state, source.part.table)]);
  return Int32Array.from([...moved].flatMap(([piece, rows]) => (there.get(piece) === rows ? [] : [piece]))).toSorted();
}

/** Rows of each piece as they were read, of one table. */
async function movedRows(store: Store, { storage, group }: GroupRecord, table: string): Promise<ReadonlyMap<number, number>> {
  const rows = new Map<number, number>();
  const pages = pagesOf((page) => store.read((reader) => reader.page(movePieces, undefined, { prefix: [storage, group], ...page })));
  for await (const page of pages)
    for (const { piece, tallies } of page)
      for (const [of, , , , number] of tallies) if (of === table) rows.set(piece, (rows.get(piece) ?? 0) + number);
  return rows;
}

/** Everything is read anew; what was made before is known, and goes where it is not made again. */
async function forgetDigests(store: Store, state: GroupRecord): Promise<void> {
  await store.transact(async (tx) => {
    const { storage, group } = state;
    const keys = await tx.keys(moveDigests, undefined, { prefix: [storage, group], limit: MOST_PIECES });
    for (const key of keys) await tx.delete(moveDigests, key);
    await tx.put(moveGroups, state);
  });
}

function piecesFor(rows: number): number {
  let pieces = 1;
  while (pieces * ROWS_OF_PIECE < rows && pieces < MOST_PIECES) pieces *= 2;
  return pieces;
}

/**
 * Pieces with other rows than were moved, and those with losses, to which others may have given way. After the digests
 * were forgotten, pieces without a row now may have had some.
 */
async function wantedPieces(store: Store, state: GroupRecord, digests: MovedDigests, now: BigUint64Array): Promise<Int32Array> {
  const others = digests.areForgotten ? await knownPieces(store, state, undefined) : await lostPieces(store, state);
  return Int32Array.from(new Set([...digests.changed(now), ...others])).toSorted();
}

async function lostPieces(store: Store, state: GroupRecord): Promise<readonly number[]> {
  return state.totals.some(([, , , outcome]) => outcome === 'lost') ? knownPieces(store, state, 'withLosses') : [];
}

async function knownPieces(store: Store, { storage, group }: GroupRecord, index: 'withLosses' | undefined): Promise<readonly number[]> {
  const keys = await store.read((reader) => reader.keys(movePieces, index, { prefix: [storage, group], limit: MOST_PIECES }));
  return keys.map(([, , piece]) => piece);
}

interface Wanted {
  /** Digests of all pieces, as they are. */
  readonly now: BigUint64Array;
  readonly wanted: Int32Array;
  readonly counts: Digested['counts'];
}

async function movePiecesOf(
  { signal, progress }: Mover,
  { database, layout, places }: OpenStorage,
  place: WritePlace,
  begun: GroupRecord,
  { now, wanted, counts }: Wanted,
): Promise<GroupRecord> {
  if (wanted.length === 0) return begun;
  const { group } = place;
  let writing: Promise<GroupRecord> = Promise.resolve(begun);
  const deferred: ConvertedPiece[] = [];
  const write = async (batch: readonly ConvertedPiece[]): Promise<void> => {
    const before = await writing;
    writing = writePieces(place, before, batch, now).then((written) => {
      deferred.push(...written.deferred);
      return written.state;
    });
    // Awaited with the next batch, which is made meanwhile.
    writing.catch(() => {});
  };
  let batch: ConvertedPiece[] = [];
  let records = 0;
  let read = 0;
  const all = wanted.length > now.length / 4;
  for await (const piece of readPieces(database, layout, group.parts, {
    cut: begun,
    wanted,
    all,
    counts: begun.isApart ? undefined : counts,
  })) {
    if (signal.aborted) throw new MigrateFault(INTERRUPTED);
    const converted = convertPiece(group, piece, places, layout.isRaw);
    batch.push(converted);
    records += converted.made.length + 1;
    read += 1;
    if (records < BATCH_RECORDS) continue;
    await write(batch);
    progress(group.name, read, wanted.length);
    [batch, records] = [[], 0];
  }
  await write(batch);
  let last = await writing;
  for (let at = 0; at < deferred.length; at += BATCH_RECORDS)
    last = await writeDeferred(place, last, deferred.slice(at, at + BATCH_RECORDS), now);
  return last;
}
