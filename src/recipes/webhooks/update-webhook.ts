import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { findWebhook, type KnownWebhook, UNKNOWN_WEBHOOK, type UnknownWebhook } from './find-webhook.ts';
import { WORKING } from './judge.ts';
import { webhooks, webhookStates } from './records.ts';
import { showWebhook, type ShownWebhook } from './show-webhook.ts';
import { checkedFacts } from './webhook-facts.ts';

/** `POST /manage/v1/webhooks/update`: changes what is given of it, or switches it off and on. @throws Refusal */
export async function updateWebhook(
  context: Context,
  command: Commands['webhooks/update-webhook'],
): Promise<UnknownWebhook | { readonly status: 'OK'; readonly webhook: ShownWebhook }> {
  const { store, tenant, now } = context;
  const facts = checkedFacts(context, command);
  const { isEnabled } = command;
  const updated = await store.transact(async (tx): Promise<KnownWebhook | undefined> => {
    const found = await findWebhook(tx, tenant.app, command.id);
    if (!found) return undefined;
    const next = switched({ ...found, webhook: { ...found.webhook, ...facts } }, isEnabled, now());
    await tx.put(webhooks, next.webhook);
    await tx.put(webhookStates, next.state);
    const details = { webhook: command.id, changed: Object.keys({ ...facts, ...(isEnabled !== undefined && { isEnabled }) }).join(' ') };
    await recordEvent(tx, context, 'webhook.changed', { details });
    return next;
  });
  return updated ? { status: 'OK', webhook: showWebhook(updated, now()) } : UNKNOWN_WEBHOOK;
}

/** One that is enabled begins as if its target had just come back: all that waits is due, with its whole time. */
function switched({ webhook, state }: KnownWebhook, isEnabled: boolean | undefined, now: number): KnownWebhook {
  const again = { ...state, revision: state.revision + 1 };
  if (isEnabled === undefined || isEnabled === webhook.isEnabled) return { webhook, state: again };
  return {
    webhook: { ...webhook, isEnabled, disabledBecause: null, switchedAt: now },
    state: isEnabled ? { ...again, ...WORKING, cameBackAt: now } : again,
  };
}
