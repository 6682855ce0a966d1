import { defineCollection } from '../../store/collection.ts';
import { asObjectText, isObjectText, type JsonText } from '../../json/free-form.ts';
import type { AppNumber, Bound, KeyIn } from '../../store/store.ts';

/**
 * What becomes of an entry of the queue. That a worker holds it is not kept: it stays NEW until the transaction that
 * imports the user and deletes the entry (contract 05 section 6.11, required end result).
 */
export type QueueStatus = 'NEW' | 'FAILED';

/** A user who waits to be imported, or who could not be (contract 05 section 6.1). */
export interface QueueEntry {
  readonly app: AppNumber;
  /** The internal id that the user will have. */
  readonly id: string;
  readonly status: QueueStatus;
  /** ms since the epoch; in the order of the upload. */
  readonly createdAt: number;
  /** ms since the epoch. */
  readonly updatedAt: number;
  /** JSON in UTF-8 of an `ImportedUser` without its metadata. */
  readonly user: Uint8Array;
  /** The metadata, JSON in UTF-8. */
  readonly metadata?: Uint8Array | undefined;
  /** Why it failed. */
  readonly errorMessage?: string | undefined;
}

export const queueEntries = defineCollection({
  id: 29,
  name: 'bulk_imports',
  scope: 'app',
  format: 1,
  fields: { app: 1, id: 2, status: 3, createdAt: 4, updatedAt: 5, user: 6, metadata: 7, errorMessage: 8 },
  key: (e: QueueEntry) => [e.app, e.id],
  // The status comes before the app, so that one look finds the next app that has something to import.
  indexes: { byStatus: { id: 1, keys: (e) => [[e.status, e.app, e.createdAt, e.id]] } },
});

/** A place in the order of the queue: entries are ordered by when they came, then by id. */
export interface QueuePlace {
  readonly createdAt: number;
  readonly id: string;
}

type EntryInQueue = KeyIn<typeof queueEntries, 'byStatus'>;

/** Where something begins in the index `byStatus`. */
export type QueueKey = Bound<EntryInQueue>;

/** The app that a key of the index `byStatus` names. */
export const appIn = ([, app]: EntryInQueue): AppNumber => app;

/** The place that a key of the index `byStatus` names. */
export const placeIn = ([, , createdAt, id]: EntryInQueue): QueuePlace => ({ createdAt, id });

/** Right behind a place in the index `byStatus`: the primary key follows there, which begins with the app. */
export function behindPlace(status: QueueStatus, app: AppNumber, { createdAt, id }: QueuePlace): QueueKey {
  return [status, app, createdAt, id, app + 1];
}

/** A piece of the queue that a worker has claimed: nobody else takes what lies in it before the claim ends. */
export interface QueueClaim {
  readonly app: AppNumber;
  /** The first and the last entry of the piece. */
  readonly first: QueuePlace;
  readonly last: QueuePlace;
  /** A random id of the worker. */
  readonly owner: string;
  /** ms since the epoch. */
  readonly heldUntil: number;
}

export const queueClaims = defineCollection({
  id: 30,
  name: 'bulk_import_claims',
  scope: 'app',
  format: 1,
  fields: { app: 1, first: 2, last: 3, owner: 4, heldUntil: 5 },
  key: (c: QueueClaim) => [c.app, c.first.createdAt, c.first.id],
});

/** The entry as JSON members: those of the user, without the braces around them. */
export interface EntryTexts {
  readonly user: string;
  readonly metadata: JsonText | undefined;
}

/** The texts an entry keeps as bytes. Where one is no object, the user fails to be imported, and metadata is none. */
export function textsOf({ user, metadata }: Pick<QueueEntry, 'user' | 'metadata'>): EntryTexts {
  const text = metadata && textOf(metadata);
  return { user: asObjectText(textOf(user)), metadata: text && isObjectText(text) ? text : undefined };
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): JsonText =>
  Buffer.from(buffer, byteOffset, byteLength).toString() as JsonText;
