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

export const signingKeys = defineCollection({
  id: 6,
  name: 'signing_keys',
  scope: 'app',
  format: 1,
  fields: { app: 1, kid: 2, publicKey: 3, privateKey: 4, createdAt: 5 },
  key: (k: SigningKeyRecord) => [k.app, k.kid],
});
