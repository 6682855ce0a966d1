// What no move can do much faster: the entries of a store, written again to a bare database in the groups and the order in which a move writes them.
import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { answerOnce } from '../core.mjs';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const OPTIONS = { encoding: 'binary', keyEncoding: 'binary', maxReaders: 126, compression: false };

/** The entries that belong to one id, with the ids in their order: a move writes what it makes of an id together. */
function byId(from, without) {
  const store = open({ path: from, readOnly: true, ...OPTIONS });
  const groups = new Map();
  for (const { key, value } of store.getRange({})) {
    // A key begins with the number of its collection.
    if (without.has(key.readUInt16BE(0))) continue;
    const [id] = UUID.exec(key.toString('latin1')) ?? UUID.exec(value.toString('latin1')) ?? [''];
    const group = groups.get(id);
    if (group) group.push({ key, value });
    else groups.set(id, [{ key, value }]);
  }
  return { store, groups: [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entries]) => entries) };
}

/** `{ from, to, ids, without }` -> `{ seconds }`: so many ids in one commit, none of the collections with these numbers. */
async function writeAll({ from, to, ids, without }) {
  const { store: source, groups } = byId(from, new Set(without));
  rmSync(to, { recursive: true, force: true });
  const target = open({ path: to, ...OPTIONS });
  const begun = performance.now();
  for (let at = 0; at < groups.length; at += ids) {
    const entries = groups
      .slice(at, at + ids)
      .flat()
      .toSorted((a, b) => Buffer.compare(a.key, b.key));
    await target.childTransaction(() => {
      for (const { key, value } of entries) void target.put(key, value);
    });
    await target.flushed;
  }
  const seconds = (performance.now() - begun) / 1000;
  await target.close();
  await source.close();
  return { seconds };
}

answerOnce(writeAll);
