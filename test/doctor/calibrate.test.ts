import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config.ts';
import type { HashParameters } from '../../src/crypto/crypto.ts';
import { calibrate, measureHash } from '../../src/doctor/calibrate.ts';

/** A machine on which bcrypt with 8 rounds takes so long, and argon2 with the default memory and one pass. */
const machine =
  (bcryptMs: number, argon2Ms: number) =>
  async (parameters: HashParameters): Promise<number> =>
    parameters.algorithm === 'BCRYPT'
      ? bcryptMs * 2 ** (parameters.rounds - 8)
      : (argon2Ms * parameters.iterations * parameters.memoryKb) / DEFAULTS.argon2_memory_kb;

test('the highest costs that stay within the time', async () => {
  const [argon2, bcrypt] = await calibrate(250, machine(20, 50));
  expect(bcrypt).toEqual({ parameters: { algorithm: 'BCRYPT', rounds: 11 }, ms: 160, isLeast: false });
  expect(argon2).toMatchObject({ parameters: { iterations: 5, memoryKb: DEFAULTS.argon2_memory_kb }, ms: 250, isLeast: false });
});

test('a slow machine gets less memory, and no less than is safe', async () => {
  const [argon2, bcrypt] = await calibrate(250, machine(100, 500));
  expect(bcrypt).toEqual({ parameters: { algorithm: 'BCRYPT', rounds: 10 }, ms: 400, isLeast: true });
  expect(argon2).toMatchObject({ parameters: { iterations: 1, memoryKb: Math.floor(DEFAULTS.argon2_memory_kb / 2) }, isLeast: false });
  const [slower] = await calibrate(250, machine(100, 10_000));
  expect(slower).toMatchObject({ parameters: { iterations: 2, memoryKb: 19_456 }, isLeast: true });
});

test('hashes of the product are what is measured', async () => {
  expect(await measureHash({ algorithm: 'BCRYPT', rounds: 4 })).toBeGreaterThan(0);
});
