import type { AnyCollection } from '../store/collection.ts';
import { type Expiring, removeExpired } from '../store/remove-expired.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { Store } from '../store/store.ts';
import type { Route } from './route.ts';
import type { TenantDirectory } from './tenants/directory.ts';
import type { UserData } from './user-data.ts';

/** What periodic work is done with. */
export interface JobServices {
  readonly store: Store;
  /** For what a tenant's own configuration decides. */
  readonly directory: TenantDirectory;
  /** Every collection of the product. */
  readonly collections: readonly AnyCollection[];
  /** For what a job changes by itself. */
  readonly trail: AuditTrail;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
}

/** One kind of periodic work. No expiry check at use depends on it (contract 01 section 11). */
export interface Job<S = JobServices> {
  readonly name: string;
  /** From the end of a run to the start of the next. The first comes one interval after a store first meets the job. */
  readonly everyMs: number;
  /** Whether there is anything to do, asked before the lease is taken: what runs often should not write for nothing. */
  readonly hasWork?: (services: S) => MaybePromise<boolean>;
  /** Does up to `limit` pieces of work in short transactions; whether there is more. May stop half way or run twice. */
  readonly run: (services: S, limit: number) => Promise<boolean>;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** Removes from collections what has ended. */
export function expiryJob(name: string, everyMs: number, ...collections: readonly Expiring[]): Job {
  const run = async ({ store, now }: JobServices, limit: number): Promise<boolean> => {
    let left = limit;
    for (const collection of collections) if (left > 0) left -= await removeExpired(store, collection, now(), left);
    return left <= 0;
  };
  return { name, everyMs, run };
}

/** All that the rest of the product knows of a recipe. Taken out of `recipes.ts`, it leaves nothing behind. */
export interface Recipe {
  /** What it keeps; whatever goes over all data (the purge of removed tenants, the check of a store) finds it here. */
  readonly collections?: readonly AnyCollection[];
  /** Its endpoints, loaded by the threads that serve them. */
  readonly routes?: () => Promise<{ readonly ROUTES: readonly Route[] }>;
  readonly jobs?: readonly Job[];
  /** What it keeps of users, for those who remove, map and export them. */
  readonly userData?: UserData;
}
