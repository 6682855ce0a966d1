import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findWebhook, UNKNOWN_WEBHOOK, type UnknownWebhook } from './find-webhook.ts';
import { faultIn } from './judge.ts';
import { postOf } from './send-batch.ts';

/** What came of a test. */
export interface TestDelivery {
  readonly status: 'OK';
  readonly isDelivered: boolean;
  /** The HTTP status of the answer. */
  readonly answered: number | null;
  readonly fault: string | null;
}

/** Each keeps a connection for seconds. */
const MOST_AT_ONCE = 8;
let underWay = 0;

/** `POST /manage/v1/webhooks/test`: posts an event of the kind `webhook.test` now, once, and tells what came of it. */
export async function sendTest(context: Context, { id }: Commands['webhooks/send-test']): Promise<UnknownWebhook | TestDelivery> {
  const { store, tenant, now, randomId } = context;
  const found = await store.read((reader) => findWebhook(reader, tenant.app, id));
  if (!found) return UNKNOWN_WEBHOOK;
  if (underWay >= MOST_AT_ONCE) throw new Refusal('not-now', { text: 'Other webhooks are being tested, try again later' });
  // Loaded when it is needed: no start waits for it.
  const { Outbound } = await import('../../outbound/outbound.ts');
  const outbound = new Outbound({ allowPrivate: () => tenant.config.webhook_allow_private });
  underWay += 1;
  try {
    const at = now();
    const event = `test_${randomId()}`;
    const { cud: connectionUriDomain, appId } = tenant;
    const data = { id: event, connectionUriDomain, appId, details: { webhook: id } };
    const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date(at).toISOString(), data });
    const outcome = await outbound.post(postOf(found.webhook, { event, body }, at));
    const fault = faultIn(outcome);
    return { status: 'OK', isDelivered: fault === null, answered: 'status' in outcome ? outcome.status : null, fault };
  } finally {
    underWay -= 1;
    outbound.close();
  }
}
