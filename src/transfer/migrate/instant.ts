import type { ForeignDatabase } from '../../store/foreign-database.ts';

/** What a transaction of a server sees. */
export interface Instant {
  /** The server, its timeline and the database; empty where the role may not know. */
  readonly server: string;
  /** Number of the oldest transaction that it does not see, or not yet: digits of 64 bits. */
  readonly oldest: string;
  /** Number of the next transaction: grows with every one that writes anything on the server. */
  readonly next: string;
}

const SNAPSHOT = `SELECT txid_snapshot_xmin(s)::text AS oldest, txid_snapshot_xmax(s)::text AS next,
    has_function_privilege('pg_control_system()', 'EXECUTE') AND has_function_privilege('pg_control_checkpoint()', 'EXECUTE') AS may
  FROM txid_current_snapshot() AS s`;
const SERVER = `SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), (SELECT timeline_id FROM pg_control_checkpoint()),
    (SELECT oid FROM pg_database WHERE datname = current_database())) AS server`;

/** Tells what the transaction sees. @throws ForeignFault */
export async function instantOf(database: ForeignDatabase): Promise<Instant> {
  const [seen] = await database.rows(SNAPSHOT);
  // To name a function that one may not call is a fault, whether it is called or not.
  const [told] = seen?.['may'] === true ? await database.rows(SERVER) : [];
  return { server: String(told?.['server'] ?? ''), oldest: String(seen?.['oldest']), next: String(seen?.['next']) };
}

/** Rows tell the last 32 bits of who wrote them, which are compared over half of these. */
const MOST_APART = 2n ** 30n;

/** Whether rows tell what was written since: on the same server, and not too long ago. */
export function isSince(seen: Pick<Instant, 'server' | 'oldest'>, now: Instant): boolean {
  const apart = BigInt(now.oldest) - BigInt(seen.oldest);
  return seen.server !== '' && seen.server === now.server && apart >= 0n && apart < MOST_APART;
}

/**
 * SQL: whether a row of `t` was written since. Every version of a row tells the transaction that wrote it; that of one
 * that was written anew by VACUUM FULL or CLUSTER stays, and one that was loaded from a dump is new.
 */
export function isNewSql({ oldest }: Pick<Instant, 'oldest'>): string {
  return `(age(t.xmin) <= (SELECT age('${BigInt.asUintN(32, BigInt(oldest))}'::xid)))`;
}
