import { type CBORType, decodeCBOR } from '@levischuck/tiny-cbor';

/** A value of the CBOR that authenticators make: maps have texts and numbers as keys, none of them twice. */
export type Cbor = CBORType;

/** Levels of arrays and maps: CTAP2 allows four, and statements of attestation in the wild stay below that. */
const MOST_LEVELS = 8;

const ARRAY = 4;
const MAP = 5;
const TAG = 6;
/** Strings and numbers of more bytes than this say their length, or value, in the bytes that follow. */
const IMMEDIATE = 24;
/** Beyond it stand reserved numbers and indefinite lengths. */
const EIGHT_BYTES = 27;

/** The head of an item: what kind it is of, its length, count or value, and where the next byte stands. */
interface Head {
  readonly major: number;
  readonly argument: number;
  readonly next: number;
}

function headAt(bytes: Buffer, at: number): Head | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const major = first >> 5;
  const info = first & 31;
  if (info < IMMEDIATE) return { major, argument: info, next: at + 1 };
  if (info > EIGHT_BYTES) return undefined;
  const size = 1 << (info - IMMEDIATE);
  const next = at + 1 + size;
  if (next > bytes.length) return undefined;
  const argument = size === 8 ? Number(bytes.readBigUInt64BE(at + 1)) : bytes.readUIntBE(at + 1, size);
  return { major, argument, next };
}

/**
 * Where the item that begins at `at` ends; undefined unless all of it is there, of definite lengths, without tags, and
 * of few levels. Reads heads only: a count or a length that lies costs nothing.
 */
export function endOfCbor(bytes: Buffer, at: number): number | undefined {
  // How many items are still to come at each level.
  const left = [1];
  let position = at;
  while (left.length > 0) {
    const level = left.length - 1;
    const items = left[level] ?? 0;
    if (items === 0) {
      left.pop();
      continue;
    }
    left[level] = items - 1;
    const head = headAt(bytes, position);
    if (!head || head.major === TAG) return undefined;
    const { major, argument, next } = head;
    const isString = major === 2 || major === 3;
    position = isString ? next + argument : next;
    if (position > bytes.length) return undefined;
    if (major === ARRAY || major === MAP) {
      if (left.length > MOST_LEVELS) return undefined;
      left.push(major === MAP ? 2 * argument : argument);
    }
  }
  return position;
}

/** The one item that the bytes are; undefined where they are none, or more follows. */
export function readCbor(bytes: Buffer): Cbor | undefined {
  if (endOfCbor(bytes, 0) !== bytes.length) return undefined;
  try {
    // The decoder takes no subclass, and would read from the whole memory behind a view.
    return decodeCBOR(new Uint8Array(bytes));
  } catch {
    return undefined;
  }
}

/** The same where the item has to be a map. */
export function readCborMap(bytes: Buffer): ReadonlyMap<string | number, Cbor> | undefined {
  const value = readCbor(bytes);
  return value instanceof Map ? value : undefined;
}
