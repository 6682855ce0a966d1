import type { Commands } from '../../generated/commands.ts';
import { LIMITS } from '../../config/limits.ts';
import { deleteAll } from '../../store/delete-all.ts';
import type { AppNumber, Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { queueEntries } from './records.ts';

/** Entries that one transaction reads: each has up to 8 MiB, and a transaction remembers what it read. */
export const TAKEN_AT_ONCE = 50;

/** Which entries were removed, and which ids had none; each in the order of the request. */
export interface RemovedEntries {
  readonly deletedIds: readonly string[];
  readonly invalidIds: readonly string[];
}

/** `POST /bulk-import/users/remove` (contract 05 section 6.7). An empty list is answered before the app is sought. */
export async function removeFromQueue(context: Context, { ids }: Commands['bulk-import/remove-from-queue']): Promise<RemovedEntries> {
  checkQueueIds(ids);
  if (ids.length === 0) return { deletedIds: [], invalidIds: [] };
  const { app } = await SCOPES.app(context.address, context.traits, context.directory);
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += TAKEN_AT_ONCE) {
    const removed = await removeEntries(context.store, app, ids.slice(at, at + TAKEN_AT_ONCE));
    for (const id of removed) found.add(id);
  }
  return { deletedIds: ids.filter((id) => found.has(id)), invalidIds: ids.filter((id) => !found.has(id)) };
}

/** @throws Refusal for too many ids, or one that is empty */
export function checkQueueIds(ids: readonly string[]): void {
  if (ids.length > LIMITS.queuePage)
    throw new Refusal('bad-input', { text: `Field name 'ids' cannot contain more than ${LIMITS.queuePage} elements` });
  if (ids.includes('')) throw new Refusal('bad-input', { text: "Field name 'ids' cannot contain an empty string" });
}

/** Removes entries in one transaction; answers the ids of those that were there. */
function removeEntries(store: Store, app: AppNumber, ids: readonly string[]): Promise<string[]> {
  return store.transact(async (tx) => {
    const keys = ids.map((id) => [app, id] as const);
    return (await deleteAll(tx, queueEntries, keys)).map(([, id]) => id);
  });
}
