import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** A secret with which messages are signed. */
export interface SigningSecret {
  /** As receivers keep it: `whsec_` and base64. */
  readonly secret: string;
  /** ms since the epoch; null: until another takes its place. */
  readonly until: number | null;
}

/** Where events of an app are sent, as operators have said. */
export interface Webhook {
  readonly app: AppNumber;
  readonly id: string;
  readonly url: string;
  /** Kinds of events, exact or such as `user.*`; `*` for all. */
  readonly kinds: readonly string[];
  /** Only events of this tenant; null: of the whole app. */
  readonly tenantId: string | null;
  readonly description: string;
  /** Connection URI domain and id of the app, by which its events are found. */
  readonly cud: string;
  readonly appId: string;
  readonly isEnabled: boolean;
  /** Why the core disabled it; null where it did not. */
  readonly disabledBecause: string | null;
  /** Since when it is enabled or disabled, ms since the epoch. */
  readonly switchedAt: number;
  readonly createdAt: number;
  /** The newest first; the one before it during a rotation. */
  readonly secrets: readonly SigningSecret[];
}

export const webhooks = defineCollection({
  id: 80,
  name: 'webhooks',
  scope: 'app',
  format: 1,
  fields: {
    app: 1,
    id: 2,
    url: 3,
    kinds: 4,
    tenantId: 5,
    description: 6,
    cud: 7,
    appId: 8,
    isEnabled: 9,
    disabledBecause: 10,
    switchedAt: 11,
    createdAt: 12,
    secrets: 13,
  },
  key: (w: Webhook) => [w.app, w.id],
});

/** What came of an attempt. */
export interface AttemptRecord {
  readonly sequence: number;
  readonly kind: string;
  /** When it ended, ms since the epoch. */
  readonly at: number;
  /** How long it took. */
  readonly ms: number;
  /** Of the answer, and null where there is none. */
  readonly status: number | null;
  /** Why it does not count as delivered. */
  readonly fault: string | null;
}

/** How far a webhook has come. Apart from what operators say of it, which deliveries do not change. Times in ms. */
export interface WebhookState {
  readonly app: AppNumber;
  readonly id: string;
  /** Events of the trail up to this sequence number have been looked at, and queued where they are wanted. */
  readonly cursor: number;
  /** How many messages are queued, and how many are dead. */
  readonly queued: number;
  readonly dead: number;
  /** Messages that failed at their first attempt since the last success: many of them, and the target is away. */
  readonly failedInRow: number;
  /** When the first of these failed; null: none did. */
  readonly failingSince: number | null;
  /** Attempts at a target that is away, and when the next one is due. */
  readonly probes: number;
  readonly restUntil: number;
  /** When the target came back last: what was tried before is due at once. */
  readonly cameBackAt: number;
  readonly deliveredAt: number | null;
  /** Changed by operators only, so that whoever remembers something looks again. */
  readonly revision: number;
  /** The last ones, the newest first. */
  readonly attempts: readonly AttemptRecord[];
}

export const webhookStates = defineCollection({
  id: 81,
  name: 'webhook_states',
  scope: 'app',
  format: 1,
  fields: {
    app: 1,
    id: 2,
    cursor: 3,
    queued: 4,
    dead: 5,
    failedInRow: 6,
    failingSince: 7,
    probes: 8,
    restUntil: 9,
    cameBackAt: 10,
    deliveredAt: 11,
    revision: 12,
    attempts: 13,
  },
  key: (s: WebhookState) => [s.app, s.id],
});

/** A message to one webhook. It holds all that is sent, so that nothing it needs can be gone when its time comes. */
export interface Message {
  readonly app: AppNumber;
  readonly webhook: string;
  /** Of the event, its place in the trail. */
  readonly sequence: number;
  /** The id of the event, the same for all webhooks and attempts. */
  readonly event: string;
  readonly kind: string;
  /** Of the event, ms since the epoch. */
  readonly at: number;
  /** The user, `''` for none: messages of one line are sent one after the other. */
  readonly line: string;
  /** JSON. */
  readonly body: string;
  readonly attempts: number;
  /** ms since the epoch; 0: at once. */
  readonly nextAt: number;
  readonly firstTriedAt: number | null;
  readonly lastTriedAt: number | null;
  /** Why the last attempt failed. */
  readonly fault: string | null;
}

const MESSAGE_FIELDS = {
  app: 1,
  webhook: 2,
  sequence: 3,
  event: 4,
  kind: 5,
  at: 6,
  line: 7,
  body: 8,
  attempts: 9,
  nextAt: 10,
  firstTriedAt: 11,
  lastTriedAt: 12,
  fault: 13,
} as const;

/** Messages that wait to be sent, or for the next attempt. */
export const queuedMessages = defineCollection({
  id: 82,
  name: 'webhook_queue',
  scope: 'app',
  format: 1,
  fields: MESSAGE_FIELDS,
  key: (m: Message) => [m.app, m.webhook, m.sequence],
});

/** Messages that were given up. */
export const deadMessages = defineCollection({
  id: 83,
  name: 'webhook_dead_letters',
  scope: 'app',
  format: 1,
  fields: MESSAGE_FIELDS,
  key: (m: Message) => [m.app, m.webhook, m.sequence],
});
