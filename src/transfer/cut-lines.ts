import type { Cut, Cutter, FilePlace } from './cutter.ts';
import { Pieces } from './pieces.ts';

const LINE_FEED = 0x0a;

/** Cuts NDJSON into its lines (one RFC 8259 text each). Lines count from 1; blank ones are counted, not answered. */
export class LineCutter implements Cutter {
  readonly #pieces: Pieces;
  #line: number;
  #offset: number;

  /** @param longest bytes of a line; @param from where the first chunk begins in the file: at the start of a line */
  constructor(longest: number, from: FilePlace) {
    this.#pieces = new Pieces(longest);
    this.#offset = from.offset;
    this.#line = from.passed;
  }

  *push(chunk: Buffer): Generator<Cut> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#pieces.add(chunk.subarray(start, end));
      start = end + 1;
      yield* this.#take(this.#offset + start);
    }
    this.#pieces.add(chunk.subarray(start));
    this.#offset += chunk.length;
  }

  /** The last line need not have a line feed. */
  end(): Generator<Cut> {
    return this.#take(this.#offset);
  }

  *#take(offset: number): Generator<Cut> {
    this.#line += 1;
    const bytes = this.#pieces.take();
    if (bytes === undefined || !isBlank(bytes)) yield { at: this.#line, bytes, next: { offset, passed: this.#line } };
  }
}

/** Space, tab, line feed and carriage return: the white space of JSON. */
export const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === LINE_FEED || byte === 0x0d;

const isBlank = (bytes: Buffer): boolean => bytes.every(isSpace);
