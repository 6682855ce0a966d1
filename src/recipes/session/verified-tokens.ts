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
  answer: string | undefined;
}

/** Characters at a token's end that serve as its key: the tail of the signature, as good as random. The whole text is compared afterwards. */
const KEY_LENGTH = 32;

interface Entry {
  readonly text: string;
  readonly verified: VerifiedToken;
}

/**
 * Verified tokens by their whole text, in two generations of bounded size: when the young one is full it becomes the old one, and
 * entries of the old one that are used again move over. Only tokens with a good signature get in, so nobody else can fill it.
 * The map is keyed by the tail alone, because hashing the whole text would cost more than everything else in a look-up.
 */
export class VerifiedTokens {
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngSize = 0;
  readonly #sizeLimit: number;

  /** @param sizeLimit characters of token text in one generation */
  constructor(sizeLimit: number) {
    this.#sizeLimit = sizeLimit;
  }

  get(token: string): VerifiedToken | undefined {
    const key = token.slice(-KEY_LENGTH);
    const young = this.#young.get(key);
    if (young) return young.text === token ? young.verified : undefined;
    const old = this.#old.get(key);
    if (old?.text !== token) return undefined;
    this.add(token, old.verified);
    return old.verified;
  }

  add(token: string, verified: VerifiedToken): void {
    if (this.#youngSize + token.length > this.#sizeLimit) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(token.slice(-KEY_LENGTH), { text: token, verified });
    this.#youngSize += token.length;
  }
}
