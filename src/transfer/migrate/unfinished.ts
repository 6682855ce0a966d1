import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { moves } from './records.ts';

/** Keeps cores and commands from a store into which somebody still moves. @throws MigrateFault */
export async function refuseUnfinishedMove(store: Store): Promise<void> {
  const move = await store.read((reader) => reader.get(moves, ['move']));
  if (move) throw new MigrateFault(`the store holds an unfinished move from ${move.source}: finish it with "watchword migrate --finish"`);
}
