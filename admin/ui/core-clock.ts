/** By how many ms the core's clock is ahead of the browser's, which may be wrong by years. */
let aheadMs = 0;

/** The time by the core's clock, in ms since the epoch: whatever is compared with times of the core is compared with it. */
export const coreNow = (): number => Date.now() + aheadMs;

/** @param now what the core's clock said a moment ago */
export function setCoreClock(now: number): void {
  aheadMs = now - Date.now();
}
