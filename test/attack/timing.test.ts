import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';

/** How long an answer takes must not tell who has an account. */
const ROUNDS = 25;

let core: RunningCore;
let client: CdiClient;
beforeAll(async () => {
  // Dear enough to stand out against everything else a sign-in does.
  core = await startCore({ env: { BCRYPT_LOG_ROUNDS: '9' } });
  client = cdiClient(core.url);
  await client.post('/recipe/signup', { email: 'known@example.com', password: 'right-horse-1' });
  await client.post('/recipe/user/passwordhash/import', { email: 'spoilt@example.com', passwordHash: '$2a$09$spoilt' });
});
afterAll(async () => {
  await core?.stop();
});

async function timeOfSignIn(email: string): Promise<number> {
  const begun = performance.now();
  const reply = await client.post('/recipe/signin', { email, password: 'wrong-horse-1' });
  expect(reply.body).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
  return performance.now() - begun;
}

test('an unknown email takes as long as a wrong password, and so does one whose hash is spoilt', async () => {
  const known: number[] = [];
  const unknown: number[] = [];
  const spoilt: number[] = [];
  await timeOfSignIn('warm-up@example.com');
  for (let i = 0; i < ROUNDS; i += 1) {
    const turns = [
      async () => known.push(await timeOfSignIn('known@example.com')),
      async () => unknown.push(await timeOfSignIn(`unknown-${i}@example.com`)),
      async () => spoilt.push(await timeOfSignIn('spoilt@example.com')),
    ];
    // Each is first half of the time.
    for (const turn of i % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  // The lower quartile: what else the machine does only ever adds.
  const usual = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 4)] ?? 0;
  for (const times of [unknown, spoilt]) {
    const ratio = usual(times) / usual(known);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  }
});
