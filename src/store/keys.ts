import { createHash } from 'node:crypto';
import type { Key, KeyPart } from './store.ts';

/*
 * Tuples as bytes whose order is the order of the tuples (in the manner of the FoundationDB tuple layer).
 *
 *   number   0x10, then the 64 bits of the double in sortable form, seven bits a byte from the top; a byte's lowest bit
 *            says whether more follow; trailing zeros are left out: small integers take two or three bytes, losslessly
 *   string   0x20, then its UTF-8 bytes (a lone surrogate as its own three bytes), NUL as 00 FF, closed by 00
 *   long     a string of more than LONGEST bytes: the first LONGEST, closed by 00 FE and the SHA-256 of the whole, so
 *            that it can neither exceed the key size of an engine nor collide with a short string
 */
export const NUMBER = 0x10;
export const STRING = 0x20;
const END = 0x00;
const ESCAPED_NUL = 0xff;
const HASHED = 0xfe;
const HASH_BYTES = 32;

/** Strings with more bytes than this (escapes included) are kept in keys as their beginning and a hash. */
const LONGEST = 256;
/** The longest key of the product; the least limit among the engines is 1978 bytes (pages of 4 KiB). */
const MAX_KEY_BYTES = 1978;
/** Greater than any byte that may follow a whole tuple, less than the escapes that may follow its last string. */
const AFTER_TUPLE = 0x80;
/** Collection number (two bytes) and space (one byte) before every tuple. */
export const SPACE_BYTES = 3;
/** The space of the records themselves; every other space is the number of an index. */
export const RECORDS = 0;

const scratch = Buffer.alloc(8192);
const double = new DataView(new ArrayBuffer(8));

function writeNumber(value: number, start: number): number {
  if (!Number.isFinite(value)) throw new TypeError('a number in a key must be finite');
  double.setFloat64(0, value === 0 ? 0 : value);
  let high = double.getInt32(0);
  let low = double.getInt32(4);
  if (high < 0) {
    high = ~high;
    low = ~low;
  } else high ^= 0x80000000;
  let position = start;
  scratch[position++] = NUMBER;
  for (;;) {
    const group = (high >>> 24) & 0xfe;
    high = (high << 7) | (low >>> 25);
    low <<= 7;
    if ((high | low) === 0) {
      scratch[position++] = group;
      return position;
    }
    scratch[position++] = group | 1;
  }
}

/** The code point at `index`; of an unpaired surrogate, its own number. */
function codePoint(text: string, index: number): number {
  return text.codePointAt(index) ?? 0;
}

function writeWideCharacter(code: number, start: number): number {
  let position = start;
  if (code < 0x800) scratch[position++] = 0xc0 | (code >>> 6);
  else {
    if (code < 0x10000) scratch[position++] = 0xe0 | (code >>> 12);
    else {
      scratch[position++] = 0xf0 | (code >>> 18);
      scratch[position++] = 0x80 | ((code >>> 12) & 0x3f);
    }
    scratch[position++] = 0x80 | ((code >>> 6) & 0x3f);
  }
  scratch[position++] = 0x80 | (code & 0x3f);
  return position;
}

function closeLongString(text: string, start: number): number {
  let position = start + LONGEST;
  // A zero byte is always the first half of an escape: it is not cut off from the second.
  if (scratch[position - 1] === END) position--;
  scratch[position++] = END;
  scratch[position++] = HASHED;
  createHash('sha256').update(text, 'utf16le').digest().copy(scratch, position);
  return position + HASH_BYTES;
}

function writeString(text: string, tagAt: number): number {
  scratch[tagAt] = STRING;
  const start = tagAt + 1;
  let position = start;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      scratch[position++] = unit;
      if (unit === END) scratch[position++] = ESCAPED_NUL;
    } else {
      const code = codePoint(text, index);
      if (code > 0xffff) index++;
      position = writeWideCharacter(code, position);
    }
    if (position - start > LONGEST) return closeLongString(text, start);
  }
  scratch[position++] = END;
  return position;
}

function writeParts(parts: Key, start: number): number {
  let position = start;
  for (const part of parts) {
    position = typeof part === 'string' ? writeString(part, position) : writeNumber(part, position);
    if (position > MAX_KEY_BYTES) throw new RangeError(`a key of more than ${MAX_KEY_BYTES} bytes`);
  }
  return position;
}

/**
 * The bytes of a key in one space of a collection, lent: the next call of any function of this file that makes a key
 * overwrites them. `suffix` is appended as it is (the primary key at the end of an index entry). Throws `RangeError`
 * when the key is too long (seven long strings) and `TypeError` for numbers that are not finite.
 */
