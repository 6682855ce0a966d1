import type { AnyCollection } from '../../store/collection.ts';
import type { Key, Store, Transaction } from '../../store/store.ts';
import type { ConvertedPiece, Made } from './convert-piece.ts';
import type { MovedDigests } from './digest-records.ts';
import { MigrateFault } from './fault.ts';
import { type GroupRecord, moveGroups, movePieces, moves, type PieceRecord, type Tally } from './records.ts';
import { proveWritten } from './prove.ts';
import type { Change, LossText, TableGroup } from './table-group.ts';

/** What a batch of pieces is written with. */
export interface WritePlace {
  readonly store: Store;
  readonly run: string;
  readonly group: TableGroup;
  readonly digests: MovedDigests;
}

/** Another record has what only one may have; nothing of the batch was kept. */
class Taken extends Error {
  readonly made: readonly Made[];
  constructor(made: readonly Made[]) {
    super('taken');
    this.made = made;
  }
}

const TAKEN: LossText = {
  reason: 'another one has its email, phone number, id at a provider, or name, which only one may have there',
  remedy: 'find the other in the old core, and change or remove one of them there',
};

/** A record before it was written. */
interface Written extends Change {
  readonly made: Made | undefined;
}

/**
 * Writes pieces with what is noted of them, all or nothing. @returns those of its pieces in whose way others stand,
 * of which nothing was written: perhaps others that come later give way
 */
export async function writePieces(
  place: WritePlace,
  state: GroupRecord,
  pieces: readonly ConvertedPiece[],
  now: BigUint64Array,
): Promise<{ readonly state: GroupRecord; readonly deferred: readonly ConvertedPiece[] }> {
  let left = pieces;
  for (;;) {
    try {
      return { state: await write(place, state, left, now, false), deferred: pieces.filter((piece) => !left.includes(piece)) };
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      const units = new Set(error.made.map(({ unit }) => unit));
      left = left.filter((piece) => !piece.made.some(({ unit }) => units.has(unit)));
    }
  }
}

/** Writes deferred pieces once all others are written; what cannot be is lost. */
export async function writeDeferred(
  place: WritePlace,
  state: GroupRecord,
  pieces: readonly ConvertedPiece[],
  now: BigUint64Array,
): Promise<GroupRecord> {
  for (;;) {
    try {
      return await write(place, state, pieces, now, true);
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      for (const unit of new Set(error.made.map((made) => made.unit))) {
        if (unit.isGuest) unit.leaveAll('in the database of its app too');
        else unit.loseAll(TAKEN);
      }
    }
  }
}

/** @param anew removes all that stood in these pieces first, since they may stand in each other's way */
async function write(
  place: WritePlace,
  state: GroupRecord,
  pieces: readonly ConvertedPiece[],
  now: BigUint64Array,
  anew: boolean,
): Promise<GroupRecord> {
  if (pieces.length === 0) return state;
  const digests = new Map(pieces.map(({ piece }) => [piece, now[piece] ?? 0n]));
  const next = await place.store.transact(async (tx) => {
    await refuseOther(tx, place.run);
    const { storage, group } = state;
    const before = await tx.getMany(pieces.map(({ piece }) => ({ collection: movePieces, key: [storage, group, piece] as const })));
    const made = await replaceAll(tx, place.group, pieces, before, anew);
    const records = pieces.map((piece, at) => pieceRecord(state, piece, made[at] ?? []));
    await Promise.all(records.map((record) => tx.put(movePieces, record)));
    const totals = added(
      added(
        state.totals,
        before.flatMap((record) => record?.tallies ?? []),
        -1,
      ),
      records.flatMap(({ tallies }) => tallies),
      1,
    );
    const changed = { ...state, totals };
    await tx.put(moveGroups, changed);
    await place.digests.put(tx, digests);
    return changed;
  });
  await proveWritten(place.store, place.group, pieces);
  place.digests.note(digests);
  return next;
}

async function refuseOther(tx: Transaction, run: string): Promise<void> {
  const move = await tx.get(moves, ['move']);
  if (move?.run !== run) throw new MigrateFault('Another process has gone on with this move; this one stops');
}

