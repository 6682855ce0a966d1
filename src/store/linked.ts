import type { ByteRange, Entry, Link, Linked, Source } from './engine.ts';
import { recordKeyOfEntry } from './layout.ts';
import { type MaybePromise, whenReady } from './maybe-promise.ts';

/** `Source.linked` for engines where a round costs nothing: reads the entries, then their records. */
export function linkedByReading(source: Pick<Source, 'range' | 'getMany'>, range: ByteRange, link: Link): MaybePromise<readonly Linked[]> {
  return whenReady(source.range(range), (entries) => followed(source, entries, link));
}

/** `Source.linkedAt` in the same way. @param key is kept */
export function linkedAtByReading(source: Pick<Source, 'get'>, key: Uint8Array, link: Link): MaybePromise<Linked | undefined> {
  return whenReady(source.get(key), (value) => {
    if (!value) return undefined;
    const entry = { key, value };
    const record = recordKeyOfEntry(link, entry);
    return whenReady(source.get(record), (found) => ({ entry, key: record, value: found }));
  });
}

/** Reads the records to which entries lead. */
export function followed(source: Pick<Source, 'getMany'>, entries: readonly Entry[], link: Link): MaybePromise<readonly Linked[]> {
  if (entries.length === 0) return [];
  const keys = entries.map((entry) => recordKeyOfEntry(link, entry));
  return whenReady(source.getMany(keys), (values) =>
    entries.map((entry, at) => ({ entry, key: keys[at] ?? entry.key, value: values[at] })),
  );
}