export function lendKey(collection: number, space: number, parts: Key, suffix?: Uint8Array): Uint8Array {
  scratch[0] = collection >>> 8;
  scratch[1] = collection & 0xff;
  scratch[2] = space;
  let end = writeParts(parts, SPACE_BYTES);
  if (suffix) {
    if (end + suffix.length > MAX_KEY_BYTES) throw new RangeError(`a key of more than ${MAX_KEY_BYTES} bytes`);
    scratch.set(suffix, end);
    end += suffix.length;
  }
  return scratch.subarray(0, end);
}

/** Like `lendKey`, to keep. */
export function makeKey(collection: number, space: number, parts: Key, suffix?: Uint8Array): Uint8Array {
  return Buffer.from(lendKey(collection, space, parts, suffix));
}

/** The first key after every key that begins with the tuple encoded in `prefix`. */
export function endOfPrefix(prefix: Uint8Array): Uint8Array {
  const end = Buffer.allocUnsafe(prefix.length + 1);
  end.set(prefix);
  end[prefix.length] = AFTER_TUPLE;
  return end;
}

/** The first key after this one. */
export function firstAfter(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}

/** Where the last read part ended. Kept outside the readers so that they need not allocate. */
let cursor = 0;

function readNumber(bytes: Uint8Array): number {
  let high = 0;
  let low = 0;
  let byte = 1;
  for (let shift = 57; byte & 1; shift -= 7) {
    byte = bytes[cursor++] ?? 0;
    const group = byte >>> 1;
    if (shift >= 32) high |= group << (shift - 32);
    else if (shift > 25) {
      high |= group >>> (32 - shift);
      low |= group << shift;
    } else low |= shift >= 0 ? group << shift : group >>> -shift;
  }
  const negative = high >= 0;
  double.setInt32(0, negative ? ~high : high ^ 0x80000000);
  double.setInt32(4, negative ? ~low : low);
  return double.getFloat64(0);
}

function readWideCharacter(bytes: Uint8Array, first: number): number {
  const following = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let code = first & (0x3f >>> following);
  for (let i = 0; i < following; i++) {
    const byte = bytes[cursor] ?? END;
    // The beginning of a long string may end within a character.
    if ((byte & 0xc0) !== 0x80) break;
    code = (code << 6) | (byte & 0x3f);
    cursor++;
  }
  return code;
}

/** The string at the cursor, `undefined` when only its beginning and hash are there. */
function readString(bytes: Uint8Array): string | undefined {
  let text = '';
  for (;;) {
    const byte = bytes[cursor++] ?? END;
    if (byte >= 0x80) text += String.fromCodePoint(readWideCharacter(bytes, byte));
    else if (byte !== END) text += String.fromCharCode(byte);
    else if (bytes[cursor] === ESCAPED_NUL) {
      text += '\0';
      cursor++;
    } else return bytes[cursor] === HASHED ? undefined : text;
  }
}

/** Where the part that begins at `at` ends; undefined where none does, or it is cut off. */
function endOfPart(bytes: Uint8Array, at: number): number | undefined {
  const tag = bytes[at];
  if (tag === NUMBER) {
    let end = at + 1;
    while (end < bytes.length && (bytes[end] ?? 0) & 1) end += 1;
    return end < bytes.length ? end + 1 : undefined;
  }
  if (tag !== STRING) return undefined;
  for (let end = at + 1; end < bytes.length; end += 1) {
    if (bytes[end] !== END) continue;
    if (bytes[end + 1] === ESCAPED_NUL) end += 1;
    else return bytes[end + 1] === HASHED ? end + 2 + HASH_BYTES : end + 1;
  }
  return undefined;
}

/** Where each of the first `most` parts of a key ends; fewer where there are fewer. */
export function partEnds(key: Uint8Array, most: number): readonly number[] {
  const ends: number[] = [];
  for (let end = endOfPart(key, SPACE_BYTES); end !== undefined && end <= key.length && ends.length < most; end = endOfPart(key, end))
    ends.push(end);
  return ends;
}

/** The tuple in `bytes` from `start` on; `undefined` when a string is so long that the key holds only its hash. */
export function readKey(bytes: Uint8Array, start: number): Key | undefined {
  const parts: KeyPart[] = [];
  cursor = start;
  while (cursor < bytes.length) {
    const part = bytes[cursor++] === NUMBER ? readNumber(bytes) : readString(bytes);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** Byte order: negative, zero or positive as `a` is before, equal to or after `b`. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Whether both are absent, or both hold the same bytes. */
export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** A key to keep with its `keyText`, by which a transaction looks things up: making it costs more than the look-up. */
export interface NamedKey {
  readonly name: string;
  readonly key: Uint8Array;
}

/** A key as a string of one character a byte: equal and ordered exactly like the bytes. */
export function keyText(key: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(key, 0, key.length);
}
