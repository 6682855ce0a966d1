import { defineCollection } from '../../store/collection.ts';
import type { Key } from '../../store/store.ts';

/*
 * What a store keeps of a move that is under way, in the same transactions as the records that are moved: so a move
 * that was killed goes on exactly where it stopped. All of it goes when the move is finished.
 */

/** The move itself. While there is one, no core starts on the store. */
export interface MoveRecord {
  readonly name: 'move';
  /** Of the old core's base storage, without secrets. */
  readonly source: string;
  /** A random id of the process that works on it; another one takes over by writing its own. */
  readonly run: string;
  /** What its first pass found out about the old databases (`sourceRemarks`); undefined until that has ended. */
  readonly remarks: readonly string[] | undefined;
}

export const moves = defineCollection({
  id: 90,
  name: 'moves',
  scope: 'core',
  format: 1,
  fields: { name: 1, source: 2, run: 3, remarks: 4 },
  key: (m: MoveRecord) => [m.name],
});

/** How many rows of a table came to which end: the table, app, tenant, outcome and number. */
export type Tally = readonly [table: string, app: string, tenant: string, outcome: string, rows: number];

/** How far a group of tables of a storage is. */
export interface GroupRecord {
  readonly storage: string;
  readonly group: string;
  /** How many pieces it is cut into, and whether by the digits of ids (`Cut`). */
  readonly pieces: number;
  readonly byId: boolean;
  readonly seed: number;
  /** What pieces depend on besides their rows: with another one, all are moved anew. */
  readonly basis: string;
  readonly totals: readonly Tally[];
  /** Whether there are rows to which no index leads by their piece. */
  readonly isApart: boolean;
  /** What was seen when its last pass ended (`Instant`); none before. */
  readonly seen: { readonly server: string; readonly oldest: string } | undefined;
}

export const moveGroups = defineCollection({
  id: 91,
  name: 'move_groups',
  scope: 'core',
  format: 1,
  fields: { storage: 1, group: 2, pieces: 3, byId: 4, basis: 5, totals: 6, seed: 7, isApart: 8, seen: 9 },
  key: (g: GroupRecord) => [g.storage, g.group],
});

/** Digests of the rows of pieces as they were moved, so many a record. */
export const DIGESTS_IN_RECORD = 512;

export interface DigestsRecord {
  readonly storage: string;
  readonly group: string;
  /** Number of its first piece, divided by `DIGESTS_IN_RECORD`. */
  readonly at: number;
  /** `DIGESTS_IN_RECORD` digests of eight bytes; 0: nothing was moved. */
  readonly digests: Uint8Array;
}

export const moveDigests = defineCollection({
  id: 92,
  name: 'move_digests',
  scope: 'core',
  format: 1,
  fields: { storage: 1, group: 2, at: 3, digests: 4 },
  key: (d: DigestsRecord) => [d.storage, d.group, d.at],
});

/** A row that is not moved though it should be. */
export interface Loss {
  readonly table: string;
  readonly app: string;
  readonly tenant: string;
  /** The values of its primary key. */
  readonly id: string;
  readonly reason: string;
  /** What can be done about it in the old database. */
  readonly remedy: string;
}

/** A row that an operator may want to look at: one that is left behind, or moved and of little use. */
export type Noted = readonly [table: string, app: string, tenant: string, id: string, why: string];

/** What became of the rows of a piece: those whose keys have the same digest. */
export interface PieceRecord {
  readonly storage: string;
  readonly group: string;
  readonly piece: number;
  /** Records that were made of its rows: number of the collection, then the key. */
  readonly made: readonly (readonly [collection: number, ...key: Key])[];
  readonly tallies: readonly Tally[];
  readonly losses: readonly Loss[];
  readonly noted: readonly Noted[];
}

export const movePieces = defineCollection({
  id: 93,
  name: 'move_pieces',
  scope: 'core',
  format: 1,
  fields: { storage: 1, group: 2, piece: 3, made: 4, tallies: 5, losses: 6, noted: 7 },
  key: (p: PieceRecord) => [p.storage, p.group, p.piece],
  indexes: {
    withLosses: { id: 1, keys: (p) => (p.losses.length === 0 ? [] : [[p.storage, p.group]]) },
    withNoted: { id: 2, keys: (p) => (p.noted.length === 0 ? [] : [[p.storage, p.group]]) },
  },
});

/** All of the above. */
export const MOVE_COLLECTIONS = [moves, moveGroups, moveDigests, movePieces] as const;
