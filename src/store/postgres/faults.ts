import { StoreUnavailable } from '../unavailable.ts';
import { placeOf } from './servers.ts';

const DUPLICATE = '23505';

/**
 * Codes that mean: run again. Something read is not as it was (a statement of ours divides by zero then), a key is
 * taken by now, a race was lost, locks were waited for in a circle or for too long.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['22012', DUPLICATE, '40001', '40P01', '55P03']);

/** Classes and codes by which a database says that it is there, but not now: restarting, failing over, full. */
const PASSING = /^(?:08|53|57|58|25006|40003)/;

/** Those after which a session is of no more use: it ends, its server takes no writes, or it lost what was prepared. */
const SPENT = /^(?:08|57P|25006|26000|0A000)/;

/** Those that do not say what became of a transaction: its session ended meanwhile, or the database does not know. */
const DOUBTFUL = /^(?:08|57P|40003)/;

/** A connection that broke, was cut because nothing was answered, or could not be made. */
export class ConnectionLost extends Error {}

/** The SQLSTATE of an error of the database; undefined for errors on the way to it, which have other codes (EPIPE). */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const states =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    pattern.test(stateOf(error) ?? '');

/** Whether a transaction lost to another. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(stateOf(error) ?? '');

const isPassing = states(PASSING);

/** Whether an error says that the database is out of reach at present: it, or the way to it. */
export const isOutage = (error: unknown): boolean => error instanceof ConnectionLost || isPassing(error);

/** Whether the session that answered this should not be used again. */
export const isSpent = states(SPENT);

const isVague = states(DOUBTFUL);

/** Whether a transaction that failed so may have been kept all the same. */
export const isDoubtful = (error: unknown): boolean => error instanceof ConnectionLost || isVague(error);

/** What callers are told where the database is out of reach and nothing was written. */
export function unreachable(cause: unknown): StoreUnavailable {
  return Object.assign(new StoreUnavailable('not-kept'), { cause });
}

/** What callers of a read are told: `unreachable` where it is. */
export const told = (error: unknown): unknown => (isOutage(error) || isConflict(error) ? unreachable(error) : error);

/** What is told of a database that cannot be used: one line, no secrets. */
export function cannotUse(url: string, error: unknown): Error {
  return new Error(`the database ${placeOf(url)} cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** What an error says, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The library gathers the failures of all addresses of a host.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const text = first instanceof Error ? first.message : error.message;
  return text === '' ? error.name : (text.split('\n')[0] ?? '');
}
