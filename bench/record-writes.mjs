// The bytes of new records and of their index entries, as the built store writes them.
import { resolve } from 'node:path';
import { ROOT } from './core.mjs';

const built = (path) => import(resolve(ROOT, 'dist/src/store', path));
const [{ seal }, { indexEntries, namedRecordKey, primaryBytes }] = await Promise.all([built('checksum.js'), built('layout.js')]);

/** What is written for records that are new, in the order of the keys, which LMDB takes fastest. */
export function recordWrites(collection, records) {
  const writes = records.flatMap((record) => {
    const { key } = namedRecordKey(collection, collection.key(record));
    const entries = indexEntries(collection, record, primaryBytes(key));
    return [
      { key, value: collection.encode(record, key) },
      ...entries.map((entry) => ({ key: entry.key, value: seal(entry.key, entry.content) })),
    ];
  });
  return writes.toSorted((a, b) => Buffer.compare(a.key, b.key));
}
