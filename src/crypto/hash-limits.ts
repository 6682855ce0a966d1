/**
 * Costs above which a stored hash counts as not verifiable, so that an imported hash cannot hold a thread for minutes
 * or exhaust the memory. Each allows some ten seconds of work, far above what anybody configures.
 */
export const HASH_LIMITS = {
  bcryptRounds: 18,
  /** Of the algorithm itself. */
  bcryptMinRounds: 4,
  /** 1 GiB. */
  argon2MemoryKb: 2 ** 20,
  /** Memory times passes: 32 GiB written. */
  argon2WorkKb: 2 ** 25,
  argon2Parallelism: 255,
  /** Of salt and of hash. */
  argon2Bytes: 1024,
  /** All that scrypt allocates: 512 MiB. */
  scryptBytes: 2 ** 29,
  /** The table of scrypt times its lanes, which are filled one after the other: 4 GiB written. */
  scryptWorkBytes: 2 ** 32,
  /** The salt is hashed once per 32 bytes of a table row, and a row may be huge; real salts have some ten bytes. */
  scryptSaltBytes: 128,
  /** Iterations of PBKDF2 times the blocks of its digest. */
  pbkdf2Work: 2 ** 23,
  /** Rounds of SHA-2 crypt; its own limit is 999,999,999. */
  shaCryptRounds: 2 ** 21,
} as const;

/** Memory of scrypt: a table of N rows of 128 * r bytes, two to work with, and one for each lane. */
export function scryptBytes(cost: number, blockSize: number, parallelism = 1): number {
  return 128 * blockSize * (cost + 2 + parallelism);
}
