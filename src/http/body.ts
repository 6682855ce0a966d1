import type { Traits } from '../cdi/traits.ts';
import type { Input } from './input.ts';
import type { InputPlan } from './input-plan.ts';
import { decodeBody } from './request.ts';

/** The body of a request, with what was read from it if the same bytes came before. */
export class Body {
  readonly #bytes: Uint8Array;
  #text: { readonly value: string | undefined } | undefined;
  #plan: InputPlan | undefined;
  #traits: Traits | undefined;
  #input: Input | undefined;

  /** @param bytes must stay as they are */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Undefined where the bytes are not UTF-8. */
  get text(): string | undefined {
    this.#text ??= { value: decodeBody(this.#bytes) };
    return this.#text.value;
  }

  isSame(bytes: Uint8Array): boolean {
    return bytes.length === this.#bytes.length && Buffer.compare(bytes, this.#bytes) === 0;
  }

  /** The input that was read from this body before, by the same schema and for the same version. */
  inputFor(plan: InputPlan, traits: Traits): Input | undefined {
    return this.#plan === plan && this.#traits === traits ? this.#input : undefined;
  }

  keepInput(plan: InputPlan, traits: Traits, input: Input): void {
    this.#plan = plan;
    this.#traits = traits;
    this.#input = input;
    // The text has served; a repeated body is recognised by its bytes.
    this.#text = undefined;
  }
}

/** A body taken off the wire: decoded at once, because its bytes are only lent. */
export function readBodyOnce(lent: Uint8Array): Body {
  const body = new Body(lent);
  void body.text;
  return body;
}

/** Bytes of bodies in one generation. */
const GENERATION_BYTES = 8_000_000;
/** What a kept body takes besides its bytes: small ones come before the API key is asked for, and would be a million otherwise. */
const ENTRY_BYTES = 512;
/** Fingerprints of bodies seen once that are remembered in one generation. */
const SEEN_ONCE = 65_536;
/** Distance of the first sample from the end: within the signature of the token of a verification, whose bytes are as good as random. */
const SAMPLE_FROM_END = 128;

/**
 * Bodies that come again and again, such as the verification of one access token: recognised by comparing bytes, which spares decoding, parsing and
 * validating them. A body is kept when it comes the second time, so that those that come once cost no memory. Two generations of bounded size, as
 * `VerifiedTokens`. Different bodies with one fingerprint displace each other, which costs time only.
 */
export class RepeatedBodies {
  #young = new Map<number, Body>();
  #old = new Map<number, Body>();
  #youngBytes = 0;
  #seenOnce = new Set<number>();

  /** The body that these bytes are; they are only lent. */
  get(lent: Uint8Array): Body {
    const key = fingerprint(lent);
    const young = this.#young.get(key);
    if (young?.isSame(lent)) return young;
    const old = this.#old.get(key);
    if (!old?.isSame(lent) && !this.#comesAgain(key)) return readBodyOnce(lent);
    const body = old?.isSame(lent) ? old : new Body(Buffer.from(lent));
    const size = lent.length + ENTRY_BYTES;
    if (this.#youngBytes + size > GENERATION_BYTES) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(key, body);
    this.#youngBytes += size;
    return body;
  }

  #comesAgain(key: number): boolean {
    if (this.#seenOnce.delete(key)) return true;
    if (this.#seenOnce.size >= SEEN_ONCE) this.#seenOnce = new Set();
    this.#seenOnce.add(key);
    return false;
  }
}

/** A small integer from two samples of four bytes and the length. */
function fingerprint(bytes: Uint8Array): number {
  const { length } = bytes;
  return sample(bytes, Math.max(0, length - SAMPLE_FROM_END)) ^ Math.imul(sample(bytes, length >>> 1), 0x9e3779b1) ^ length;
}

function sample(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}
