import { createHmac } from 'node:crypto';

/** How a secret begins, so that receivers and scanners of source code know what it is. */
const PREFIX = 'whsec_';
/** What the scheme allows. */
const FEWEST_BYTES = 24;
const MOST_BYTES = 64;

/** How many random bytes a new secret takes. */
export const WEBHOOK_SECRET_BYTES = 32;

/** Bytes as the text of a secret. */
export const webhookSecret = (bytes: Uint8Array): string => PREFIX + Buffer.from(bytes).toString('base64');

/** Whether a text is a secret: `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  const bytes = bytesOf(text);
  return bytes.length >= FEWEST_BYTES && bytes.length <= MOST_BYTES && webhookSecret(bytes) === text;
}

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** What is signed. */
export interface SignedMessage {
  /** The same at every attempt. */
  readonly id: string;
  /** Of the attempt, in whole seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers by which a receiver knows that a message is ours (Standard Webhooks): one signature for each secret. */
export function signatureHeaders(secrets: readonly string[], { id, timestamp, body }: SignedMessage): Readonly<Record<string, string>> {
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', bytesOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
