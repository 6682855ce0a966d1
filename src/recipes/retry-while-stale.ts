/** A verb that reads, signs or checks, and then commits answers this where what it worked on has changed in between. */
export type Stale = 'stale';

/** Attempts in which all that was signed over must still be so at the commit. Rivals that come by chance are gone by then. */
const STRICT_ATTEMPTS = 3;
/** Attempts in all: from the fourth on, hardly any verb can be stale any more. */
const MOST_ATTEMPTS = 10;

/** What a request works on was changed by others during each of its attempts. Nothing of it was kept; the HTTP front answers 503 with `Retry-After`. */
export class EndlessConflictError extends Error {
  override readonly name = 'EndlessConflictError';
}

/**
 * Attempts something until it is not stale, a bounded number of times (docs/decisions/0014).
 * @param attempt told whether it has to be strict; else it commits with what it read at its own beginning, wherever that is right
 * @throws EndlessConflictError
 */
export async function retryWhileStale<T extends string | object>(
  attempt: (isStrict: boolean) => Promise<T | Stale>,
): Promise<Exclude<T, Stale>> {
  for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
    const result = await attempt(attempts < STRICT_ATTEMPTS);
    if (result !== 'stale') return result as Exclude<T, Stale>;
  }
  throw new EndlessConflictError('what a request worked on changed during every attempt');
}
