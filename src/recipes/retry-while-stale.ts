/** A verb that reads, signs or checks, and then commits answers this where what it worked on has changed in between. */
export type Stale = 'stale';

/** Attempts that commit only if all that was signed over is still so. Chance rivals are gone by then. */
const STRICT_ATTEMPTS = 3;
/** Attempts in all: from the fourth on, hardly any verb can be stale any more. */
const MOST_ATTEMPTS = 10;

/** What a request works on changed during each attempt; nothing was kept. The front answers 503 with `Retry-After`. */
export class EndlessConflictError extends Error {
  override readonly name = 'EndlessConflictError';
}

/**
 * Attempts something until it is not stale, a bounded number of times (docs/decisions/0014).
 * @param attempt told whether to be strict; if not, it commits what it read at its beginning, wherever that is right
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
