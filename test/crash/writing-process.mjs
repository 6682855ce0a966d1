// Writes to a store until it is killed or can write no more, and says on stdout what was acknowledged: one line each, written at once.
import { writeSync } from 'node:fs';
import { halves, openStore, raise, writeHalves } from '../store/built-store.mjs';

const [path, run, mode] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const filler = 'x'.repeat(mode === 'fill' ? 4000 : 200);
const store = await openStore({ engine: 'lmdb', path });
let number = 0;
let failed = false;

async function write() {
  while (!failed) {
    const mine = number++;
    try {
      await writeHalves(store, run, mine, filler);
      say(mine);
    } catch (error) {
      failed = true;
      say(`failed: ${error.message}: ${error.cause?.message}`);
    }
  }
}

say('started');
await Promise.all([...Array.from({ length: 16 }, write), ...(mode === 'fill' ? [] : [raise(store, 'hot', Number.POSITIVE_INFINITY, 16)])]);
// Whatever could not be kept, the store still reads.
const kept = await store.read((r) => r.keys(halves, undefined, { prefix: [run], limit: 1_000_000 }));
say(`still reads: ${kept.length}`);
await store.close();
say('closed');
