import { MovedDigests } from './digest-records.ts';
import { ConvertedPiece } from './convert-piece.ts';
import { GROUPS } from './groups/all-groups.ts';
import type { Mover } from './move-group.ts';
import { type GroupRecord, moveGroups, movePieces } from './records.ts';
import type { TableGroup } from './table-group.ts';
import { writePieces } from './write-pieces.ts';

const GROUPS_AT_MOST = 100_000;
const PIECES_AT_ONCE = 100;

/** Removes what was moved from databases where no tenant is any more. */
export async function dropStorages(mover: Mover, kept: ReadonlySet<string>): Promise<void> {
  const known = await mover.store.read((reader) => reader.list(moveGroups, undefined, { prefix: [], limit: GROUPS_AT_MOST }));
  for (const state of known) {
    const group = GROUPS.find(({ name }) => name === state.group);
    if (group && !kept.has(state.storage)) await dropGroup(mover, group, state);
  }
}

async function dropGroup({ store, run }: Mover, group: TableGroup, begun: GroupRecord): Promise<void> {
  const { storage, pieces: number } = begun;
  const digests = new MovedDigests({ storage, group: group.name }, number);
  const keys = await store.read((reader) => reader.keys(movePieces, undefined, { prefix: [storage, group.name], limit: number }));
  const nothing = new BigUint64Array(number);
  let last = begun;
  for (let at = 0; at < keys.length; at += PIECES_AT_ONCE) {
    const pieces = keys.slice(at, at + PIECES_AT_ONCE).map(([, , piece]) => new ConvertedPiece(piece, []));
    last = (await writePieces({ store, run, group, digests }, last, pieces, nothing)).state;
  }
  await store.transact((tx) => tx.delete(moveGroups, [storage, group.name]));
}
