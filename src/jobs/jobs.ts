import { purgeTombstones } from '../recipes/multitenancy/purge-tombstones.ts';
import { removeExpiredSessions } from '../recipes/session/expiry.ts';
import type { Store } from '../store/store.ts';
import { COLLECTIONS } from './collections.ts';
import type { Job } from './runner.ts';

/** What jobs work with. */
export interface JobServices {
  readonly store: Store;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every periodic work of the product (contract 01 section 11). No expiry check at use depends on it. */
export const JOBS: readonly Job<JobServices>[] = [
  { name: 'expired-sessions', everyMs: 12 * HOUR_MS, run: ({ store, now }, limit) => removeExpiredSessions(store, now(), limit) },
  { name: 'removed-tenants', everyMs: MINUTE_MS, run: ({ store, now }, limit) => purgeTombstones(store, COLLECTIONS, now(), limit) },
];
