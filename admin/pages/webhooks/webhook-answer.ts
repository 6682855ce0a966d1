import type { components } from '../../generated/api.ts';

export type Webhook = components['schemas']['WebhooksWebhook'];
export type Attempt = components['schemas']['WebhooksWebhookAttempt'];
export type Message = components['schemas']['WebhooksWebhookMessage'];
export type Waiting = components['schemas']['WebhooksWebhookWaiting'];
