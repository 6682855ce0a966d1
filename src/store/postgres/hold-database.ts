import { UnfitStore } from '../copy.ts';
import type { HeldStore } from '../copy-between.ts';
import type { PostgresPlan } from '../plan.ts';
import { applicationOf, connect, type Connection, type ConnectionOptions } from './connection.ts';
import { isConflict } from './faults.ts';
import { cannotUse } from './faults.ts';
import { openPostgres } from './open-postgres.ts';
import { placeOf } from './servers.ts';
import { quoted } from './statements.ts';
import { hasTables, locksProve } from './table.ts';

/** A piece may take longer than an answer to a request. */
const LEAST_TIMEOUT_MS = 60_000;
/** Commits under way are waited for so long. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Opens the store in a database for a copy. A source is held still: no node may be connected, and where the database
 * has locks on tables, nobody can write until it is closed. @throws UnfitStore, or Error as `openPostgres`
 */
export async function holdDatabase(given: PostgresPlan, side: 'source' | 'target'): Promise<HeldStore> {
  const plan = { ...given, timeoutMs: Math.max(given.timeoutMs, LEAST_TIMEOUT_MS), user: 'copy' as const };
  const name = `${placeOf(plan.url)}, schema ${plan.schema}`;
  const holder = side === 'source' ? await holdStill(plan, name) : undefined;
  try {
    const engine = await openPostgres(plan, {}, async () => {});
    const close = async (): Promise<void> => {
      await engine.close();
      await holder?.end();
    };
    return { engine, name, state: async () => (holder ? newestMarker(holder, plan.schema) : ''), close };
  } catch (error) {
    await holder?.end();
    throw error;
  }
}

/** A connection in whose transaction the table is locked against writes: lost with it, which `state` then notices. */
async function holdStill(plan: ConnectionOptions, name: string): Promise<Connection> {
  let connection: Connection | undefined;
  try {
    connection = await connect(plan);
    if (!(await hasTables(connection, plan.schema))) throw new UnfitStore(`There is no store in ${name}`);
    await refuseNodes(connection, plan.schema, name);
    if (await locksProve(connection)) await lockWrites(connection, plan.schema, name);
    return connection;
  } catch (error) {
    await connection?.end();
    throw error instanceof UnfitStore ? error : cannotUse(plan.url, error);
  }
}

/** Nodes keep connections open, which name their store. */
async function refuseNodes(connection: Connection, schema: string, name: string): Promise<void> {
  const text = 'SELECT count(*)::text AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1';
  const [row] = await connection.run({ text, values: [applicationOf({ schema })] });
  const users = Number(row?.['n']);
  if (users > 0) throw new UnfitStore(`${name} is in use: ${users} connections of nodes are open. Stop them first`);
}

async function lockWrites(connection: Connection, schema: string, name: string): Promise<void> {
  try {
    await connection.run({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] });
    await connection.run({ text: `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, values: [] });
    await connection.run({ text: 'SET LOCAL idle_in_transaction_session_timeout = 0', values: [] });
    await connection.run({ text: `LOCK TABLE ${quoted(schema)}.kv IN SHARE MODE`, values: [] });
  } catch (error) {
    throw isConflict(error) ? new UnfitStore(`${name} is being written: stop what uses it first`) : error;
  }
}

/** Every commit leaves a marker that begins with its time. */
async function newestMarker(connection: Connection, schema: string): Promise<string> {
  const [row] = await connection.run({ text: `SELECT id FROM ${quoted(schema)}.commits ORDER BY id DESC LIMIT 1`, values: [] });
  const id = row?.['id'];
  return id instanceof Uint8Array ? Buffer.from(id).toString('hex') : '';
}
