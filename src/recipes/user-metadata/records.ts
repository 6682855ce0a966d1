import { EMPTY_OBJECT, isObjectText, type JsonText } from '../../json/free-form.ts';
import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** Free-form data of the caller about a user id (contract 05 section 1). */
export interface MetadataRecord {
  readonly app: AppNumber;
  /** As the caller sent it: neither need such a user exist, nor are mappings resolved (contract 00). */
  readonly userId: string;
  /** A JSON object. */
  readonly metadata: JsonText;
  /** What of it users are searched by; none where no key is listed for that (`searchedIn`). */
  readonly searched?: readonly SearchedValue[] | undefined;
}

/** A name at the top level of metadata, and its value as a search gives it. */
export type SearchedValue = readonly [key: string, value: string];

export const metadata = defineCollection({
  id: 24,
  name: 'user_metadata',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, metadata: 3, searched: 4 },
  key: (m: MetadataRecord) => [m.app, m.userId],
  // A number that was once taken for an object says nothing about a user.
  repair: (m) => (isObjectText(m.metadata) ? m : { ...m, metadata: EMPTY_OBJECT }),

  indexes: { byValue: { id: 1, keys: (m) => (m.searched ?? []).map(([key, value]) => [m.app, key, value] as const) } },
});

/** By which keys the metadata of an app are searched. None where never one was listed. */
export interface MetadataSearchRecord {
  readonly app: AppNumber;
  /** What each write notes in its record. */
  readonly keys: readonly string[];
  /** Those of them that all records note. */
  readonly ready: readonly string[];
}

export const metadataSearch = defineCollection({
  id: 61,
  name: 'metadata_search',
  scope: 'app',
  format: 1,
  fields: { app: 1, keys: 2, ready: 3 },
  key: (s: MetadataSearchRecord) => [s.app],
});

/** How far the records of an app have come to note what is searched now. */
export interface MetadataSearchProgressRecord {
  readonly app: AppNumber;
  /** The user id whose record is next. */
  readonly next: string;
}

export const metadataSearchProgress = defineCollection({
  id: 62,
  name: 'metadata_search_progress',
  scope: 'app',
  format: 1,
  fields: { app: 1, next: 2 },
  key: (p: MetadataSearchProgressRecord) => [p.app],
});