function pieceRecord({ storage, group }: GroupRecord, piece: ConvertedPiece, made: PieceRecord['made']): PieceRecord {
  return { storage, group, piece: piece.piece, made, tallies: piece.tallies, losses: piece.losses, noted: piece.noted };
}

/** Puts what pieces are made of now in the place of what they were made of. @throws Taken */
async function replaceAll(
  tx: Transaction,
  group: TableGroup,
  pieces: readonly ConvertedPiece[],
  before: readonly (PieceRecord | undefined)[],
  anew: boolean,
): Promise<readonly PieceRecord['made'][]> {
  const written: Written[] = [];
  const taken: Made[] = [];
  const wanted = pieces.map(({ made }, at) => made.map((each) => wantedOf(each, at)));
  const names = wanted.map((those) => new Set(those.map(({ name }) => name)));
  const goners = before.flatMap((record, at) => (record?.made ?? []).filter((key) => anew || !names[at]?.has(nameOf(key))));
  await Promise.all(goners.map(async (key) => written.push({ before: await remove(tx, group, key), after: undefined, made: undefined })));
  const own = before.map((record) => new Set(record?.made.map(nameOf)));
  const all = wanted.flat();
  // In one round: the transaction knows them from then on.
  const found = await tx.getMany(all.map(({ made, key }) => ({ collection: made.collection, key })));
  const seen = new Set<string>();
  await Promise.all(
    all.map(async ({ made, name, at }, n) => {
      const last = found[n];
      const isTwice = seen.has(name);
      seen.add(name);
      if (isTwice || (last !== undefined && own[at]?.has(name) !== true)) taken.push(made);
      // Most rows of a piece are as they were.
      else if (last !== undefined && isSame(last, made.record)) return;
      else if ((await tx.put(made.collection, made.record)) !== undefined) taken.push(made);
      else written.push({ before: last, after: made.record, made });
    }),
  );
  if (taken.length > 0) throw new Taken(taken);
  if (group.settle) {
    const stuck = new Set(await group.settle(tx, written));
    const impossible = written.flatMap((each) => (stuck.has(each) && each.made ? [each.made] : []));
    if (impossible.length > 0) throw new Taken(impossible);
  }
  return wanted.map((those) => those.map(({ made, key }): MadeKey => [made.collection.id, ...key]));
}

/** Records that only look different are written again, which changes nothing. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

type MadeKey = readonly [collection: number, ...key: Key];

/** A record that is to be written, with its key, and where its piece stands among the pieces. */
interface WantedRecord {
  readonly made: Made;
  readonly key: Key;
  readonly name: string;
  readonly at: number;
}

function wantedOf(made: Made, at: number): WantedRecord {
  const { collection, record } = made;
  const key = collection.key(record);
  return { made, key, name: nameOf([collection.id, ...key]), at };
}

const nameOf = (key: MadeKey): string => key.join('\u0001');

/** Removes a record; answers it. */
async function remove(tx: Transaction, group: TableGroup, [id, ...key]: MadeKey): Promise<unknown> {
  const collection = group.collections.find((each): each is AnyCollection => each.id === id);
  if (!collection) throw new Error(`group ${group.name} makes no records of collection ${id}`);
  const before = await tx.get(collection, key);
  if (before !== undefined) await tx.delete(collection, key);
  return before;
}

/** Tallies with others added to or, by -1, taken from them. */
export function added(totals: readonly Tally[], tallies: readonly Tally[], sign: 1 | -1): readonly Tally[] {
  const sums = new Map(totals.map((tally) => [tally.slice(0, -1).join('\n'), tally]));
  for (const tally of tallies) {
    const name = tally.slice(0, -1).join('\n');
    const [table, app, tenant, outcome, rows] = tally;
    const sum = (sums.get(name)?.[4] ?? 0) + sign * rows;
    if (sum === 0) sums.delete(name);
    else sums.set(name, [table, app, tenant, outcome, sum]);
  }
  return [...sums.values()];
}
