import type { Config } from '../../config/config.ts';
import type { HashParameters } from '../../crypto/crypto.ts';

/** How new password hashes are made, from the configuration (contract 03 section 1.3). */
export function hashParameters(config: Config): HashParameters {
  if (config.password_hashing_alg === 'BCRYPT') return { algorithm: 'BCRYPT', rounds: config.bcrypt_log_rounds };
  return {
    algorithm: 'ARGON2',
    iterations: config.argon2_iterations,
    memoryKb: config.argon2_memory_kb,
    parallelism: config.argon2_parallelism,
  };
}
