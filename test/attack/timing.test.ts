import { expect, test } from 'vitest';
import { parseArgon2, parseBcrypt, unknownUserHash } from '../../src/crypto/password-hashes.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import type { RunningCore } from '../running-core.ts';
import { withCore } from '../with-core.ts';

/*
 * How long an answer takes must not tell who has an account. Nearly all of that time is the password hash, so what is counted is hashes, and
 * what they cost: a clock would tell the same, and now and then, on a busy machine, something else.
 */

let core: RunningCore;
let client: CdiClient;
withCore({ env: { BCRYPT_LOG_ROUNDS: '9', DASHBOARD_SIGN_IN_FAILURES_PER_ACCOUNT: '2' } }, async (started) => {
  core = started;
  client = cdiClient(core.url);
  await client.post('/recipe/signup', { email: 'known@example.com', password: 'right-horse-1' });
  await client.post('/recipe/dashboard/user', { email: 'known@example.com', password: 'right-horse-1' });
  await client.post('/recipe/user/passwordhash/import', { email: 'spoilt@example.com', passwordHash: '$2a$09$spoilt' });
});

/** What the lanes of the core have done until now, by their names; not the one that makes keys, whoever calls. */
async function tasksDone(): Promise<Readonly<Record<string, number>>> {
  const { text } = await client.get('/metrics');
  const samples = text.matchAll(/^watchword_lane_completed_total\{lane="(\w+)"\} (\d+)$/gm);
  const done = Array.from(samples, ([, lane = '', count]) => [lane, Number(count)] as const);
  return Object.fromEntries(done.filter(([lane]) => lane !== 'keys'));
}

test.each(['known@example.com', 'unknown@example.com', 'spoilt@example.com'])('%s with a wrong password costs one hash', async (email) => {
  for (let times = 0; times < 5; times += 1) {
    const before = await tasksDone();
    const { body } = await client.post('/recipe/signin', { email, password: 'wrong-horse-1' });
    expect(body).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
    expect(before['hash']).toBeGreaterThan(0);
    expect(await tasksDone()).toEqual({ ...before, hash: Number(before['hash']) + 1 });
  }
});

test.each(['known@example.com', 'unknown@example.com'])('%s at the dashboard costs one hash, over the limit too', async (email) => {
  // The third would be right.
  for (const password of ['wrong-horse-1', 'wrong-horse-2', 'right-horse-1', 'wrong-horse-4']) {
    const before = await tasksDone();
    const { status, body } = await client.post('/recipe/dashboard/signin', { email, password });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'INVALID_CREDENTIALS_ERROR' } });
    expect(await tasksDone()).toEqual({ ...before, hash: Number(before['hash']) + 1 });
  }
});

test('the hash for who is unknown costs what new hashes cost', () => {
  for (const rounds of [4, 9, 11]) expect(parseBcrypt(unknownUserHash({ algorithm: 'BCRYPT', rounds }))).toMatchObject({ rounds });
  const costs = { iterations: 3, memoryKb: 128, parallelism: 2 };
  expect(parseArgon2(unknownUserHash({ algorithm: 'ARGON2', ...costs }))).toMatchObject({ type: 'argon2id', version: 19, ...costs });
});
