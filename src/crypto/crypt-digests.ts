import { createHash } from 'node:crypto';

/*
 * The two schemes of crypt(3) that neither Node nor WebAssembly has: SHA-2 crypt (Drepper, "Unix crypt using SHA-256
 * and SHA-512", version 0.6) and md5crypt (of FreeBSD). Steps are numbered as in the former.
 */

/** Of crypt(3)'s base64, which writes the least significant six bits first. */
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Of SHA-2 crypt: its hash, the bytes of a digest, and how they are written: in threes, the most significant first. */
interface Shape {
  readonly bytes: number;
  /** Where the three bytes of the first group stand, and which of them comes next: each group goes on by one. */
  readonly order: readonly (readonly number[])[];
}

export type ShaCryptHash = 'sha256' | 'sha512';

/** Groups of three bytes, each from the one before: positions go up by one and the places of the group turn. */
function turningGroups(first: readonly [number, number, number], count: number, turn: 1 | 2): number[][] {
  return Array.from({ length: count }, (_, at) => {
    const from = (at * turn) % 3;
    return [0, 1, 2].map((place) => (first[(place + from) % 3] ?? 0) + at);
  });
}

const SHAPES: Readonly<Record<ShaCryptHash, Shape>> = {
  sha256: { bytes: 32, order: [...turningGroups([0, 10, 20], 10, 2), [31, 30]] },
  sha512: { bytes: 64, order: [...turningGroups([0, 21, 42], 21, 1), [63]] },
};

const MD5_ORDER = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]] as const;
const MD5_ROUNDS = 1000;

/** What SHA-2 crypt makes of a password: the text behind the last `$`. */
export function shaCrypt(hash: ShaCryptHash, password: Buffer, salt: Buffer, rounds: number): string {
  const { bytes, order } = SHAPES[hash];
  const digest = (...parts: readonly Buffer[]): Buffer => digestOf(hash, parts);
  // Steps 1 to 12.
  const alternate = digest(password, salt, password);
  const bits = bitsOf(password.length).map((bit) => (bit ? alternate : password));
  const start = digest(password, salt, repeated(alternate, password.length), ...bits);
  // Steps 13 to 20: the password and the salt, each hashed many times over and cut to its own length.
  const p = repeated(digest(...Array.from({ length: password.length }, () => password)), password.length);
  const s = repeated(digest(...Array.from({ length: 16 + (start[0] ?? 0) }, () => salt)), salt.length);
  return encoded(mixed(digest, start, p, s, rounds).subarray(0, bytes), order);
}

/** The same of md5crypt. */
export function md5Crypt(password: Buffer, salt: Buffer): string {
  const digest = (...parts: readonly Buffer[]): Buffer => digestOf('md5', parts);
  const alternate = digest(password, salt, password);
  // Where SHA-2 crypt takes the alternate digest, this takes a NUL, and the first byte of the password elsewhere.
  const bits = bitsOf(password.length).map((bit) => (bit ? Buffer.alloc(1) : password.subarray(0, 1)));
  const start = digest(password, Buffer.from('$1$'), salt, repeated(alternate, password.length), ...bits);
  return encoded(mixed(digest, start, password, salt, MD5_ROUNDS), MD5_ORDER);
}

/** Step 21: rounds in which the digest so far meets the password and, in turns that never repeat soon, the salt. */
function mixed(digest: (...parts: readonly Buffer[]) => Buffer, start: Buffer, p: Buffer, s: Buffer, rounds: number): Buffer {
  let last = start;
  for (let round = 0; round < rounds; round += 1) {
    const parts = [round % 2 === 1 ? p : last];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(round % 2 === 1 ? last : p);
    last = digest(...parts);
  }
  return last;
}

function digestOf(hash: string, parts: readonly Buffer[]): Buffer {
  const running = createHash(hash);
  for (const part of parts) running.update(part);
  return running.digest();
}

/** Bits of a length from the lowest to the highest one that is set. */
function bitsOf(length: number): boolean[] {
  const bits: boolean[] = [];
  for (let rest = length; rest > 0; rest >>>= 1) bits.push((rest & 1) === 1);
  return bits;
}

/** So many bytes of something that is repeated. */
function repeated(bytes: Buffer, length: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes);
}

/** Writes bytes in the groups of an order. */
function encoded(bytes: Buffer, order: readonly (readonly number[])[]): string {
  return order.map((places) => letters(places.map((place) => bytes[place] ?? 0))).join('');
}

/** One letter for six bits, as many as the bytes need. */
function letters(group: readonly number[]): string {
  const value = group.reduce((sum, byte) => sum * 256 + byte, 0);
  const count = Math.ceil((group.length * 8) / 6);
  return Array.from({ length: count }, (_, at) => ALPHABET.charAt((value >>> (6 * at)) & 0x3f)).join('');
}
