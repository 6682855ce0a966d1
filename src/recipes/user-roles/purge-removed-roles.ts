import type { Store } from '../../store/store.ts';
import { assignments, removedRoles } from './records.ts';

/**
 * Deletes at most `limit` assignments of a removed role; answers whether there may be more. It may stop anywhere and
 * run twice: nobody sees them, and none are added, since whoever assigns a role reads it in the same transaction.
 */
export async function purgeRemovedRoles(store: Store, limit: number): Promise<boolean> {
  const [removed] = await store.read((reader) => reader.list(removedRoles, undefined, { prefix: [], limit: 1 }));
  if (!removed) return false;
  const { app, roleId } = removed;
  const keys = await store.read((reader) => reader.keys(assignments, 'byRole', { prefix: [app, roleId], limit }));
  await store.transact(async (tx) => {
    const found = await tx.getMany(keys.map((key) => ({ collection: assignments, key })));
    // Under the same name and user may stand an assignment of a role that was made since.
    for (const assignment of found) if (assignment?.roleId === roleId) await tx.delete(assignments, assignments.key(assignment));
    if (keys.length < limit) await tx.delete(removedRoles, [app, roleId]);
  });
  return true;
}
