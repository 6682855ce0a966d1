import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import { mapPage, type PageRange } from '../../store/pages.ts';
import type { AppNumber, Page, Reader } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { metadata, metadataSearch } from './records.ts';
import { LONGEST_SEARCHED } from './searched-values.ts';

/** Whose metadata are looked for. */
export interface MetadataSearch {
  readonly app: AppNumber;
  /** A name at the top level. */
  readonly key: string;
  /** A text, the name of a boolean, or a number as short as it can be written. */
  readonly value: string;
  /** The keys of the option `metadata_search_keys`. */
  readonly listed: readonly string[];
}

/** The ids, as metadata are kept under them, that have a value. @throws Refusal where nothing is searched by the key */
export async function userIdsByMetadata(
  reader: Reader,
  { app, key, value, listed }: MetadataSearch,
  page: PageRange,
): Promise<Page<string>> {
  if (!listed.includes(key)) throw bad(`metadataKey '${key}' is not listed in the option metadata_search_keys`);
  if (value.length > LONGEST_SEARCHED) throw bad(`metadataValue must not be longer than ${LONGEST_SEARCHED} characters`);
  const search = await reader.get(metadataSearch, [app]);
  if (!search?.ready.includes(key)) throw bad(`The index of metadataKey '${key}' is still being built, try again later`);
  const found: MaybePromise<Page<{ readonly key: readonly [AppNumber, string] }>> = reader.pageOfKeys(metadata, 'byValue', {
    prefix: [app, key, value],
    ...page,
  });
  return whenReady(found, (keys) => mapPage(keys, ({ key: [, userId] }) => userId));
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
