import type { Commands } from '../../generated/commands.ts';
import type { AppNumber } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { queueEntries } from './records.ts';
import { checkQueueIds, TAKEN_AT_ONCE } from './remove-from-queue.ts';

/**
 * `POST /manage/v1/imports/retry`: queues users anew who could not be imported; what was wrong with them is forgotten.
 * Answers the ids of those that had failed, in the order of the request. @throws Refusal
 */
export async function retryFailed(context: Context, { ids }: Commands['bulk-import/retry-imports']): Promise<readonly string[]> {
  checkQueueIds(ids);
  const wanted = [...new Set(ids)];
  const retried: string[] = [];
  for (let at = 0; at < wanted.length; at += TAKEN_AT_ONCE)
    retried.push(...(await queueAgain(context, context.tenant.app, wanted.slice(at, at + TAKEN_AT_ONCE))));
  return retried;
}

function queueAgain({ store, now }: Context, app: AppNumber, ids: readonly string[]): Promise<string[]> {
  return store.transact(async (tx) => {
    const entries = await tx.getMany(ids.map((id) => ({ collection: queueEntries, key: [app, id] as const })));
    const failed = entries.filter((entry) => entry?.status === 'FAILED');
    // It keeps its place: who came first is tried first.
    for (const entry of failed)
      if (entry) await tx.put(queueEntries, { ...entry, status: 'NEW', updatedAt: now(), errorMessage: undefined });
    return failed.flatMap((entry) => (entry ? [entry.id] : []));
  });
}
