import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { isVerifiable } from '../../src/crypto/password-hashes.ts';
import { hashParameters } from '../../src/recipes/email-password/hash-parameters.ts';

/** What the start says of these options; of whatever it takes, hashes must be possible. */
function faultsOf(options: Readonly<Record<string, number | string>>): readonly string[] {
  const argv = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  try {
    const { config } = loadConfig({ argv, env: {}, cwd: import.meta.dirname });
    expect(isVerifiable(hashParameters(config)), JSON.stringify(options)).toBe(true);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('costs that no sign-up could pay are refused at start', () => {
  const text = "'bcrypt_log_rounds' must be between 4 and 18";
  test.each([
    [0, ["'bcrypt_log_rounds' must be >= 1"]],
    [1, [text]],
    [3, [text]],
    [4, []],
    [18, []],
    [19, [text]],
    [31, [text]],
    [32, [text]],
  ])('bcrypt with %i rounds', (rounds, faults) => {
    expect(faultsOf({ 'password-hashing-alg': 'BCRYPT', 'bcrypt-log-rounds': rounds })).toEqual(faults);
  });

  test.each<[memoryKb: number, iterations: number, parallelism: number, faults: readonly string[]]>([
    [8, 1, 1, []],
    [7, 1, 1, ["'argon2_memory_kb' must be >= 8 * 'argon2_parallelism'"]],
    [16, 1, 2, []],
    [15, 1, 2, ["'argon2_memory_kb' must be >= 8 * 'argon2_parallelism'"]],
    [2 ** 20, 32, 1, []],
    [2 ** 20, 33, 1, ["'argon2_memory_kb' * 'argon2_iterations' must be <= 33554432"]],
    [2 ** 20 + 1, 1, 1, ["'argon2_memory_kb' must be <= 1048576"]],
    [4096, 1, 255, []],
    [4096, 1, 256, ["'argon2_parallelism' must be <= 255"]],
  ])('argon2 with %i KiB, %i passes and %i lanes', (memoryKb, iterations, parallelism, faults) => {
    const costs = { 'argon2-memory-kb': memoryKb, 'argon2-iterations': iterations, 'argon2-parallelism': parallelism };
    expect(faultsOf({ 'password-hashing-alg': 'ARGON2', ...costs })).toEqual(faults);
  });

  test('those of the other algorithm count for nothing', () => {
    expect(faultsOf({ 'password-hashing-alg': 'ARGON2', 'bcrypt-log-rounds': 99 })).toEqual([]);
    expect(faultsOf({ 'password-hashing-alg': 'BCRYPT', 'argon2-memory-kb': 1 })).toEqual([]);
  });
});
