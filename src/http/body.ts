import type { Traits } from '../cdi/traits.ts';
import type { Repeated, VerifiedToken } from '../recipes/session-records/verified-tokens.ts';
import type { Input, InputPlan } from './input-plan.ts';
import { decodeBody } from './request.ts';

/** The body of a request. */
export interface Body {
  /** Undefined where the bytes are not UTF-8. */
  readonly text: string | undefined;
  /** There for bodies that came before. */
  readonly repeated: Repeated | undefined;
  /** The bytes, where the verb reads them itself. */
  readonly raw?: Uint8Array<ArrayBuffer> | undefined;
  /** The input that was read from this body before, by the same schema and for the same version. */
  inputFor(plan: InputPlan, traits: Traits): Input | undefined;
  keepInput(plan: InputPlan, traits: Traits, input: Input): void;
}

/** A body that is read once. */
export class PassingBody implements Body {
  readonly text: string | undefined;
  readonly repeated = undefined;

  /** @param lent decoded at once, because the bytes are only lent */
  constructor(lent: Uint8Array) {
    this.text = decodeBody(lent);
  }

  inputFor(): undefined {}

  keepInput(): void {}
}

/** A body that the verb reads itself. */
export class RawBody implements Body {
  readonly text = undefined;
  readonly repeated = undefined;
  readonly raw: Uint8Array<ArrayBuffer>;

  /** @param lent copied into memory of its own, so that it can be given away */
  constructor(lent: Uint8Array) {
    this.raw = new Uint8Array(lent);
  }

  inputFor(): undefined {}

  keepInput(): void {}
}

/** Bytes of bodies in one generation. */
const GENERATION_BYTES = 8_000_000;
/** Charged per kept body besides its bytes: it bounds the number of small ones, kept before the API key is checked. */
const ENTRY_BYTES = 512;
/** Fingerprints of bodies seen once that are remembered in one generation. */
const SEEN_ONCE = 65_536;
/** Distance of the first sample from the end: in the signature of a token to verify, whose bytes are like random. */
const SAMPLE_FROM_END = 128;

/** Kept bodies, with the bytes of all in one buffer, so that a comparison loads no object per body. */
class Generation {
  readonly bodies = new Map<number, RepeatedBody>();
  readonly memory = Buffer.allocUnsafeSlow(GENERATION_BYTES);
  #used = 0;
  #size = 0;

  /** Copies the bytes in, answers where they begin; undefined when full. @param overhead charged besides them */
  keep(bytes: Uint8Array, overhead: number): number | undefined {
    const start = this.#used;
    const size = this.#size + bytes.length + overhead;
    if (size > GENERATION_BYTES) return undefined;
    this.memory.set(bytes, start);
    this.#used = start + bytes.length;
    this.#size = size;
    return start;
  }
}

/** A body that came before, with what was read from it and what the verb kept with it. */
class RepeatedBody implements Body, Repeated {
  verified: VerifiedToken | undefined;
  answer: Repeated['answer'];
  #generation: Generation;
  #start: number;
  #end: number;
  #plan: InputPlan | undefined;
  #traits: Traits | undefined;
  #input: Input | undefined;

  /** @param generation keeps its bytes from `start` to `end` */
  constructor(generation: Generation, start: number, end: number) {
    this.#generation = generation;
    this.#start = start;
    this.#end = end;
  }

  get text(): string | undefined {
    return decodeBody(this.#generation.memory.subarray(this.#start, this.#end));
  }

  get repeated(): Repeated {
    return this;
  }

  isSame(bytes: Uint8Array): boolean {
    const { length } = bytes;
    return length === this.#end - this.#start && this.#generation.memory.compare(bytes, 0, length, this.#start, this.#end) === 0;
  }

  /** The same bytes stand elsewhere now. */
  move(generation: Generation, start: number): void {
    this.#end += start - this.#start;
    this.#generation = generation;
    this.#start = start;
    // It stands in the other generation's memory, which is to be released.
    this.answer = undefined;
  }

  keepAnswer(json: string): { readonly jsonBytes: Uint8Array } {
    const bytes = Buffer.from(json);
    const generation = this.#generation;
    const start = generation.keep(bytes, 0);
    if (start === undefined) return { jsonBytes: bytes };
    this.answer = { jsonBytes: generation.memory.subarray(start, start + bytes.length) };
    return this.answer;
  }

  inputFor(plan: InputPlan, traits: Traits): Input | undefined {
    return this.#plan === plan && this.#traits === traits ? this.#input : undefined;
  }

  keepInput(plan: InputPlan, traits: Traits, input: Input): void {
    this.#plan = plan;
    this.#traits = traits;
    this.#input = input;
  }
}

/**
 * Bodies that come again and again, such as the verification of one access token, are recognised by their bytes,
 * without decoding or parsing. One is kept when it comes the second time: those that come once cost no memory. Two
 * generations of bounded size, as `VerifiedTokens`. Bodies with one fingerprint displace each other: only time is lost.
 */
export class RepeatedBodies {
  #young: Generation | undefined;
  #old: Generation | undefined;
  #seenOnce = new Set<number>();

  /** The body that these bytes are; they are only lent. */
  get(lent: Uint8Array): Body {
    const key = fingerprint(lent);
    const young = this.#young?.bodies.get(key);
    if (young?.isSame(lent)) return young;
    const old = this.#old?.bodies.get(key);
    const known = old?.isSame(lent) ? old : undefined;
    return known || this.#comesAgain(key) ? this.#keep(key, lent, known) : new PassingBody(lent);
  }

  #keep(key: number, lent: Uint8Array, known: RepeatedBody | undefined): Body {
    if (lent.length + ENTRY_BYTES > GENERATION_BYTES) return new PassingBody(lent);
    let generation = this.#young ?? new Generation();
    let start = generation.keep(lent, ENTRY_BYTES);
    if (start === undefined) {
      this.#old = generation;
      generation = new Generation();
      start = generation.keep(lent, ENTRY_BYTES) ?? 0;
    }
    this.#young = generation;
    const body = known ?? new RepeatedBody(generation, start, start + lent.length);
    known?.move(generation, start);
    generation.bodies.set(key, body);
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
