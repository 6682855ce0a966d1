import type { AccessTokenClaims } from '../../crypto/access-token.ts';
import type { Stamped } from '../../store/store.ts';
import type { SessionRecord } from './records.ts';
import type { SigningKey } from './signing-keys.ts';

/** hash2 of the refresh token that an access token was minted with, and of the one that was exchanged for that. */
export interface TokenLineage {
  readonly refreshHash2: string;
  readonly parentHash2: string | null;
}

/**
 * A token whose signature was checked in this thread, with what is worth remembering about it. What each verification asks stands in this one object,
 * as references that all tokens share and as small integers: with thousands of tokens in turn, every further object is a wait for memory.
 */
export interface VerifiedToken {
  /** The app whose key signed it. */
  readonly app: number;
  readonly token: AccessTokenClaims;
  /** The token's tenant. */
  readonly tenantId: string;
  /** Its expiry in whole seconds, rounded down. */
  readonly expirySeconds: number;
  /** The dynamic key that signed it; null for static keys, which never retire. */
  readonly dynamicKey: SigningKey | null;
  /** Whether it was minted by a refresh below CDI 5.6, so that its first use may have to promote its refresh token. */
  readonly hasParent: boolean;
  /** Computed where the database is asked for the first time. */
  lineage: TokenLineage | undefined;
  /** The session row as last seen, and whether its claims were those of the token. */
  row: Stamped<SessionRecord> | undefined;
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

/**
 * Verified tokens by their whole text, in two generations of bounded size: when the young one is full it becomes the old one, and
 * entries of the old one that are used again move over. Only tokens with a good signature get in, so nobody else can fill it.
 */
export class VerifiedTokens {
  #young = new Map<string, VerifiedToken>();
  #old = new Map<string, VerifiedToken>();
  #youngSize = 0;
  readonly #sizeLimit: number;

  /** @param sizeLimit characters of token text in one generation */
  constructor(sizeLimit: number) {
    this.#sizeLimit = sizeLimit;
  }

  get(token: string): VerifiedToken | undefined {
    const young = this.#young.get(token);
    if (young) return young;
    const old = this.#old.get(token);
    if (old) this.add(token, old);
    return old;
  }

  add(token: string, verified: VerifiedToken): void {
    if (this.#youngSize + token.length > this.#sizeLimit) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(token, verified);
    this.#youngSize += token.length;
  }
}
