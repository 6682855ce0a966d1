import { randomInt } from 'node:crypto';
import type { ForeignDatabase } from '../../store/foreign-database.ts';
import type { Store } from '../../store/store.ts';
import { type ConvertedPiece, convertPiece } from './convert-piece.ts';
import { MovedDigests } from './digest-records.ts';
import { INTERRUPTED, MigrateFault } from './fault.ts';
import type { Layout } from './layout.ts';
import { type Ask, countRows, type Digested, digestPieces } from './digest-pieces.ts';
import type { Cut } from './cut.ts';
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
  readonly group: string;
  /** Pieces that were read. */
  readonly read: number;
  readonly cut: Cut;
  /** Digests of all pieces, as they were moved. */
  readonly digests: BigUint64Array;
  readonly counts: Digested['counts'];
}

/** What is known of a group before any of its rows is read. */
export interface Measured {
  /** As the last pass left it. */
  readonly known: GroupRecord | undefined;
  readonly cut: Cut;
  readonly digested: Digested;
}

/** Has the server say what the rows of a group are like. */
export async function measureGroup(store: Store, storage: OpenStorage, group: TableGroup): Promise<Measured> {
  const { label, ask, layout } = storage;
  const known = await store.read((reader) => reader.get(moveGroups, [label, group.name]));
  if (!known) return { known, ...(await firstCut(storage, group)) };
  return { known, cut: known, digested: await digestPieces(ask, layout, group.parts, known) };
}

/** Ids are spread evenly, unless somebody made them up. */
async function firstCut({ ask, layout }: OpenStorage, { parts }: TableGroup): Promise<Pick<Measured, 'cut' | 'digested'>> {
  const pieces = piecesFor(await countRows(ask, layout, parts));
  const byId = { pieces, byId: true, seed: randomInt(MOST_SEED) };
  const digested = await digestPieces(ask, layout, parts, byId);
  if (digested.most <= MOST_ROWS_OF_PIECE) return { cut: byId, digested };
  const byHash = { ...byId, byId: false };
  return { cut: byHash, digested: await digestPieces(ask, layout, parts, byHash) };
}

/** Brings the records of a group in line with its rows: reads those that have changed since they were moved. */
export async function moveGroup(mover: Mover, storage: OpenStorage, group: TableGroup, measured: Measured): Promise<GroupPass> {
  const { store } = mover;
  const { cut, digested } = measured;
  const { state, digests } = await beginGroup(store, storage, group, measured);
  const wanted = await wantedPieces(store, state, digests, digested.digests);
  if (wanted.length > 0) {
    const place: WritePlace = { store, run: mover.run, group, digests };
    await movePiecesOf(mover, storage, place, state, digested.digests, wanted);
  }
  return { group: group.name, cut, read: wanted.length, ...digested };
}

interface Begun {
  readonly state: GroupRecord;
  /** Of rows as they were moved. */
  readonly digests: MovedDigests;
}

async function beginGroup(store: Store, { label, basisOf }: OpenStorage, group: TableGroup, { known, cut }: Measured): Promise<Begun> {
  const basis = basisOf(group);
  const { pieces, byId, seed } = cut;
  const state = { storage: label, group: group.name, pieces, byId, seed, basis, totals: known?.totals ?? [] };
  const digests = new MovedDigests({ storage: label, group: group.name }, pieces);
  if (known?.basis === basis) await digests.read(store);
  else await forgetDigests(store, state);
  return { state, digests };
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
  const { storage, group, totals } = state;
  const changed = digests.changed(now);
  const hasLosses = totals.some(([, , , outcome]) => outcome === 'lost');
  const index = digests.areForgotten ? undefined : 'withLosses';
  if (index !== undefined && !hasLosses) return changed;
  const others = await store.read((reader) => reader.keys(movePieces, index, { prefix: [storage, group], limit: MOST_PIECES }));
  return Int32Array.from(new Set([...changed, ...others.map(([, , piece]) => piece)])).toSorted();
}

async function movePiecesOf(
  { signal, progress }: Mover,
  { database, layout, places }: OpenStorage,
  place: WritePlace,
  begun: GroupRecord,
  now: BigUint64Array,
  wanted: Int32Array,
): Promise<void> {
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
  for await (const piece of readPieces(database, layout, group.parts, { cut: begun, wanted, all })) {
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
  const state = await writing;
  for (let at = 0, last = state; at < deferred.length; at += BATCH_RECORDS)
    last = await writeDeferred(place, last, deferred.slice(at, at + BATCH_RECORDS), now);
}
