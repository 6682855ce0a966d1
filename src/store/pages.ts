import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key, MaybePromise, Range } from './store.ts';

/** Entries that are read at once: about a millisecond. */
const PAGE = 250;

/**
 * Everything under a prefix, a page at a time.
 * @param read reads a range of the records or of an index
 * @param keyOf the full key under which an entry stands in that order
 * @param size entries of a page: fewer than usual where one may be large
 */
export async function* pagesOf<T>(
  prefix: Key,
  read: (range: Range) => MaybePromise<readonly T[]>,
  keyOf: (entry: T) => Key,
  size: number = PAGE,
): AsyncGenerator<readonly T[], undefined> {
  for (let from: Key | undefined; ; ) {
    const page = await read({ prefix, ...(from && { from }), limit: size + 1 });
    yield page.slice(0, size);
    const next = page[size];
    if (next === undefined) return;
    from = keyOf(next);
  }
}

/** The same pages with something else in place of each entry. */
export async function* mapPages<T, U>(pages: AsyncIterable<readonly T[]>, pick: (entry: T) => U): AsyncGenerator<readonly U[], undefined> {
  for await (const page of pages) yield page.map(pick);
}

/** What is there already, as pages. */
export async function* pagesFrom<T>(entries: readonly T[]): AsyncGenerator<readonly T[], undefined> {
  for (let at = 0; at < entries.length; at += PAGE) yield entries.slice(at, at + PAGE);
}

/** All entries of the pages, with turns of the event loop in between; so not for use inside a transaction. */
export async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) {
    // Nearly everything fits into one page, and need not wait.
    if (all.length > 0) await nextTurn();
    all.push(...page);
  }
  return all;
}
