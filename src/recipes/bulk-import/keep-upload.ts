import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UploadedUsers, UploadPlace, UploadReader, Uploads } from '../uploads.ts';
import type { AppNumber, Store } from '../../store/store.ts';
import { tenantExists } from '../tenants/tenant-exists.ts';
import { type QueueEntry, queueEntries } from './records.ts';

const ID_LENGTH = 36;
/** Entries that are made in one turn of the event loop: a millisecond or two. */
const A_TURN = 200;
/** Half of the time before a removed app is purged: who waited no longer need not check that the app still exists. */
const TRUSTED_MS = 30_000;

/** Takes in uploads in the calling thread: `reader` reads them, and the users are queued (contract 05 section 6.4). */
export function openUploads(reader: UploadReader, store: Store, now: () => number): Uploads {
  return {
    takeUpload: async (body, rules, place) => {
      const read = await reader.readUpload(body, rules);
      if (read.kind !== 'users') return read;
      if (place && read.count > 0 && !(await keep(store, place, read, { since: rules.now, now }))) return { kind: 'gone' };
      return { kind: 'users', count: read.count, answer: read.answer };
    },
  };
}

/**
 * One transaction for all, so that nobody sees half of them; other requests have their turn while it is made. Answers
 * false where the app is gone: a body may wait for its lane until after the purge, and its entries would stay forever.
 * @param time `since`: when the app was there
 */
async function keep(
  store: Store,
  { app, tenant }: UploadPlace,
  users: UploadedUsers,
  { since, now }: { readonly since: number; readonly now: () => number },
): Promise<boolean> {
  const ahead = await aheadOf(store, now);
  return store.transact(async (tx) => {
    // The clocks of two threads are compared, and may have been set back between.
    if (Math.abs(now() - since) > TRUSTED_MS && !(await tenantExists(tx, app, tenant))) return false;
    let last = 0;
    for (let n = 0; n < users.count; n++) {
      // A clock that is set back must not change the order.
      last = Math.max(last, now() + ahead);
      await tx.insert(queueEntries, entryOf(users, n, app, last));
      if (n % A_TURN === A_TURN - 1) await nextTurn();
    }
    return true;
  });
}

/** How far the clock of the store is ahead of ours, ms: what all nodes queue stands in one order and waits alike. */
async function aheadOf(store: Store, now: () => number): Promise<number> {
  const time = await store.time();
  return time === undefined ? 0 : time - now();
}

function entryOf({ ids, texts, ends }: UploadedUsers, n: number, app: AppNumber, createdAt: number): QueueEntry {
  const [start = 0, middle = 0, end = 0] = [ends[n * 2 - 1], ends[n * 2], ends[n * 2 + 1]];
  return {
    app,
    id: ids.slice(n * ID_LENGTH, (n + 1) * ID_LENGTH),
    status: 'NEW',
    createdAt,
    updatedAt: createdAt,
    user: texts.subarray(start, middle),
    ...(end > middle && { metadata: texts.subarray(middle, end) }),
  };
}
