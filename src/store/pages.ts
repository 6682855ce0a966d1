import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from './maybe-promise.ts';
import type { Cursor, Page, Range } from './store.ts';

/** Entries that are read at once: about a millisecond. */
const PAGE = 250;

/** Which page is wanted. */
export type PageRange = Pick<Range, 'limit' | 'at'>;

/** All that a range holds, a page at a time. @param limit entries of a page: fewer than usual for large ones */
export async function* pagesOf<T>(
  read: (page: PageRange) => MaybePromise<Page<T>>,
  limit: number = PAGE,
): AsyncGenerator<readonly T[], undefined> {
  for (let range: PageRange | undefined = { limit }; range; ) {
    const { items, next }: Page<T> = await read(range);
    yield items;
    range = next && { limit, at: next };
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

/** A page with something else in place of each entry. */
export const mapPage = <T, U>({ items, next }: Page<T>, pick: (entry: T) => U): Page<U> => ({ items: items.map(pick), next });

/** One page of several ranges that lie in the store in this order. */
export async function pageAcross<T>(
  { limit, at }: PageRange,
  ranges: readonly ((page: PageRange) => MaybePromise<Page<T>>)[],
): Promise<Page<T>> {
  const items: T[] = [];
  for (const read of ranges) {
    // Where there is no room left, it tells whether something follows.
    const page = await read({ limit: limit - items.length, ...(at && { at }) });
    items.push(...page.items);
    if (page.next) return { items, next: page.next };
  }
  return { items, next: undefined };
}

/** A cursor as text for callers to bring back; it tells them the key of what comes next. */
export const cursorText = ({ key }: Cursor): string => Buffer.from(key).toString('base64url');

/** The cursor in a text. Whatever a caller made up is a place too, from which only the asked range is read. */
export const cursorIn = (text: string): Cursor => ({ key: Buffer.from(text, 'base64url') });
