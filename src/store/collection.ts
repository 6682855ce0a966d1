import type { Key } from './store.ts';

/** Where records of a collection belong: its primary key begins with nothing, with the app's number, or with the app's and the tenant's. */
export type Scope = 'core' | 'app' | 'tenant';

/**
 * What a collection is, declared once as data (contract of `src/store`).
 * Numbers of collections, indexes and fields are part of the stored format: they are never reused or reordered.
 */
export interface CollectionDefinition<R> {
  /** 1 to 999, unique in the product; the first component of every stored key. */
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  /** Version of the stored values, 1 to 127. */
  readonly format: number;
  /** Position of each field in the stored value; every field of the record stands here once. */
  readonly fields: Readonly<Record<keyof R & string, number>>;
  /** The primary key. App-scoped records begin with the app's number, tenant-scoped ones with the app's and the tenant's. */
  readonly key: (record: R) => Key;
  /** Secondary indexes: a record stands under none, one or several keys. `id` is unique within the collection. */
  readonly indexes?: Readonly<Record<string, { readonly id: number; readonly unique?: boolean; readonly keys: (record: R) => readonly Key[] }>>;
  /** Makes a record of the current format from the fields of an older one. */
  readonly upgrade?: (format: number, fields: readonly unknown[]) => R;
}

/** A declared collection; made by `defineCollection`, read by the store alone. */
export interface Collection<R> extends CollectionDefinition<R> {
  readonly encode: (record: R) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => R;
}
