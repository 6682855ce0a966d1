import { webhooks } from '../../src/recipes/webhooks/records.ts';
import type { InProcessAnswer, InProcessCore } from '../in-process-core.ts';
import { plain, prepared, type Scenario } from './scenario.ts';

const WEBHOOKS = '/manage/v1/webhooks';

async function newWebhook(core: InProcessCore, _made?: unknown, url = 'https://example.com/'): Promise<string> {
  const { body } = await core.call('POST', WEBHOOKS, { url, kinds: ['*'] });
  return (body['webhook'] as { id: string }).id;
}

/** One that leads nowhere: its name never exists, and where the store can be reached, its target is refused unasked. */
async function nowhere(core: InProcessCore): Promise<string> {
  const id = await newWebhook(core, undefined, 'https://receiver.invalid/');
  await core.services.store.transact(async (tx) => {
    const all = await tx.list(webhooks, undefined, { prefix: [], limit: 100 });
    const webhook = all.find((one) => one.id === id);
    if (webhook) await tx.put(webhooks, { ...webhook, url: 'https://127.0.0.1/' });
  });
  return id;
}

/** A call of a webhook that was made before. */
function ofWebhook(method: 'GET' | 'POST', path: string, budget: number, more: object = {}, make = newWebhook): Scenario {
  const play = (core: InProcessCore, _made: unknown, id: string): Promise<InProcessAnswer> =>
    method === 'GET' ? core.call(method, `${WEBHOOKS}${path}?id=${id}`) : core.call(method, `${WEBHOOKS}${path}`, { id, ...more });
  return prepared(`${method} ${WEBHOOKS}${path}`, budget, make, play);
}

export const WEBHOOK_ROUNDS: readonly Scenario[] = [
  plain(2, `GET ${WEBHOOKS}`),
  plain(3, `POST ${WEBHOOKS}`, { url: 'https://example.com/', kinds: ['*'] }),
  ofWebhook('POST', '/update', 2, { isEnabled: false }),
  ofWebhook('POST', '/remove', 5),
  ofWebhook('POST', '/rotate-secret', 2),
  ofWebhook('GET', '/deliveries', 2),
  ofWebhook('GET', '/dead-letters', 2),
  ofWebhook('POST', '/replay', 5, { position: 1 }),
  ofWebhook('POST', '/test', 2, {}, nowhere),
];
