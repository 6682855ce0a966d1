/** What became of a transaction that was not answered in time: never kept, now or later; or nobody knows yet. */
export type LostOutcome = 'not-kept' | 'unknown';

const TEXTS: Readonly<Record<LostOutcome, string>> = {
  'not-kept': 'the store takes no writes at present; nothing of the transaction was kept',
  unknown: 'the store did not answer; whether the transaction was kept is unknown',
};

/** Tells callers that nobody knows the outcome; clients that retry by themselves know it by this text. */
export const UNKNOWN_OUTCOME_TEXT = 'The store did not answer, whether the change was kept is unknown';

const NAME = 'StoreUnavailable';

/** The store did not take a transaction in time. After an unknown outcome, who tries again has to look first. */
export class StoreUnavailable extends Error {
  override readonly name = NAME;
  readonly outcome: LostOutcome;

  constructor(outcome: LostOutcome) {
    super(TEXTS[outcome]);
    this.outcome = outcome;
  }
}

/** The outcome of a `StoreUnavailable`, also of one from another thread, which lost its class; else undefined. */
export function lostOutcome(thrown: unknown): LostOutcome | undefined {
  if (!(thrown instanceof Error && thrown.name === NAME && 'outcome' in thrown)) return undefined;
  return thrown.outcome === 'not-kept' ? 'not-kept' : 'unknown';
}
