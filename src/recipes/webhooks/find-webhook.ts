import type { AppNumber, Reader } from '../../store/store.ts';
import { type Webhook, webhooks, type WebhookState, webhookStates } from './records.ts';

/** The answer where an app has no webhook of that id. */
export interface UnknownWebhook {
  readonly status: 'UNKNOWN_WEBHOOK_ERROR';
}

export const UNKNOWN_WEBHOOK: UnknownWebhook = { status: 'UNKNOWN_WEBHOOK_ERROR' };

/** A webhook with its state, which are written together. */
export interface KnownWebhook {
  readonly webhook: Webhook;
  readonly state: WebhookState;
}

/** The webhook of an app with this id. */
export async function findWebhook(reader: Reader, app: AppNumber, id: string): Promise<KnownWebhook | undefined> {
  const [webhook, state] = await reader.getMany([
    { collection: webhooks, key: [app, id] },
    { collection: webhookStates, key: [app, id] },
  ]);
  return webhook && state && { webhook, state };
}
