// The built store and the collections of the tests that run in threads and processes of their own.
import { defineCollection } from '../../dist/src/store/collection.js';

export { openStore } from '../../dist/src/store/open-store.js';

/** A number that many threads raise. */
export const counters = defineCollection({
  id: 901,
  name: 'counters',
  scope: 'core',
  format: 1,
  fields: { name: 1, value: 2 },
  key: (counter) => [counter.name],
});

/** One of two halves that a transaction writes together; `filler` makes the database grow. */
export const halves = defineCollection({
  id: 902,
  name: 'halves',
  scope: 'core',
  format: 1,
  fields: { run: 1, number: 2, side: 3, filler: 4 },
  key: (half) => [half.run, half.number, half.side],
  indexes: {
    bySide: { id: 1, keys: (half) => [[half.side, half.run]] },
    place: { id: 2, unique: true, keys: (half) => [[half.side, half.run, half.number]] },
  },
});

/** Writes both halves of one number in one transaction; resolves when they are durable. */
export function writeHalves(store, run, number, filler) {
  return store.transact(async (tx) => {
    await tx.insert(halves, { run, number, side: 'left', filler });
    await tx.put(halves, { run, number, side: 'right', filler });
  });
}

/** Raises a counter by one, `times` times, `atOnce` at a time. */
export async function raise(store, name, times, atOnce) {
  let left = times;
  const one = async () => {
    while (left-- > 0) {
      await store.transact(async (tx) => {
        const value = (await tx.get(counters, [name]))?.value ?? 0;
        await tx.put(counters, { name, value: value + 1 });
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
