// Holds a snapshot of a store until it is killed.
import { writeSync } from 'node:fs';
import { counters, openStore } from '../store/built-store.mjs';

const store = await openStore({ engine: 'lmdb', path: process.argv[2] });
await store.read(async (reader) => {
  await reader.get(counters, ['any']);
  writeSync(1, 'reads\n');
  await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
});
