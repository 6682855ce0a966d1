import { isWebhookSecret, webhookSecret, WEBHOOK_SECRET_BYTES } from '../../crypto/webhook-signature.ts';
import { Refusal } from '../refusal.ts';
import type { SigningSecret, Webhook } from './records.ts';

/** A secret that a caller gives, else a new one. @throws Refusal where it is none */
export function secretFrom(given: string | undefined, randomBytes: (size: number) => Buffer): string {
  if (given === undefined) return webhookSecret(randomBytes(WEBHOOK_SECRET_BYTES));
  if (!isWebhookSecret(given)) throw new Refusal('bad-input', { text: 'secret must be whsec_ and 24 to 64 bytes in base64' });
  return given;
}

/** The secrets that sign now, the newest first. */
export function secretsInForce({ secrets }: Pick<Webhook, 'secrets'>, now: number): readonly string[] {
  return secrets.filter(({ until }) => until === null || now < until).map(({ secret }) => secret);
}

/** The secrets after a rotation: the new one, and the one before it for a while. */
export function rotated({ secrets }: Webhook, secret: string, until: number): readonly SigningSecret[] {
  const [before] = secrets;
  return [{ secret, until: null }, ...(before && before.secret !== secret ? [{ secret: before.secret, until }] : [])];
}
