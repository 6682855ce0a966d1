import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** A signing key of an app (contract 02 section 1.1): RSA 2048, both halves standard base64 of DER (SPKI, PKCS#8). */
export interface SigningKeyRecord {
  readonly app: AppNumber;
  /** `d-<createdAt>` for dynamic keys, `s-<uuid>` for static ones. */
  readonly kid: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: number;
}

/** Dynamic keys are replaced by others again and again, static ones only by operators. */
export const isDynamic = (kid: string): boolean => kid.startsWith('d-');

export const signingKeys = defineCollection({
  id: 6,
  name: 'signing_keys',
  scope: 'app',
  format: 1,
  fields: { app: 1, kid: 2, publicKey: 3, privateKey: 4, createdAt: 5 },
  key: (k: SigningKeyRecord) => [k.app, k.kid],
});

/** More keys than an app ever has: one every rotation interval, kept for a little longer than that. */
const MOST_KEYS = 10_000;

/** The range of an app's keys. */
export const keysOf = (app: AppNumber) => ({ prefix: [app], limit: MOST_KEYS }) as const;

/** The first ms from `time` on that names no dynamic key yet. */
export function freeTime(stored: readonly Pick<SigningKeyRecord, 'kid'>[], time: number): number {
  const kids = new Set(stored.map(({ kid }) => kid));
  let free = time;
  while (kids.has(`d-${free}`)) free += 1;
  return free;
}
