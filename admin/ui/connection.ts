import { signal } from '@preact/signals';

/** Whether the core answered last time; the page says so where it did not, and asks again by itself. */
export const isReachable = signal(true);

/** Rises when the core is back and when an ended session was renewed: what pages could not ask meanwhile, they ask then. */
export const renewals = signal(0);

export function reached(): void {
  if (!isReachable.value) renewals.value += 1;
  isReachable.value = true;
}

export function unreached(): void {
  isReachable.value = false;
}
