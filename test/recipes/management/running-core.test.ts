import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { type RunningCore, startCore } from '../../running-core.ts';

const DAY_MS = 86_400_000;
const nameOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

let dataDir = '';
let core: RunningCore;
let client: CdiClient;

async function start(): Promise<void> {
  core = await startCore({ dataDir });
  client = cdiClient(core.url);
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'watchword-management-'));
  await start();
});

afterAll(async () => {
  await core.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const signIn = async (password: string): Promise<unknown> =>
  (await client.post<{ readonly status: string }>('/recipe/signin', { email: 'a@x', password })).body.status;

test('what was counted and who is disabled survive an orderly stop', async () => {
  const { body } = await client.post<{ readonly user: { readonly id: string } }>('/recipe/signup', { email: 'a@x', password: 'secret-1' });
  const userId = body.user.id;
  expect(await signIn('secret-1')).toBe('OK');
  const session = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
  expect((await client.post('/recipe/session', session)).status).toBe(200);
  expect((await client.post('/manage/v1/user/disable', { userId })).body).toEqual({ status: 'OK', endedSessions: 1 });
  await core.stop();
  await start();
  expect(await signIn('secret-1')).toBe('WRONG_CREDENTIALS_ERROR');
  expect((await client.post('/recipe/session', session)).text).toBe('The user is disabled\n');
  // Midnight may have passed since.
  const now = Date.now();
  const query = { from: nameOf(now - DAY_MS), to: nameOf(now) };
  const { body: statistics } = await client.get<{ readonly days: readonly Readonly<Record<string, number>>[] }>(
    '/manage/v1/statistics',
    query,
  );
  const sumOf = (name: string): number => statistics.days.reduce((sum, day) => sum + (day[name] ?? 0), 0);
  expect(['signUps', 'signIns'].map(sumOf)).toEqual([1, 1]);
  expect(sumOf('activeUsers')).toBeGreaterThanOrEqual(1);
  expect((await client.post('/manage/v1/user/enable', { userId })).body).toEqual({ status: 'OK' });
  expect(await signIn('secret-1')).toBe('OK');
});

test('no thread keeps a session for whom another has just disabled', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = `race-${round}@x`;
    const made = await client.post<{ readonly user: { readonly id: string } }>('/recipe/signup', { email, password: 'secret-1' });
    const userId = made.body.user.id;
    const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
    const starting = Array.from({ length: 24 }, () => client.post<{ readonly status?: string }>('/recipe/session', body));
    const disabled = await client.post<{ readonly endedSessions: number }>('/manage/v1/user/disable', { userId });
    const started = (await Promise.all(starting)).filter(({ status }) => status === 200);
    expect(disabled.body.endedSessions).toBe(started.length);
    const shown = await client.get<{ readonly sessionCount: number }>('/manage/v1/user', { userId });
    expect(shown.body.sessionCount).toBe(0);
  }
});
