import type { PostgresPlan, StoreWatch } from '../plan.ts';
import { connect, type ConnectionOptions } from './connection.ts';
import { Connections } from './connections.ts';
import { PostgresEngine } from './engine.ts';
import { cannotUse, reasonOf } from './faults.ts';
import { requireFit, requireRights } from './fitness.ts';
import { channelOf, listen } from './listener.ts';
import { placeOf } from './servers.ts';
import { SESSION, SETTINGS } from './settings.ts';
import { statements } from './statements.ts';
import { locksProve, prepareTables } from './table.ts';

/** Opens the store in a database, and makes its tables where they are missing. @throws Error in one line, no secrets */
export async function openPostgres(
  plan: PostgresPlan & Pick<ConnectionOptions, 'user'>,
  watch: StoreWatch,
  prepare: (engine: PostgresEngine) => Promise<void>,
): Promise<PostgresEngine> {
  let connections: Connections | undefined;
  try {
    const isProving = await prepared(plan);
    // A pooler hands statements to sessions of others, where settings of ours would not stand.
    const settings = plan.prepared && isProving ? { ...SETTINGS, ...SESSION } : {};
    connections = new Connections({ ...plan, settings }, Math.random);
    const engine = new PostgresEngine({
      connections,
      statements: statements(plan.schema),
      isPooled: !plan.prepared,
      // CockroachDB has no notices: there a commit that sends one would fail.
      channel: plan.listenUrl && isProving ? channelOf(plan.schema) : undefined,
      locksProve: isProving,
      timeoutMs: plan.timeoutMs,
      now: () => performance.timeOrigin + performance.now(),
      randomUnit: Math.random,
      onRound: watch.onRound,
    });
    await engine.followClock();
    await prepare(engine);
    return engine;
  } catch (error) {
    await connections?.close();
    throw cannotUse(plan.url, error);
  }
}

/** Listens for what other nodes announce; nothing where the plan names no connection for it. */
export function listenPostgres(
  { listenUrl, password, timeoutMs, schema }: PostgresPlan,
  onNotice: () => void,
  onFault: (error: unknown) => void,
): (() => Promise<void>) | undefined {
  if (!listenUrl) return undefined;
  const told = (error: unknown): void => onFault(new Error(`${placeOf(listenUrl)}: ${reasonOf(error)}`));
  const connection = { url: listenUrl, password, timeoutMs, schema };
  return listen({ connection, channel: channelOf(schema), onNotice, onFault: told, randomUnit: Math.random });
}

/** Makes the tables where they are missing; answers `PostgresParts.locksProve`. */
async function prepared(plan: ConnectionOptions): Promise<boolean> {
  const connection = await connect(plan);
  try {
    await requireFit(connection);
    await prepareTables(connection, plan.schema);
    await requireRights(connection, plan.schema);
    return await locksProve(connection);
  } finally {
    await connection.end();
  }
}
