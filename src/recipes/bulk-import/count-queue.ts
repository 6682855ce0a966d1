import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { statusesOf } from './list-queue.ts';
import { queueEntries } from './records.ts';

/** `GET /bulk-import/users/count` (contract 05 section 6.6). */
export function countQueue({ store, tenant }: Context, command: Commands['bulk-import/count-queue']): Promise<number> {
  return store.read(async (reader) => {
    const prefixes = statusesOf(command.status).map((status) => [status, tenant.app] as const);
    const counts = await Promise.all(prefixes.map((prefix) => reader.count(queueEntries, 'byStatus', { prefix })));
    return counts.reduce((sum, count) => sum + count, 0);
  });
}
