import { stringifyAnswer } from '../json/answer.ts';
import type { JsonValue } from '../json/free-form.ts';
import type { Answer } from './route.ts';

/** A level of a grouped list: neighbours with one `id` form one object, `{"<member>":"<id>","<list>":[…]}`. */
export interface Level<T> {
  readonly id: (item: T) => string;
  readonly member: string;
  readonly list: string;
}

/**
 * `{"status":"OK","<name>":[…]}` with a list that may be of any length, made and sent a page at a time.
 * @param view what is shown of an item
 * @param levels groups within groups in which the items stand, the outermost first
 */
export function listAnswer<T>(
  name: string,
  pages: AsyncIterable<readonly T[]>,
  view: (item: T) => JsonValue,
  levels: readonly Level<T>[] = [],
): Answer {
  return { jsonPieces: listPieces(`{"status":"OK","${name}":[`, pages, view, levels) };
}

async function* listPieces<T>(
  opening: string,
  pages: AsyncIterable<readonly T[]>,
  view: (item: T) => JsonValue,
  levels: readonly Level<T>[],
): AsyncGenerator<string, undefined> {
  let piece = opening;
  let last: readonly [T] | undefined;
  for await (const page of pages) {
    for (const item of page) {
      piece += `${separator(levels, last?.[0], item, last === undefined)}${stringifyAnswer(view(item))}`;
      last = [item];
    }
    yield piece;
    piece = '';
  }
  const open = last === undefined ? 0 : levels.length;
  yield `${piece}${']}'.repeat(open)}]}`;
}

/** What stands between two items, or before the first. */
function separator<T>(levels: readonly Level<T>[], last: T | undefined, item: T, isFirst: boolean): string {
  const other = isFirst || last === undefined ? 0 : levels.findIndex(({ id }) => id(item) !== id(last));
  if (other < 0 || levels.length === 0) return isFirst ? '' : ',';
  const opened = levels.slice(other).map(({ id, member, list }) => `{"${member}":${stringifyAnswer(id(item))},"${list}":[`);
  return `${isFirst ? '' : `${']}'.repeat(opened.length)},`}${opened.join('')}`;
}
