/** Before the second attempt; doubled before each further one. */
const FIRST_WAIT_MS = 5_000;
export const LONGEST_WAIT_MS = 3_600_000;
/** A target that is away is asked more often: one attempt brings back everything that waits for it. */
export const LONGEST_REST_MS = 300_000;

/** At least half of it, so that what failed together is not tried again together. */
const jittered = (ms: number, unit: number): number => Math.round(ms * (0.5 + unit / 2));

/** Whether a time has come; one further ahead than any that is set is from before the clock was set back. */
export const hasCome = (at: number, now: number, longestMs: number): boolean => at <= now || at - now > longestMs;

/** How many ms to wait after a number of failed attempts at one message. @param unit random, uniform in [0, 1) */
export function waitAfter(attempts: number, unit: number): number {
  return jittered(Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS), unit);
}

/** The same where the target is away. @param probes attempts since it is */
export function restAfter(probes: number, unit: number): number {
  return jittered(Math.min(FIRST_WAIT_MS * 2 ** (probes - 1), LONGEST_REST_MS), unit);
}
