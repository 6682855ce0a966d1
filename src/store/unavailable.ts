/** What became of a transaction that the store did not answer in time: nothing of it was kept and never will be; or nobody knows yet. */
export type LostOutcome = 'not-kept' | 'unknown';

const TEXTS: Readonly<Record<LostOutcome, string>> = {
  'not-kept': 'the store takes no writes at present; nothing of the transaction was kept',
  unknown: 'the store did not answer; whether the transaction was kept is unknown',
};

/** How a caller is told that nobody knows the outcome. A client that tries again by itself tells it by this text from "nothing was done". */
export const UNKNOWN_OUTCOME_TEXT = 'The store did not answer, whether the change was kept is unknown';

const NAME = 'StoreUnavailable';

/**
 * The store did not take a transaction in time. Where the outcome is unknown, nobody may take the transaction for not done: who tries again
 * or makes up for it has to look first.
 */
export class StoreUnavailable extends Error {
  override readonly name = NAME;
  readonly outcome: LostOutcome;

  constructor(outcome: LostOutcome) {
    super(TEXTS[outcome]);
    this.outcome = outcome;
  }
}

/** The outcome that a `StoreUnavailable` tells of, also of one that crossed from another thread, where errors lose their class; undefined of any other. */
export function lostOutcome(thrown: unknown): LostOutcome | undefined {
  if (!(thrown instanceof Error && thrown.name === NAME && 'outcome' in thrown)) return undefined;
  return thrown.outcome === 'not-kept' ? 'not-kept' : 'unknown';
}
