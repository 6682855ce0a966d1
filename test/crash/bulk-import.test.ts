import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';

const KILLS = 10;
const USERS_PER_UPLOAD = 250;
/** A claim of a killed process ends after ten seconds. */
const PATIENCE_MS = 40_000;
const HASH = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const ENV = {
  BULK_IMPORT_DELAY_MS: '0',
  BULK_MIGRATION_SLEEP_BETWEEN_ROUNDS_IN_BATCH_MS: '0',
  BULK_MIGRATION_BATCH_SIZE: '100',
  HTTP_THREADS: '1',
};

type Json = { readonly [name: string]: unknown };

async function ask(core: RunningCore, method: string, path: string, body?: object): Promise<Json> {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(core.url + path, { ...init, headers: { 'content-type': 'application/json', 'cdi-version': '5.3' } });
  const text = await response.text();
  expect(`${response.status} ${text.slice(0, 500)}`).toMatch(/^200 /);
  return JSON.parse(text);
}

/** One user in ten has a password in plain text, and one in ten wants what the one before has. */
function userOf(upload: number, n: number): object {
  const email = `u${upload}-${n}@example.com`;
  if (n % 10 === 9)
    return {
      loginMethods: [
        { recipeId: 'emailpassword', email: `u${upload}-${n - 1}@example.com`, passwordHash: HASH, hashingAlgorithm: 'bcrypt' },
      ],
    };
  const password = n % 10 === 5 ? { plainTextPassword: 'a good password 1' } : { passwordHash: HASH, hashingAlgorithm: 'bcrypt' };
  const method = { recipeId: 'emailpassword', email, isVerified: true, isPrimary: true, ...password };
  return { externalUserId: `e${upload}-${n}`, userMetadata: { upload, n }, loginMethods: [method] };
}

/** Emails of all users, and the external ids beside them, in order. */
async function usersOf(core: RunningCore): Promise<string[]> {
  const found: string[] = [];
  for (let token = ''; ; ) {
    const page = (await ask(core, 'GET', `/users?limit=500${token}`)) as {
      users: { id: string; emails: string[] }[];
      nextPaginationToken?: string;
    };
    found.push(...page.users.map(({ id, emails }) => `${emails[0]} ${id}`));
    if (page.nextPaginationToken === undefined) return found.toSorted();
    token = `&paginationToken=${encodeURIComponent(page.nextPaginationToken)}`;
  }
}

async function emptied(core: RunningCore): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Number((await ask(core, 'GET', '/bulk-import/users/count?status=NEW'))['count']) > 0) {
    if (Date.now() > until) throw new Error('the queue is not emptied');
    await later(100);
  }
}

test(`two processes import from one folder and are killed ${KILLS} times: each user is imported once or has failed`, {
  timeout: 150_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-import-'));
  const start = (): Promise<RunningCore> => startCore({ dataDir, env: ENV });
  const cores: [RunningCore, RunningCore] = [await start(), await start()];
  for (let kill = 0; kill < KILLS; kill++) {
    const users = Array.from({ length: USERS_PER_UPLOAD }, (_, n) => userOf(kill, n));
    await ask(cores[kill % 2 === 0 ? 0 : 1], 'POST', '/bulk-import/users', { users });
    await later((kill * 97) % 400);
    const victim = kill % 3 === 0 ? 0 : 1;
    await cores[victim].kill();
    cores[victim] = await start();
  }
  await emptied(cores[0]);
  const numbers = Array.from({ length: KILLS }, (_, upload) =>
    Array.from({ length: USERS_PER_UPLOAD }, (_unused, n) => [upload, n] as const),
  ).flat();
  const wanted = numbers.filter(([, n]) => n % 10 !== 9);
  // Of the two that want one email the first usually wins, but the claim of a killed process may let the second go ahead.
  const imported = await usersOf(cores[1]);
  const emails = imported.map((line) => line.split(' ')[0]);
  expect(emails).toEqual(wanted.map(([upload, n]) => `u${upload}-${n}@example.com`).toSorted());
  const failed = Number((await ask(cores[1], 'GET', '/bulk-import/users/count?status=FAILED'))['count']);
  expect(failed + imported.length).toBe(numbers.length);
  const named = imported.filter((line) => / e\d+-\d+$/.test(line));
  for (const line of [...named.slice(0, 20), ...named.slice(-20)]) {
    const id = line.split(' ')[1] ?? '';
    const [upload, n] = id.slice(1).split('-').map(Number);
    expect((await ask(cores[0], 'GET', `/recipe/user/metadata?userId=${id}`))['metadata']).toEqual({ upload, n });
  }
  const { users } = (await ask(cores[0], 'GET', '/bulk-import/users?status=FAILED&limit=500')) as { users: { errorMessage: string }[] };
  for (const { errorMessage } of users)
    expect(errorMessage).toMatch(/^E003: A user with email \S+ already exists in emailpassword loginMethod\.$|^E027: /);
  await Promise.all(cores.map((core) => core.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});
