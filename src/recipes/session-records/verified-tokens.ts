import { Remembered } from '../../caches/remembered.ts';
import type { AccessTokenClaims } from '../../crypto/access-token.ts';
import type { AppNumber, Seen } from '../../store/store.ts';
import type { SessionRecord } from './records.ts';
import type { SigningKey } from '../signing-keys/signing-keys.ts';

/** hash2 of the refresh token that an access token was minted with, and of the one that was exchanged for that. */
export interface TokenLineage {
  readonly refreshHash2: string;
  readonly parentHash2: string | null;
}

/**
 * A token whose signature this thread checked. All that a verification asks stands in this one object, as shared
 * references and small integers: with thousands of tokens in turn, every further object is a wait for memory.
 */
export interface VerifiedToken {
  /** The app whose key signed it. */
  readonly app: AppNumber;
  /** `Tenant.keyChanges` when its signature was checked: who meets another number checks it again. */
  readonly keyChanges: number;
  readonly token: AccessTokenClaims;
  /** The token's tenant. */
  readonly tenantId: string;
  /** Its expiry in whole seconds, rounded down. */
  readonly expirySeconds: number;
  /** The dynamic key that signed it; null for static keys, which end by an operator's hand alone. */
  readonly dynamicKey: SigningKey | null;
  /** Whether it was minted by a refresh below CDI 5.6, so that its first use may have to promote its refresh token. */
  readonly hasParent: boolean;
  /** Computed where the database is asked for the first time. */
  lineage: TokenLineage | undefined;
  /** The session row as last seen, and whether its claims were those of the token. */
  row: Seen<SessionRecord> | undefined;
  /** Number of the row's tenant. */
  rowTenant: number;
  rowHasSameClaims: boolean;
}

/** What is kept with a request that came before, byte for byte, so that it is answered by a look at this object. */
export interface Repeated {
  /** The token in it, if its signature was good. */
  verified: VerifiedToken | undefined;
  /** The finished answer for callers from CDI 4.0 on, which says what the token says. */
  readonly answer: { readonly jsonBytes: Uint8Array } | undefined;
  keepAnswer(json: string): { readonly jsonBytes: Uint8Array };
}

/** A token's whole text with what is known of it. */
interface Entry {
  readonly text: string;
  readonly verified: VerifiedToken;
}

/** Distance of a token's last samples from its end: within the signature, whose characters are as good as random. */
const SAMPLES_FROM_END = 8;
const SAMPLES = 5;
const BITS_OF_SAMPLE = 6;

/** A small integer from some of the signature's characters; hashing the whole text takes longer than comparing it. */
function fingerprint(token: string): number {
  let found = 0;
  const from = token.length - SAMPLES_FROM_END - SAMPLES;
  for (let at = from; at < from + SAMPLES; at++) found = (found << BITS_OF_SAMPLE) ^ token.charCodeAt(at);
  return found;
}

/**
 * Verified tokens by their whole text. Only tokens with a good signature get in, so nobody else can fill it. Of two
 * tokens with one fingerprint the later one stays, which costs time only.
 */
export class VerifiedTokens {
  readonly #entries: Remembered<number, Entry>;

  /** @param capacity characters of token text */
  constructor(capacity: number) {
    this.#entries = new Remembered(capacity, ({ text }) => text.length);
  }

  get(token: string): VerifiedToken | undefined {
    const entry = this.#entries.get(fingerprint(token));
    return entry?.text === token ? entry.verified : undefined;
  }

  add(token: string, verified: VerifiedToken): void {
    this.#entries.set(fingerprint(token), { text: token, verified });
  }
}
