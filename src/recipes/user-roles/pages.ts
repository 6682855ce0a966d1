import { setImmediate } from 'node:timers/promises';
import type { Key, MaybePromise, Range } from '../../store/store.ts';

/** Entries that are read at once: a millisecond or two. */
const PAGE = 1000;

/**
 * Everything under a prefix, a page at a time.
 * @param read reads a range of the records or of an index
 * @param keyOf the full key under which an entry stands in that order
 */
export async function* pagesOf<T>(
  prefix: Key,
  read: (range: Range) => MaybePromise<readonly T[]>,
  keyOf: (entry: T) => Key,
): AsyncGenerator<readonly T[]> {
  for (let from: Key | undefined; ; ) {
    const page = await read({ prefix, ...(from && { from }), limit: PAGE + 1 });
    yield page.slice(0, PAGE);
    const next = page[PAGE];
    if (next === undefined) return;
    from = keyOf(next);
  }
}

/** All entries of the pages; other requests have their turn between two of them, so not for use inside a transaction. */
export async function collect<T, U>(pages: AsyncIterable<readonly T[]>, pick: (entry: T) => U): Promise<U[]> {
  const picked: U[] = [];
  let isFirst = true;
  for await (const page of pages) {
    for (const entry of page) picked.push(pick(entry));
    // Nearly everything fits into one page, and need not wait.
    if (!isFirst) await setImmediate();
    isFirst = false;
  }
  return picked;
}
