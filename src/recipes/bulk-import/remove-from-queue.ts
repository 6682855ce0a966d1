import type { Commands } from '../../generated/commands.ts';
import { LIMITS } from '../../config/limits.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { queueEntries } from './records.ts';

/** Which entries were removed, and which ids had none; each in the order of the request. */
export interface RemovedEntries {
  readonly deletedIds: readonly string[];
  readonly invalidIds: readonly string[];
}

/** `POST /bulk-import/users/remove` (contract 05 section 6.7). An empty list is answered before the app is looked for. */
export async function removeFromQueue(context: Context, { ids }: Commands['bulk-import/remove-from-queue']): Promise<RemovedEntries> {
  if (ids.length > LIMITS.queuePage)
    throw new Refusal('bad-input', { text: `Field name 'ids' cannot contain more than ${LIMITS.queuePage} elements` });
  if (ids.includes('')) throw new Refusal('bad-input', { text: "Field name 'ids' cannot contain an empty string" });
  if (ids.length === 0) return { deletedIds: [], invalidIds: [] };
  const { app } = await SCOPES.app(context.address, context.traits, context.directory);
  return context.store.transact(async (tx) => {
    await tx.getMany(ids.map((id) => ({ collection: queueEntries, key: [app, id] })));
    const found = new Set<string>();
    for (const id of ids) if (await tx.delete(queueEntries, [app, id])) found.add(id);
    return { deletedIds: ids.filter((id) => found.has(id)), invalidIds: ids.filter((id) => !found.has(id)) };
  });
}
