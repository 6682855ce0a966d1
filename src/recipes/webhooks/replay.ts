import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Transaction } from '../../store/store.ts';
import { readEvents } from '../audit/read-events.ts';
import { recordEvent } from '../audit/record-event.ts';
import { headOf } from '../audit/seal.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findWebhook, UNKNOWN_WEBHOOK, type UnknownWebhook } from './find-webhook.ts';
import { BATCH, MOST_DEAD } from './limits.ts';
import { UNTRIED } from './message.ts';
import { deadMessages, type Message, queuedMessages, type Webhook, webhookStates } from './records.ts';

type Command = Commands['webhooks/replay'];

/** What is sent again. */
export type Replayed =
  | UnknownWebhook
  | { readonly status: 'UNKNOWN_DEAD_LETTER_ERROR' }
  /** So many dead letters. */
  | { readonly status: 'OK'; readonly deadLetters: number }
  /** All events that are kept, from this place of the trail on. */
  | { readonly status: 'OK'; readonly position: number };

/** What may be given, exactly one of it. */
const WAYS = ['sequence', 'deadLetters', 'position', 'since'] as const;

/** `POST /manage/v1/webhooks/replay`: dead letters, or the trail from a place or time on. @throws Refusal */
export async function replay(context: Context, command: Command): Promise<Replayed> {
  const { store, tenant } = context;
  if (WAYS.filter((way) => command[way] !== undefined && command[way] !== false).length !== 1)
    throw bad(`Give exactly one of ${WAYS.join(', ')}`);
  const found = await store.read((reader) => findWebhook(reader, tenant.app, command.id));
  if (!found) return UNKNOWN_WEBHOOK;
  if (command.sequence !== undefined) return replayOne(context, found.webhook, command.sequence);
  if (command.deadLetters) return replayAll(context, found.webhook);
  return replayTrail(context, found.webhook, await placeMeant(context, found.webhook, command));
}

/** The first event that is sent again. */
async function placeMeant({ store }: Context, { cud, appId }: Webhook, { position, since }: Command): Promise<number> {
  if (since === undefined) {
    const { last } = await store.read(headOf);
    if (position === undefined || position < 1 || position > last + 1) throw bad(`position must be between 1 and ${last + 1}`);
    return position;
  }
  for (let from: number | undefined; ; ) {
    const page = await readEvents(store, { app: { cud, appId }, since }, { limit: 1, reverse: false, from });
    const [first] = page.events;
    if (first) return first.sequence;
    if (!page.isMore) return page.position + 1;
    from = page.position;
  }
}

/** Goes back in the trail; what waits from there on is taken from it anew. */
async function replayTrail(context: Context, { app, id }: Webhook, position: number): Promise<Replayed> {
  return context.store.transact(async (tx) => {
    const state = await tx.get(webhookStates, [app, id]);
    if (!state) return UNKNOWN_WEBHOOK;
    const behind = await tx.keys(queuedMessages, undefined, {
      prefix: [app, id],
      from: [app, id, position],
      limit: MOST_DEAD + state.queued,
    });
    await tx.getMany(behind.map((key) => ({ collection: queuedMessages, key })));
    for (const key of behind) await tx.delete(queuedMessages, key);
    const queued = state.queued - behind.length;
    await tx.put(webhookStates, { ...state, cursor: position - 1, queued, revision: state.revision + 1 });
    await recordEvent(tx, context, 'webhook.replayed', { details: { webhook: id, position } });
    return { status: 'OK', position };
  });
}

async function replayOne(context: Context, { app, id }: Webhook, sequence: number): Promise<Replayed> {
  return context.store.transact(async (tx) => {
    const message = await tx.get(deadMessages, [app, id, sequence]);
    if (!message) return { status: 'UNKNOWN_DEAD_LETTER_ERROR' };
    if (!(await revive(tx, app, id, [message]))) return UNKNOWN_WEBHOOK;
    await recordEvent(tx, context, 'webhook.replayed', { details: { webhook: id, sequence } });
    return { status: 'OK', deadLetters: 1 };
  });
}

/** Some at a time: all at once would hold up other transactions. */
async function replayAll(context: Context, { app, id }: Webhook): Promise<Replayed> {
  let revived = 0;
  for (let isMore = true; isMore; ) {
    const count = await context.store.transact(async (tx) => {
      const some = await tx.list(deadMessages, undefined, { prefix: [app, id], limit: BATCH });
      await revive(tx, app, id, some);
      return some.length;
    });
    revived += count;
    isMore = count === BATCH && revived < MOST_DEAD;
  }
  await context.store.transact((tx) => recordEvent(tx, context, 'webhook.replayed', { details: { webhook: id, deadLetters: revived } }));
  return { status: 'OK', deadLetters: revived };
}

/** Queues dead letters as if they had never been tried; answers whether their webhook is still there. */
async function revive(tx: Transaction, app: AppNumber, id: string, messages: readonly Message[]): Promise<boolean> {
  const state = await tx.get(webhookStates, [app, id]);
  if (!state) return false;
  const queued = await tx.getMany(messages.map((message) => ({ collection: queuedMessages, key: queuedMessages.key(message) })));
  for (const message of messages) {
    await tx.delete(deadMessages, deadMessages.key(message));
    await tx.put(queuedMessages, { ...message, ...UNTRIED });
  }
  const fresh = queued.filter((known) => !known).length;
  await tx.put(webhookStates, {
    ...state,
    queued: state.queued + fresh,
    dead: state.dead - messages.length,
    revision: state.revision + 1,
  });
  return true;
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
