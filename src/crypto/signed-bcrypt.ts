/*
 * Bcrypt as crypt_blowfish computed it before version 1.1, whose hashes are marked `$2x$`: it took the bytes of a
 * password for signed numbers. No library has it, and none can be led to it by another key: theirs guard against that.
 */

const SUBKEYS = 18;
const BOXES = 4 * 256;
const BLOCK_ROUNDS = 16;
const PLAIN = 'OrpheanBeholderScryDoubt';
const PLAIN_ROUNDS = 64;
/** The last byte of the cipher text is not kept. */
const DIGEST_BYTES = 23;

/** The digest of a key (with its NUL) under a salt of 16 bytes; `rounds` is the logarithm of the cost. */
export function signedBcrypt(key: Buffer, salt: Buffer, rounds: number): Buffer {
  const state = initialState().slice();
  const keyWords = signedWords(key);
  const saltWords = wordsOf(salt);
  expand(state, keyWords, saltWords);
  const saltAsKey = Array.from({ length: SUBKEYS }, (_, at) => saltWords[at % saltWords.length] ?? 0);
  const noSalt = [0, 0, 0, 0];
  for (let round = 0; round < 2 ** rounds; round += 1) {
    expand(state, keyWords, noSalt);
    expand(state, saltAsKey, noSalt);
  }
  const block = new Int32Array(wordsOf(Buffer.from(PLAIN)));
  for (let at = 0; at < block.length; at += 2) for (let round = 0; round < PLAIN_ROUNDS; round += 1) encipher(state, block, at);
  const cipher = Buffer.alloc(block.length * 4);
  for (const [at, word] of block.entries()) cipher.writeInt32BE(word, at * 4);
  return cipher.subarray(0, DIGEST_BYTES);
}

/** Puts a key and a salt into the state of Blowfish. */
function expand(state: Int32Array, key: readonly number[], salt: readonly number[]): void {
  for (const [at, word] of key.entries()) state[at] = (state[at] ?? 0) ^ word;
  const block = new Int32Array(2);
  for (let at = 0; at < state.length; at += 2) {
    block[0] = (block[0] ?? 0) ^ (salt[at & 2] ?? 0);
    block[1] = (block[1] ?? 0) ^ (salt[(at & 2) + 1] ?? 0);
    encipher(state, block, 0);
    state.set(block, at);
  }
}

/** Blowfish over the two words at a place. The state holds the subkeys, then the four boxes. */
function encipher(state: Int32Array, block: Int32Array, at: number): void {
  const word = (index: number): number => state[index] ?? 0;
  let left = (block[at] ?? 0) ^ word(0);
  let right = block[at + 1] ?? 0;
  for (let round = 1; round <= BLOCK_ROUNDS; round += 1) {
    const [a, b, c, d] = [left >>> 24, (left >>> 16) & 0xff, (left >>> 8) & 0xff, left & 0xff];
    const first = (word(SUBKEYS + a) + word(SUBKEYS + 256 + b)) | 0;
    const mixed = ((first ^ word(SUBKEYS + 512 + c)) + word(SUBKEYS + 768 + d)) | 0;
    [left, right] = [right ^ mixed ^ word(round), left];
  }
  block[at] = right ^ word(SUBKEYS - 1);
  block[at + 1] = left;
}

/** The key again and again in 18 words; a byte above 0x7f sets all bits before it in its word. */
function signedWords(key: Buffer): number[] {
  return Array.from({ length: SUBKEYS }, (_, word) => {
    let value = 0;
    for (let at = word * 4; at < word * 4 + 4; at += 1) value = (value << 8) | key.readInt8(at % key.length);
    return value;
  });
}

const wordsOf = (bytes: Buffer): number[] => Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readInt32BE(at * 4));

let kept: Int32Array | undefined;

/** Blowfish begins with the binary digits of pi behind the point. */
function initialState(): Int32Array {
  kept ??= new Int32Array(wordsOf(fractionOfPi((SUBKEYS + BOXES) * 4)));
  return kept;
}

/** So many bytes of pi behind its point, by Machin's formula; the last bits of the sums are cut off. */
function fractionOfPi(bytes: number): Buffer {
  const spare = 64n;
  const one = 1n << (BigInt(bytes * 8) + spare);
  const pi = 4n * (4n * arctangentOfInverse(5n, one) - arctangentOfInverse(239n, one));
  return Buffer.from(((pi % one) >> spare).toString(16).padStart(bytes * 2, '0'), 'hex');
}

function arctangentOfInverse(x: bigint, one: bigint): bigint {
  let sum = 0n;
  let sign = 1n;
  let divisor = 1n;
  for (let power = one / x; power !== 0n; power /= x * x) {
    sum += (sign * power) / divisor;
    sign = -sign;
    divisor += 2n;
  }
  return sum;
}
