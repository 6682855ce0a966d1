import type { Store } from '../../store/store.ts';
import { readEvents } from '../audit/read-events.ts';
import { kindsMeant } from './kinds.ts';
import { BATCH, MOST_QUEUED } from './limits.ts';
import { newMessage } from './message.ts';
import { queuedMessages, type Webhook, webhookStates, type WebhookState } from './records.ts';

/** A cursor in events that are not wanted is kept so often: nothing is lost with it, and the trail may go on. */
const KEEP_EVERY = 100;

/** What came of a look at the trail. */
export interface Taken {
  /** Messages that are new in the queue. */
  readonly count: number;
  /** Up to where everything was looked at. */
  readonly position: number;
  readonly isMore: boolean;
}

/**
 * Queues the next events of the trail that a webhook wants, as far as there is room. @param from where to go on: the
 * cursor of `state`, or what a look before this found to be of no use behind it
 */
export async function takeEvents(store: Store, webhook: Webhook, state: WebhookState, from: number): Promise<Taken> {
  const { app, id, cud, appId, tenantId, kinds } = webhook;
  const limit = Math.min(BATCH, MOST_QUEUED - state.queued);
  if (limit <= 0) return { count: 0, position: from, isMore: false };
  const filter = { app: { cud, appId }, kinds: kindsMeant(kinds), tenantId: tenantId ?? undefined };
  const { events, position, isMore } = await readEvents(store, filter, { limit, reverse: false, from });
  const taken = { count: events.length, position, isMore };
  if (events.length === 0 && position - state.cursor < KEEP_EVERY) return taken;
  const isKept = await store.transact(async (tx) => {
    const current = await tx.get(webhookStates, [app, id]);
    // Removed, or sent back to an earlier place, meanwhile.
    if (current?.revision !== state.revision) return false;
    const messages = events.map((event) => newMessage(webhook, event));
    // One that was replayed may stand there already.
    const known = await tx.getMany(messages.map((message) => ({ collection: queuedMessages, key: queuedMessages.key(message) })));
    const fresh = messages.filter((_, at) => !known[at]);
    for (const message of fresh) await tx.put(queuedMessages, message);
    await tx.put(webhookStates, { ...current, cursor: position, queued: current.queued + fresh.length });
    return true;
  });
  return isKept ? taken : { count: 0, position: from, isMore: false };
}
