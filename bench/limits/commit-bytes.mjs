// What no move can do much faster: the entries of a store, written again to a bare database in the groups and the order in which a move writes them.
import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { answerOnce } from '../core.mjs';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const OPTIONS = { encoding: 'binary', keyEncoding: 'binary', maxReaders: 126, compression: false };
const CHUNK_BYTES = 2 ** 26;

/** Bytes one after another: as many objects as there are entries would fill the memory. */
class Pool {
  #chunks = [Buffer.alloc(CHUNK_BYTES)];
  #used = 0;

  /** Where it is kept. */
  add(bytes) {
    if (this.#used + bytes.length > CHUNK_BYTES) {
      this.#chunks.push(Buffer.alloc(CHUNK_BYTES));
      this.#used = 0;
    }
    const at = (this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    bytes.copy(this.#chunks.at(-1), this.#used);
    this.#used += bytes.length;
    return at;
  }

  get(at, length) {
    const from = at % CHUNK_BYTES;
    return this.#chunks[Math.floor(at / CHUNK_BYTES)].subarray(from, from + length);
  }
}

/** All entries but those of some collections, by the number of the id to which each belongs. */
function read(from, without) {
  const store = open({ path: from, readOnly: true, ...OPTIONS });
  const most = store.getStats().entryCount;
  const [pool, numbers] = [new Pool(), new Map()];
  const places = { keys: new Float64Array(most), values: new Float64Array(most) };
  const lengths = { keys: new Uint32Array(most), values: new Uint32Array(most) };
  const ids = new Uint32Array(most);
  let count = 0;
  for (const { key, value } of store.getRange({})) {
    // A key begins with the number of its collection.
    if (without.has(key.readUInt16BE(0))) continue;
    const [id] = UUID.exec(key.toString('latin1')) ?? UUID.exec(value.toString('latin1')) ?? [''];
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    ids[count] = numbers.get(id);
    for (const [name, bytes] of Object.entries({ keys: key, values: value })) {
      places[name][count] = pool.add(bytes);
      lengths[name][count] = bytes.length;
    }
    count += 1;
  }
  const part = (name, n) => pool.get(places[name][n], lengths[name][n]);
  return { store, numbers, ids: ids.subarray(0, count), entry: (n) => ({ key: part('keys', n), value: part('values', n) }) };
}

/** Entries of so many ids at a time, in the order of ids: a move writes what it makes of an id together. */
function* batches({ numbers, ids, entry }, size) {
  const ranks = new Uint32Array(numbers.size);
  for (const [rank, [, number]] of [...numbers].toSorted(([a], [b]) => (a < b ? -1 : 1)).entries()) ranks[number] = rank;
  const order = Uint32Array.from(ids.keys()).toSorted((a, b) => ranks[ids[a]] - ranks[ids[b]]);
  for (let from = 0, to = 0; from < order.length; from = to) {
    const end = ranks[ids[order[from]]] + size;
    while (to < order.length && ranks[ids[order[to]]] < end) to += 1;
    yield [...order.subarray(from, to)].map(entry).toSorted((a, b) => Buffer.compare(a.key, b.key));
  }
}

/** `{ from, to, ids, without }` -> `{ seconds }`: so many ids in one commit, none of the collections with these numbers. */
async function writeAll({ from, to, ids, without }) {
  const entries = read(from, new Set(without));
  rmSync(to, { recursive: true, force: true });
  const target = open({ path: to, ...OPTIONS });
  let ms = 0;
  for (const batch of batches(entries, ids)) {
    const begun = performance.now();
    await target.childTransaction(() => {
      for (const { key, value } of batch) void target.put(key, value);
    });
    await target.flushed;
    ms += performance.now() - begun;
  }
  await target.close();
  await entries.store.close();
  return { seconds: ms / 1000 };
}

answerOnce(writeAll);
