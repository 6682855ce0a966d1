import type { Commands } from '../../generated/commands.ts';
import { LIMITS } from '../../config/limits.ts';
import { cursorIn, cursorText, mapPage } from '../../store/pages.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findWebhook, UNKNOWN_WEBHOOK, type UnknownWebhook } from './find-webhook.ts';
import { type AttemptRecord, deadMessages, type Message, queuedMessages } from './records.ts';

/** A message as operators see it. Times are ms since the epoch. */
export interface ShownMessage {
  /** Of its event. */
  readonly sequence: number;
  readonly eventId: string;
  readonly kind: string;
  readonly userId: string | null;
  readonly at: number;
  readonly attempts: number;
  readonly firstTriedAt: number | null;
  readonly lastTriedAt: number | null;
  /** Why the last attempt failed. */
  readonly fault: string | null;
}

/** A message that waits. */
export interface WaitingMessage extends ShownMessage {
  /** When it is tried at the latest, where its target is not away. */
  readonly nextAt: number;
}

/** What came of the last attempts, and what waits. */
export interface Deliveries {
  readonly status: 'OK';
  readonly attempts: readonly AttemptRecord[];
  /** The oldest ones. */
  readonly waiting: readonly WaitingMessage[];
}

const MOST_SHOWN = 100;

const shown = ({ sequence, event, kind, line, at, attempts, firstTriedAt, lastTriedAt, fault }: Message): ShownMessage => ({
  sequence,
  eventId: event,
  kind,
  userId: line === '' ? null : line,
  at,
  attempts,
  firstTriedAt,
  lastTriedAt,
  fault,
});

/** `GET /manage/v1/webhooks/deliveries` */
export function listDeliveries(
  { store, tenant }: Context,
  { id }: Commands['webhooks/list-deliveries'],
): Promise<UnknownWebhook | Deliveries> {
  return store.read(async (reader): Promise<UnknownWebhook | Deliveries> => {
    const found = await findWebhook(reader, tenant.app, id);
    if (!found) return UNKNOWN_WEBHOOK;
    const waiting = await reader.list(queuedMessages, undefined, { prefix: [tenant.app, id], limit: MOST_SHOWN });
    return {
      status: 'OK',
      attempts: found.state.attempts,
      waiting: waiting.map((message) => ({ ...shown(message), nextAt: message.nextAt })),
    };
  });
}

/** A page of messages that were given up, the oldest first. */
export interface DeadLetters {
  readonly status: 'OK';
  readonly deadLetters: readonly ShownMessage[];
  readonly nextPaginationToken: string | undefined;
}

/** `GET /manage/v1/webhooks/dead-letters` @throws Refusal */
export function listDeadLetters(
  { store, tenant }: Context,
  { id, limit = MOST_SHOWN, paginationToken }: Commands['webhooks/list-dead-letters'],
): Promise<UnknownWebhook | DeadLetters> {
  if (limit < 1 || limit > LIMITS.usersPage) throw new Refusal('bad-input', { text: `limit must be between 1 and ${LIMITS.usersPage}` });
  const range = { prefix: [tenant.app, id], limit, ...(paginationToken !== undefined && { at: cursorIn(paginationToken) }) } as const;
  return store.read(async (reader): Promise<UnknownWebhook | DeadLetters> => {
    if (!(await findWebhook(reader, tenant.app, id))) return UNKNOWN_WEBHOOK;
    const { items, next } = mapPage(await reader.page(deadMessages, undefined, range), shown);
    return { status: 'OK', deadLetters: items, nextPaginationToken: next && cursorText(next) };
  });
}
