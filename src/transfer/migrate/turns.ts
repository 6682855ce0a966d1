import type { ForeignDatabase } from '../../store/foreign-database.ts';
import type { Ask } from './digest-pieces.ts';

/** Runs work in its order, so many pieces of it at the same time. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** @param most how many at the same time */
export function turnsOf(most: number): Turns {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Asks the connections beside that of a database by turns, for this one reads rows; or that one alone. */
export function askBeside(database: ForeignDatabase, turns: Turns): Ask {
  let asked = 0;
  return (work) =>
    turns(() => {
      const { beside } = database;
      return work(beside[asked++ % beside.length] ?? database);
    });
}
