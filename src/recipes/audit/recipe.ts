import { type Job, HOUR_MS, type Recipe } from '../recipe.ts';
import { BASE_ADDRESS } from '../tenants/ensure-base-tenant.ts';
import { lowestCursor } from '../webhooks/lowest-cursor.ts';
import { SYSTEM } from './event.ts';
import { blocks, pendingEvents, trailEnds } from './records.ts';
import { SEAL_EVERY_MS, sealEvents, waitingEvents } from './seal.ts';
import { trimTrail } from './trim.ts';

const DAY_MS = 24 * HOUR_MS;
/** How much longer events are kept for webhooks that have not come so far. */
const WAIT_FOR_WEBHOOKS_MS = 30 * DAY_MS;

/** The job that seals. Damaged events stay where they are; that there are more of them is a failure of it, once. */
function sealing(): Job {
  let known = 0;
  return {
    name: 'seal-audit',
    everyMs: SEAL_EVERY_MS,
    hasWork: async ({ store }) => {
      const { events, damaged } = await store.read((reader) => waitingEvents(reader, 1));
      const isNews = damaged > known;
      known = Math.max(known, damaged);
      if (isNews)
        throw new Error(`${damaged} damaged events of the audit trail were left unsealed: "watchword audit --verify" tells of them`);
      return events.length > 0;
    },
    run: ({ store, now }, limit) => sealEvents(store, now(), limit),
  };
}

const trimming: Job = {
  name: 'trim-audit',
  everyMs: HOUR_MS,
  run: async ({ store, directory, trail, now }, limit) => {
    const base = await directory.find(BASE_ADDRESS);
    if (!base) return false;
    const before = now() - base.config.audit_retention * DAY_MS;
    const recorder = { trail, actor: SYSTEM, via: 'trim-audit', now, tenant: BASE_ADDRESS };
    // What no webhook waits for first, then what none is waited for any longer.
    const isMore = await trimTrail(store, recorder, before, limit, (await lowestCursor(store)) ?? Number.MAX_SAFE_INTEGER);
    return (await trimTrail(store, recorder, before - WAIT_FOR_WEBHOOKS_MS, limit, Number.MAX_SAFE_INTEGER)) || isMore;
  },
};

/** Who changed what and when. */
export const auditRecipe: Recipe = { collections: [pendingEvents, blocks, trailEnds], jobs: [sealing(), trimming] };
