import { randomUUID } from 'node:crypto';
import { COLLECTIONS } from '../../recipes/recipes.ts';
import type { AnyCollection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { MOVE_COLLECTIONS, moves } from './records.ts';

/** Records that are deleted in one transaction. */
const DELETED_AT_ONCE = 2_000;

/**
 * Takes the store for a move: begins one in an empty store, or goes on with the one that it holds.
 * @returns the id by which this process writes
 * @throws MigrateFault where the store holds anything else
 */
export async function claimTarget(store: Store, source: string): Promise<string> {
  const run = randomUUID();
  const move = await store.read((reader) => reader.get(moves, ['move']));
  if (move && move.source !== source) throw new MigrateFault(`The target holds an unfinished move from ${move.source}, another database`);
  if (!move) {
    const found = await firstHeld(store, [...COLLECTIONS, ...MOVE_COLLECTIONS]);
    if (found !== undefined)
      throw new MigrateFault(`The target is not empty: it holds ${found}. Name a folder or schema that holds nothing`);
  }
  await store.transact((tx) => tx.put(moves, { name: 'move', source, run, remarks: move?.remarks }));
  return run;
}

async function firstHeld(store: Store, collections: readonly AnyCollection[]): Promise<string | undefined> {
  for (const collection of collections) {
    const [key] = await store.read((reader) => reader.keys(collection, undefined, { prefix: [], limit: 1 }));
    if (key) return collection.name;
  }
  return undefined;
}

/** Ends the move: from now on cores may start on the store. */
export async function endMove(store: Store): Promise<void> {
  await store.transact((tx) => tx.delete(moves, ['move']));
}

/** Removes what was noted of a move that has ended. */
export async function forgetMove(store: Store): Promise<void> {
  for (const collection of MOVE_COLLECTIONS) while (await forgetSome(store, collection));
}

function forgetSome(store: Store, collection: AnyCollection): Promise<boolean> {
  return store.transact(async (tx) => {
    const keys = await tx.keys(collection, undefined, { prefix: [], limit: DELETED_AT_ONCE });
    await Promise.all(keys.map((key) => tx.delete(collection, key)));
    return keys.length === DELETED_AT_ONCE;
  });
}
