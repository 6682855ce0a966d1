import type { AccessTokenClaims } from '../../crypto/access-token.ts';
import type { Stamped } from '../../store/store.ts';
import type { SessionRecord } from './records.ts';

/** A token whose signature was checked in this thread, with what is worth remembering about it. */
export interface VerifiedToken {
  /** The app whose key signed it. */
  readonly app: number;
  readonly token: AccessTokenClaims;
  /** When the dynamic key that signed it was made, ms; null for static keys, which never retire. */
  readonly keyCreatedAt: number | null;
  /** hash2 of the refresh token it was minted with, and of the one that was exchanged for it. */
  readonly refreshHash2: string;
  readonly parentHash2: string | null;
  /** The session row as last seen, and whether its claims were those of the token. */
  row: Stamped<SessionRecord> | undefined;
  rowHasSameClaims: boolean;
  /** The finished answer for callers from CDI 4.0 on, made at first need. */
  answer: { readonly jsonBytes: Uint8Array } | undefined;
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
