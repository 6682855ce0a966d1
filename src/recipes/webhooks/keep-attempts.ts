import type { Store, Transaction } from '../../store/store.ts';
import { type Recorder, recordEvent } from '../audit/record-event.ts';
import { type Attempt, type Fate, isGivenUp, judge, type Judgement } from './judge.ts';
import { MOST_DEAD } from './limits.ts';
import { deadMessages, queuedMessages, type Webhook, webhooks, type WebhookState, webhookStates } from './records.ts';

/** How many messages met which fate. */
export type Fates = Readonly<Record<Fate, number>>;

const NOTHING: Fates = { delivered: 0, again: 0, dead: 0 };

/** Keeps what came of attempts, in one transaction; what operators removed or replayed meanwhile is left alone. */
export function keepAttempts(store: Store, { app, id }: Webhook, attempts: readonly Attempt[], recorder: Recorder): Promise<Fates> {
  return store.transact(async (tx) => {
    const [webhook, before] = await tx.getMany([
      { collection: webhooks, key: [app, id] },
      { collection: webhookStates, key: [app, id] },
    ]);
    if (!webhook || !before) return NOTHING;
    const rows = await tx.getMany(attempts.map(({ message }) => ({ collection: queuedMessages, key: queuedMessages.key(message) })));
    let state = before;
    const fates = { ...NOTHING };
    for (const [at, attempt] of attempts.entries()) {
      const message = rows[at];
      if (!message) continue;
      const judgement = judge(webhook, state, { ...attempt, message });
      state = await settle(tx, judgement);
      fates[judgement.fate] += 1;
    }
    const last = attempts.at(-1);
    if (last && webhook.isEnabled && isGivenUp(webhook, state, last.at)) await disable(tx, webhook, last, recorder);
    await tx.put(webhookStates, await withRoom(tx, state));
    return fates;
  });
}

/** Puts a message where it belongs; answers the state with that counted. */
async function settle(tx: Transaction, { fate, message, state }: Judgement): Promise<WebhookState> {
  if (fate === 'again') {
    await tx.put(queuedMessages, message);
    return state;
  }
  await tx.delete(queuedMessages, queuedMessages.key(message));
  if (fate === 'dead') await tx.put(deadMessages, message);
  return { ...state, queued: state.queued - 1, dead: state.dead + (fate === 'dead' ? 1 : 0) };
}

/** Forgets the oldest of too many dead messages. */
async function withRoom(tx: Transaction, state: WebhookState): Promise<WebhookState> {
  const over = state.dead - MOST_DEAD;
  if (over <= 0) return state;
  const oldest = await tx.keys(deadMessages, undefined, { prefix: [state.app, state.id], limit: over });
  for (const key of oldest) await tx.delete(deadMessages, key);
  return { ...state, dead: state.dead - oldest.length };
}

async function disable(tx: Transaction, webhook: Webhook, { at }: Attempt, recorder: Recorder): Promise<void> {
  await tx.put(webhooks, { ...webhook, isEnabled: false, switchedAt: at, disabledBecause: 'Its target took nothing for three days.' });
  await recordEvent(tx, recorder, 'webhook.disabled', { details: { webhook: webhook.id } });
}
