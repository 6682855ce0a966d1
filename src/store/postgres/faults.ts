import { StoreUnavailable } from '../unavailable.ts';

const DUPLICATE = '23505';

/**
 * Codes that mean: run again. Something read is not as it was (a statement of ours divides by zero then), a key is
 * taken by now, a race was lost, locks were waited for in a circle or for too long.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['22012', DUPLICATE, '40001', '40P01', '55P03']);

/** The SQLSTATE of an error of the database; undefined for errors on the way to it, which have other codes (EPIPE). */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a transaction lost to another. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(stateOf(error) ?? '');

/** Classes and codes by which a database says that it is there, but not now: restarting, failing over, full. */
const PASSING = /^(?:08|53|57|25006|40003)/;

/** Whether an error says that the database is out of reach at present: it, or the way to it. */
export function isOutage(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined ? !(error instanceof TypeError || error instanceof RangeError) : PASSING.test(state);
}

/** What callers are told where the database is out of reach and nothing was written. */
export function unreachable(cause: unknown): StoreUnavailable {
  return Object.assign(new StoreUnavailable('not-kept'), { cause });
}
