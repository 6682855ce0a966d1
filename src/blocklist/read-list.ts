import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { DIGEST_BYTES } from './format.ts';

/** Lists are read in pieces of this size; no line is longer. */
const PIECE_BYTES = 1024 * 1024;
const LONGEST_LINE = 4096;
const NEWLINE = 10;
const RETURN = 13;
const COLON = 58;
const HEX_CHARS = 2 * DIGEST_BYTES;
const [ZERO, NINE] = [48, 57];

/** What the lines of a list are. */
export interface ListKind {
  /** Passwords as they are, instead of `SHA1` or `SHA1:COUNT`. */
  readonly words: boolean;
  /** Of lines with a count, those with less are left out. */
  readonly minCount: number;
}

/** A list that cannot be read; the message names file, line and reason, and nothing of the line. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
}

/** The value of each hex digit by its code, 255 for anything else. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** Told of each password in turn. @param digest its SHA-1, good until the next one */
export type TakeDigest = (digest: Buffer) => void;

/**
 * Reads a list line by line, in constant memory. Empty lines count for nothing.
 * @param piece told after each piece how many bytes were read
 * @throws ListFault
 */
export async function readList(file: string, kind: ListKind, take: TakeDigest, piece: (bytes: number) => void): Promise<void> {
  const takeLine = kind.words ? wordTaker(take) : digestTaker(take, kind.minCount);
  const buffer = Buffer.alloc(LONGEST_LINE + PIECE_BYTES);
  const list = await open(file, 'r');
  let kept = 0;
  let number = 0;
  const takeChecked = (from: number, to: number): void => {
    number += 1;
    const end = to > from && buffer[to - 1] === RETURN ? to - 1 : to;
    if (end - from > LONGEST_LINE) throw new ListFault(`${file}: line ${number} is longer than ${LONGEST_LINE} bytes`);
    if (end > from && !takeLine(buffer, from, end))
      throw new ListFault(`${file}: line ${number} is not a SHA-1 digest in hex with a count behind a colon or none (see --words)`);
  };
  try {
    for (;;) {
      const { bytesRead } = await list.read(buffer, kept, PIECE_BYTES);
      if (bytesRead === 0) break;
      const end = kept + bytesRead;
      let from = 0;
      for (let to = buffer.indexOf(NEWLINE); to !== -1 && to < end; to = buffer.indexOf(NEWLINE, from)) {
        takeChecked(from, to);
        from = to + 1;
      }
      kept = end - from;
      if (kept > LONGEST_LINE) throw new ListFault(`${file}: line ${number + 1} is longer than ${LONGEST_LINE} bytes`);
      buffer.copyWithin(0, from, end);
      piece(bytesRead);
    }
    if (kept > 0) takeChecked(0, kept);
  } finally {
    await list.close();
  }
}

/** Answers false for a line that is none. */
type TakeLine = (buffer: Buffer, from: number, to: number) => boolean;

function wordTaker(take: TakeDigest): TakeLine {
  return (buffer, from, to) => {
    take(hash('sha1', buffer.subarray(from, to), 'buffer'));
    return true;
  };
}

function digestTaker(take: TakeDigest, minCount: number): TakeLine {
  const digest = Buffer.alloc(DIGEST_BYTES);
  return (buffer, from, to) => {
    const behind = from + HEX_CHARS;
    if (to < behind) return false;
    let wrong = 0;
    for (let nth = 0; nth < DIGEST_BYTES; nth++) {
      const high = HEX[buffer[from + 2 * nth] ?? 0] ?? 255;
      const low = HEX[buffer[from + 2 * nth + 1] ?? 0] ?? 255;
      wrong |= (high | low) & 0xf0;
      digest[nth] = (high << 4) | low;
    }
    const count = to === behind ? Number.POSITIVE_INFINITY : countBehind(buffer, behind, to);
    if (wrong !== 0 || count === undefined) return false;
    if (count >= minCount) take(digest);
    return true;
  };
}

/** The count between a colon and the end of a line; undefined where something else stands there. */
function countBehind(buffer: Buffer, colon: number, to: number): number | undefined {
  if (buffer[colon] !== COLON || to === colon + 1) return undefined;
  let count = 0;
  for (let at = colon + 1; at < to; at++) {
    const code = buffer[at] ?? 0;
    if (code < ZERO || code > NINE) return undefined;
    count = count * 10 + (code - ZERO);
  }
  return count;
}
