import { crc32 } from 'node:zlib';
import type { ByteSpan } from '../engine.ts';
import { compareBytes, partEnds } from '../keys.ts';

/*
 * Rows that stand for pieces of the key space, so that ranges can be proved. Who adds a key locks the guards of the
 * pieces around it in share mode, until its commit; who relies on a range locks the guard of its piece alone, and only
 * then looks whether the range is as it was read. Changes and removals of rows need none: those rows are locked.
 */

/** Guard rows, made with the tables; pieces share them by chance. */
export const GUARDS = 4096;

/**
 * Pieces are the keys that begin with so many components: most ranges of the product name an app and something in it.
 * Ranges of wider pieces lock all guards at once, which few do, and seldom.
 */
const LEVELS = [2, 3, 4] as const;
const DEEPEST = 4;

const guardOf = (key: Uint8Array, end: number): number => crc32(key.subarray(0, end)) % GUARDS;

/** The guards that adding a key must share. */
export function guardsOfKey(key: Uint8Array): readonly number[] {
  const ends = partEnds(key, DEEPEST);
  return LEVELS.flatMap((level) => {
    const end = ends[level - 1];
    return end === undefined ? [] : [guardOf(key, end)];
  });
}

/** The guard that proving a range must hold alone; `all` where none covers it. */
export function guardOfRange({ start, end }: ByteSpan): number | 'all' {
  const [first, last] = [partEnds(start, DEEPEST), partEnds(end, DEEPEST)];
  let shared: number | undefined;
  for (const level of LEVELS) {
    const [at, other] = [first[level - 1], last[level - 1]];
    if (at === undefined || at !== other || compareBytes(start.subarray(0, at), end.subarray(0, at)) !== 0) break;
    shared = at;
  }
  return shared === undefined ? 'all' : guardOf(start, shared);
}
