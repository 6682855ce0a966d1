// The bytes of new records and of their index entries, as the built store writes them.
import { built } from './core.mjs';

const [{ seal }, { indexEntries, namedRecordKey, primaryBytes }] = await Promise.all([
  built('store/checksum.js'),
  built('store/layout.js'),
]);

/** Where the record with a primary key stands. */
export const keyAt = (collection, primary) => namedRecordKey(collection, primary).key;

/** Where a record stands. @param record its fields that are in the key */
export const keyOf = (collection, record) => keyAt(collection, collection.key(record));

/** What is written for new records. */
export function rowWrites(collection, records) {
  return records.map((record) => {
    const key = keyOf(collection, record);
    return { key, value: collection.encode(record, key) };
  });
}

/** What is written into one index for new records. */
export function entryWrites(collection, index, records) {
  const alone = { ...collection, indexes: { [index]: collection.indexes[index] } };
  return records.flatMap((record) => {
    const key = keyOf(collection, record);
    return indexEntries(alone, record, primaryBytes(key)).map((entry) => ({ key: entry.key, value: seal(entry.key, entry.content) }));
  });
}
