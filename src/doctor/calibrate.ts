import { DEFAULTS } from '../config/config.ts';
import type { HashParameters } from '../crypto/crypto.ts';
import { HASH_LIMITS } from '../crypto/hash-limits.ts';
import { hashPassword } from '../crypto/passwords.ts';

/** Costs for one algorithm that come near a wished time on this machine. */
export interface Advice {
  readonly parameters: HashParameters;
  /** What a hash with them takes. */
  readonly ms: number;
  /** Less is not safe enough for new hashes, whatever the machine. */
  readonly isLeast: boolean;
}

/** Measures a hash with these costs. */
export type Measure = (parameters: HashParameters) => Promise<number>;

const ROUNDS = 3;
const PASSWORD = 'correct horse battery staple';
/** What bcrypt is measured with first; each round more doubles it. */
const FIRST_BCRYPT_ROUNDS = 8;
const LEAST_BCRYPT_ROUNDS = 10;
/** The least that is advised for argon2id with one pass or more (OWASP, 2024). */
const LEAST_ARGON2_KB = 19_456;
const LEAST_ARGON2_PASSES = 2;
const MOST_ARGON2_PASSES = 32;

/** The shortest of some hashes: what else the machine does only adds to them. */
export async function measureHash(parameters: HashParameters): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await hashPassword(PASSWORD, parameters);
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

/** Costs of bcrypt and argon2 that take at most about so long on this machine, each alone on its core. */
export async function calibrate(wishedMs: number, measure: Measure = measureHash): Promise<readonly Advice[]> {
  return [await adviseArgon2(wishedMs, measure), await adviseBcrypt(wishedMs, measure)];
}

async function adviseBcrypt(wishedMs: number, measure: Measure): Promise<Advice> {
  const first = await measure({ algorithm: 'BCRYPT', rounds: FIRST_BCRYPT_ROUNDS });
  const fitting = FIRST_BCRYPT_ROUNDS + Math.floor(Math.log2(wishedMs / first));
  const rounds = Math.min(HASH_LIMITS.bcryptRounds, Math.max(LEAST_BCRYPT_ROUNDS, fitting));
  const parameters: HashParameters = { algorithm: 'BCRYPT', rounds };
  return { parameters, ms: await measure(parameters), isLeast: fitting < LEAST_BCRYPT_ROUNDS };
}

/** Memory first, up to what is the default: it costs an attacker most. Then passes. */
async function adviseArgon2(wishedMs: number, measure: Measure): Promise<Advice> {
  const parallelism = DEFAULTS.argon2_parallelism;
  const most = DEFAULTS.argon2_memory_kb;
  const onePass = await measure({ algorithm: 'ARGON2', iterations: 1, memoryKb: most, parallelism });
  const passes = Math.min(MOST_ARGON2_PASSES, Math.floor(wishedMs / onePass));
  const memoryKb = passes >= 1 ? most : Math.floor((most * wishedMs) / onePass);
  const isLeast = memoryKb < LEAST_ARGON2_KB;
  const parameters: HashParameters = {
    algorithm: 'ARGON2',
    iterations: isLeast ? LEAST_ARGON2_PASSES : Math.max(1, passes),
    memoryKb: Math.max(LEAST_ARGON2_KB, memoryKb),
    parallelism,
  };
  return { parameters, ms: await measure(parameters), isLeast };
}
