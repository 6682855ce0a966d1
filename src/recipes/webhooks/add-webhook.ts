import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import { headOf } from '../audit/seal.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { WORKING } from './judge.ts';
import { MOST_WEBHOOKS } from './limits.ts';
import { type Webhook, webhooks, type WebhookState, webhookStates } from './records.ts';
import { secretFrom } from './secrets.ts';
import { showWebhook, type ShownWebhook } from './show-webhook.ts';
import { checkedFacts } from './webhook-facts.ts';

/** A new webhook, with the secret that is shown this once. */
export interface AddedWebhook {
  readonly webhook: ShownWebhook;
  readonly secret: string;
}

const ID_BYTES = 10;

/** `POST /manage/v1/webhooks`: events from now on are sent to a URL. @throws Refusal */
export async function addWebhook(context: Context, command: Commands['webhooks/add-webhook']): Promise<AddedWebhook> {
  const { store, tenant, now, randomBytes, trail } = context;
  if (!trail.isOn) throw bad("Webhooks tell of events of the audit trail, which the option 'audit_trail' has turned off");
  const { url, kinds, description = '' } = command;
  const secret = secretFrom(command.secret, randomBytes);
  const { app, cud, appId } = tenant;
  const createdAt = now();
  const webhook: Webhook = {
    app,
    id: `wh_${randomBytes(ID_BYTES).toString('hex')}`,
    url,
    kinds,
    description,
    ...checkedFacts(context, { url, kinds, description }),
    tenantId: await tenantMeant(context, command.tenantId),
    cud,
    appId,
    isEnabled: true,
    disabledBecause: null,
    switchedAt: createdAt,
    createdAt,
    secrets: [{ secret, until: null }],
  };
  // Outside of the transaction, which would run again whenever events are sealed.
  const { last: cursor } = await store.read(headOf);
  const state = beginning(webhook, cursor);
  await store.transact(async (tx) => {
    const others = await tx.keys(webhooks, undefined, { prefix: [app], limit: MOST_WEBHOOKS });
    if (others.length >= MOST_WEBHOOKS) throw bad(`An app has at most ${MOST_WEBHOOKS} webhooks; remove some first`);
    await tx.insert(webhooks, webhook);
    await tx.insert(webhookStates, state);
    await recordEvent(tx, context, 'webhook.created', { details: { webhook: webhook.id } });
  });
  return { webhook: showWebhook({ webhook, state }, createdAt), secret };
}

async function tenantMeant({ directory, tenant }: Context, id: string | undefined): Promise<string | null> {
  if (id === undefined) return null;
  const { cud, appId } = tenant;
  const tenantId = id.toLowerCase();
  if (!(await directory.find({ cud, appId, tenantId }))) throw bad(`There is no tenant '${tenantId}' in this app`);
  return tenantId;
}

const beginning = ({ app, id }: Webhook, cursor: number): WebhookState => ({
  app,
  id,
  cursor,
  queued: 0,
  dead: 0,
  ...WORKING,
  cameBackAt: 0,
  deliveredAt: null,
  revision: 0,
  attempts: [],
});

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
