import type { Context } from '../context.ts';
import { MOST_WEBHOOKS } from './limits.ts';
import { webhooks, webhookStates } from './records.ts';
import { showWebhook, type ShownWebhook } from './show-webhook.ts';

/** `GET /manage/v1/webhooks`: those of an app, the oldest first. */
export async function listWebhooks({ store, tenant, now }: Context): Promise<readonly ShownWebhook[]> {
  const range = { prefix: [tenant.app], limit: MOST_WEBHOOKS } as const;
  const [found, states] = await store.read((reader) =>
    Promise.all([reader.list(webhooks, undefined, range), reader.list(webhookStates, undefined, range)]),
  );
  const stateOf = new Map(states.map((state) => [state.id, state]));
  return found
    .flatMap((webhook) => {
      const state = stateOf.get(webhook.id);
      return state ? [showWebhook({ webhook, state }, now())] : [];
    })
    .toSorted((a, b) => a.createdAt - b.createdAt);
}
