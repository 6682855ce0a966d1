import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findWebhook, UNKNOWN_WEBHOOK, type UnknownWebhook } from './find-webhook.ts';
import { MOST_OVERLAP_MS, OVERLAP_MS } from './limits.ts';
import { webhooks } from './records.ts';
import { rotated, secretFrom } from './secrets.ts';

/** A new secret, shown this once, and until when (ms since the epoch) the one before it signs too. */
export interface RotatedSecret {
  readonly status: 'OK';
  readonly secret: string;
  readonly oldSecretUntil: number;
}

/** `POST /manage/v1/webhooks/rotate-secret`: for a while both secrets sign each message. @throws Refusal */
export async function rotateSecret(context: Context, command: Commands['webhooks/rotate-secret']): Promise<UnknownWebhook | RotatedSecret> {
  const { store, tenant, now, randomBytes } = context;
  const { id, overlapMs = OVERLAP_MS } = command;
  if (overlapMs < 0 || overlapMs > MOST_OVERLAP_MS)
    throw new Refusal('bad-input', { text: `overlapMs must be between 0 and ${MOST_OVERLAP_MS}` });
  const secret = secretFrom(command.secret, randomBytes);
  const until = now() + overlapMs;
  const isKept = await store.transact(async (tx) => {
    const found = await findWebhook(tx, tenant.app, id);
    if (!found) return false;
    await tx.put(webhooks, { ...found.webhook, secrets: rotated(found.webhook, secret, until) });
    await recordEvent(tx, context, 'webhook.secret-rotated', { details: { webhook: id } });
    return true;
  });
  return isKept ? { status: 'OK', secret, oldSecretUntil: until } : UNKNOWN_WEBHOOK;
}
