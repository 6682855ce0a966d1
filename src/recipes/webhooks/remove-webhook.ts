import type { Commands } from '../../generated/commands.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { deadMessages, queuedMessages, webhooks, webhookStates } from './records.ts';

/** `POST /manage/v1/webhooks/remove`: nothing more is sent, what waited is forgotten. Answers whether there was one. */
export async function removeWebhook(context: Context, { id }: Commands['webhooks/remove-webhook']): Promise<boolean> {
  const { store, tenant } = context;
  const { app } = tenant;
  return store.transact(async (tx) => {
    const didExist = await tx.delete(webhooks, [app, id]);
    await tx.delete(webhookStates, [app, id]);
    await deleteUnder(tx, queuedMessages, undefined, [app, id]);
    await deleteUnder(tx, deadMessages, undefined, [app, id]);
    if (didExist) await recordEvent(tx, context, 'webhook.removed', { details: { webhook: id } });
    return didExist;
  });
}
