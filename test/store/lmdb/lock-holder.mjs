// A process that holds the write lock of a folder for a second, in which it may be stopped; it says when it holds it, and ends in order.
import { LmdbEngine } from '../../../dist/src/store/lmdb/engine.js';

const HOLDS_MS = 1_000;
const engine = new LmdbEngine(process.argv[2]);
await engine.alone(async () => {
  process.send('holds');
  await new Promise((resolve) => setTimeout(resolve, HOLDS_MS));
  return { result: undefined, writes: [] };
});
await engine.close();
process.disconnect();
