import type { Store } from '../../store/store.ts';
import { type Recorder, writeEvent } from './record-event.ts';
import { blocks, trailEnds } from './records.ts';

/** Blocks that go in one transaction: each has an entry for every user whom it tells of. */
const MOST_AT_ONCE = 20;

/**
 * Removes up to `limit` blocks that were sealed before a time, the oldest first; answers whether there may be more. The
 * newest of them leaves its hash, on which the next one rests, and an event tells of it: an anchor of which no event
 * tells was not made here.
 * @param before ms since the epoch
 * @param upTo sequence number behind which somebody still reads
 */
export async function trimTrail(store: Store, recorder: Recorder, before: number, limit: number, upTo: number): Promise<boolean> {
  const most = Math.min(limit, MOST_AT_ONCE);
  const oldest = await store.read((reader) => reader.list(blocks, undefined, { prefix: [], until: [upTo + 1], limit: most }));
  const doomed = oldest.filter(({ sealedAt }) => sealedAt < before);
  const newest = doomed.at(-1);
  if (!newest) return false;
  const { last, sealedAt, hash } = newest;
  await store.transact(async (tx) => {
    for (const block of doomed) await tx.delete(blocks, blocks.key(block));
    await tx.put(trailEnds, { name: 'anchor', last, sealedAt, hash });
    await writeEvent(tx, recorder, 'audit.trimmed', { details: { upTo: last, hash } });
  });
  return doomed.length === most;
}
