import type { SamlTestRecord } from './records.ts';

/** How a test of an operator stands. */
export type TestState = 'waiting' | 'accepted' | 'refused' | 'expired';

/** Whether an answer still counts. @param now ms since the epoch */
export function isWaiting(test: SamlTestRecord, now: number): boolean {
  return test.endedAt === null && now <= test.waitsUntil;
}

export function stateOf(test: SamlTestRecord, now: number): TestState {
  if (test.endedAt !== null) return test.isAccepted ? 'accepted' : 'refused';
  return isWaiting(test, now) ? 'waiting' : 'expired';
}
