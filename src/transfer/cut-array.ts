import { isSpace } from './cut-lines.ts';
import { type Cut, type Cutter, type FilePlace, UserFileError } from './cutter.ts';
import { Pieces } from './pieces.ts';
import { countUsers } from './progress.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const END_BRACE = 0x7d;
const END_BRACKET = 0x5d;

/** Where in the array the next byte stands. */
type Place = 'value-or-end' | 'value' | 'comma-or-end' | 'inside' | 'behind';

/** Cuts a JSON array into its elements by counting brackets outside strings. Elements count from 0. */
export class ArrayCutter implements Cutter {
  readonly #pieces: Pieces;
  readonly #isAlone: boolean;
  #index: number;
  #offset: number;
  #place: Place;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /**
   * @param longest bytes of an element
   * @param from where the first chunk begins in the file: behind the opening bracket, or behind an element
   * @param isAlone true where nothing but white space may follow the array
   */
  constructor(longest: number, from: FilePlace, isAlone: boolean) {
    this.#pieces = new Pieces(longest);
    this.#offset = from.offset;
    this.#index = from.passed;
    this.#place = from.passed === 0 ? 'value-or-end' : 'comma-or-end';
    this.#isAlone = isAlone;
  }

  *push(chunk: Buffer): Generator<Cut> {
    let start = 0;
    for (let at = 0; at < chunk.length; ) {
      if (this.#place !== 'inside') {
        start = this.#between(chunk, at);
        at = start;
        continue;
      }
      at = this.#within(chunk, at);
      // Cast, because the compiler does not see that the call moved on.
      if ((this.#place as Place) === 'inside') break;
      this.#pieces.add(chunk.subarray(start, at));
      const index = this.#index++;
      yield { at: index, bytes: this.#pieces.take(), next: { offset: this.#offset + at, passed: this.#index } };
    }
    if (this.#place === 'inside') this.#pieces.add(chunk.subarray(start));
    this.#offset += chunk.length;
  }

  end(): readonly Cut[] {
    if (this.#place !== 'behind') throw new UserFileError('The file ends within its array of users: it was cut off.');
    return [];
  }

  /** Passes what stands between elements; answers where the next one begins, or the length of the chunk. */
  #between(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length && this.#place !== 'inside'; at += 1) {
      const byte = chunk[at];
      if (isSpace(byte) || (this.#place === 'behind' && !this.#isAlone)) continue;
      this.#place = this.#after(byte, this.#offset + at);
      if (this.#place === 'inside') break;
    }
    return at;
  }

  /** The state after a byte between two elements that is no white space. */
  #after(byte: number | undefined, offset: number): Place {
    const place = this.#place;
    if (byte === COMMA && place === 'comma-or-end') return 'value';
    if (byte === END_BRACKET && (place === 'comma-or-end' || place === 'value-or-end')) return 'behind';
    if (place === 'comma-or-end' || place === 'behind' || byte === COMMA || byte === END_BRACKET || byte === END_BRACE)
      throw new UserFileError(`The file is not JSON at byte ${offset}, behind ${countUsers(this.#index)}.`);
    return 'inside';
  }

  /** Passes the rest of an element; answers where it ends, or the length of the chunk. */
  #within(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#isInString = false;
          if (this.#depth === 0) return this.#leave(at + 1);
        }
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === BRACE || byte === BRACKET) this.#depth += 1;
      else if (byte === END_BRACE || byte === END_BRACKET) {
        if (this.#depth === 0) return this.#leave(at);
        this.#depth -= 1;
        if (this.#depth === 0) return this.#leave(at + 1);
      } else if (this.#depth === 0 && (byte === COMMA || isSpace(byte))) return this.#leave(at);
    }
    return chunk.length;
  }

  #leave(end: number): number {
    this.#place = 'comma-or-end';
    return end;
  }
}
