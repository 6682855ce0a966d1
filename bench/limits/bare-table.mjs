// The table of a core in PostgreSQL, read and written as directly as can be: by the driver's pool, without the store around it.
import { built } from '../core.mjs';
import { entryWrites, rowWrites } from '../record-writes.mjs';

const BEGIN = { text: 'BEGIN ISOLATION LEVEL SERIALIZABLE', values: [] };
const COMMIT = { text: 'COMMIT', values: [] };
const BEGIN_READ = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', values: [] };
const SERIALIZATION_FAILURE = '40001';

/** @param {object} plan of a thread of the core: the same number of connections, prepared alike */
export async function openTable(plan) {
  const [{ Connections }, { SETTINGS }] = await Promise.all([built('store/postgres/connections.js'), built('store/postgres/settings.js')]);
  const connections = new Connections({ ...plan, settings: SETTINGS }, Math.random);
  const kv = `"${plan.schema}".kv`;
  const statements = {
    read: `SELECT k, v FROM ${kv} WHERE k = ANY($1::bytea[])`,
    readOne: `SELECT v FROM ${kv} WHERE k = $1`,
    keys: `SELECT k FROM ${kv} ORDER BY k LIMIT $1`,
    change: `UPDATE ${kv} SET v = $2 WHERE k = $1`,
    add: `INSERT INTO ${kv} (k, v) SELECT k, v FROM unnest($1::bytea[], $2::bytea[]) AS new(k, v)`,
  };

  /** Statements in one write, on a connection of their own; all are waited for. */
  const send = async (...sent) => {
    const connection = await connections.take();
    const settled = await Promise.allSettled(connection.inOneWrite(() => sent.map((statement) => connection.run(statement))));
    connections.give(connection);
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return settled.map(({ value }) => value);
  };
  /** Again, where it lost to another transaction. */
  const commit = async (statement) => {
    for (;;) {
      try {
        return await send(BEGIN, statement, COMMIT);
      } catch (error) {
        if (error.code !== SERIALIZATION_FAILURE) throw error;
      }
    }
  };
  const writesOf = (collection, record) =>
    [rowWrites(collection, [record]), ...Object.keys(collection.indexes).map((index) => entryWrites(collection, index, [record]))].flat();

  return {
    /** The value of one key. */
    readOne: (key) => send({ text: statements.readOne, values: [key] }),
    /** One round. */
    read: (keys) => send({ text: statements.read, values: [keys] }),
    /** Rounds one after another, all of one state; nobody waits for the end of its transaction. */
    readRounds: async (rounds) => {
      const connection = await connections.take();
      for (const [at, keys] of rounds.entries()) {
        const read = { text: statements.read, values: [keys] };
        await Promise.all(connection.inOneWrite(() => [...(at === 0 ? [BEGIN_READ] : []), read].map((one) => connection.run(one))));
      }
      void connection.run(COMMIT).then(() => connections.give(connection));
    },
    /** The first keys there are. */
    keys: async (count) => (await send({ text: statements.keys, values: [count] }))[0].map(({ k }) => k),
    /** One serialisable commit: the row alone, or with its index entries where it is new. */
    keep: async (collection, record, isNew) => {
      const writes = isNew ? writesOf(collection, record) : rowWrites(collection, [record]);
      const values = isNew ? [writes.map(({ key }) => key), writes.map(({ value }) => value)] : [writes[0].key, writes[0].value];
      await commit({ text: isNew ? statements.add : statements.change, values });
    },
  };
}
