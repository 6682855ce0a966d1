/** After so long without a hand on it a page asks nothing by itself, so that a forgotten one lets its session end. */
const FORGOTTEN_MS = 15 * 60_000;
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'];

let lastSign = Date.now();
for (const sign of SIGNS) addEventListener(sign, () => (lastSign = Date.now()), { passive: true, capture: true });

/** Whether somebody may be looking. */
export const isAttended = (): boolean => document.visibilityState === 'visible' && Date.now() - lastSign < FORGOTTEN_MS;
