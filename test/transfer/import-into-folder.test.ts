import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { startCore } from '../running-core.ts';
import { hashedUsers, onceBeyond, readRejects, watchword, writeLines } from './program.ts';

const root = mkdtempSync(join(tmpdir(), 'watchword-import-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let number = 0;
let folder = '';
let file = '';
let dataDir = '';
beforeEach(() => {
  number += 1;
  folder = join(root, String(number));
  dataDir = join(folder, 'data');
  file = `${folder}.ndjson`;
});

/** What a core on the folder knows, asked after the import. */
async function askCore<T>(ask: (client: ReturnType<typeof cdiClient>) => Promise<T>): Promise<T> {
  const core = await startCore({ dataDir });
  try {
    return await ask(cdiClient(core.url));
  } finally {
    await core.stop();
  }
}

const countUsers = (): Promise<number> => askCore(async (client) => (await client.get<{ count: number }>('/users/count')).body.count);

describe('watchword import --data-dir', () => {
  test('imports hashes and passwords, and names what it cannot import', async () => {
    const password = { recipeId: 'emailpassword', email: 'plain@example.com', plainTextPassword: 'correct horse' };
    const users = [...hashedUsers(3), { externalUserId: 'ext', loginMethods: [password] }, { loginMethods: [] }, ...hashedUsers(1)];
    writeLines(file, users);
    const ended = await watchword(['import', file, '--data-dir', dataDir]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^6 users done.*4 users are imported\. 2 were rejected, .* tells why\.\n$/);
    expect(readRejects(`${file}.rejects.ndjson`)).toEqual([
      { line: 5, errors: ['At least one loginMethod is required.'], user: { loginMethods: [] } },
      { line: 6, errors: ['E003: A user with email user-0@example.com already exists in emailpassword loginMethod.'], user: users[5] },
    ]);
    const signIn = await askCore((client) => client.post('/recipe/signin', { email: 'plain@example.com', password: 'correct horse' }));
    expect(signIn.body).toMatchObject({ status: 'OK', user: { id: 'ext' } });
  });

  test('what may hold passwords is for its owner only', async () => {
    writeLines(file, [{ loginMethods: [] }]);
    await watchword(['import', file, '--data-dir', dataDir]);
    for (const path of [`${file}.rejects.ndjson`, `${file}.state`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a finished import is not done again, until its state is removed', async () => {
    writeLines(file, hashedUsers(2));
    expect((await watchword(['import', file, '--data-dir', dataDir])).code).toBe(0);
    const again = await watchword(['import', file, '--data-dir', dataDir]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('was imported before');
    rmSync(`${file}.state`);
    expect((await watchword(['import', file, '--data-dir', dataDir])).code).toBe(2);
    expect(readRejects(`${file}.rejects.ndjson`).map(({ line }) => line)).toEqual([1, 2]);
  });

  test('a state file of another file, of another target or of nothing is not gone on with', async () => {
    const attempt = async (target = dataDir): Promise<string> => {
      const ended = await watchword(['import', file, '--data-dir', target]);
      expect(ended.code).toBe(1);
      return ended.stderr;
    };
    writeLines(file, hashedUsers(2));
    await watchword(['import', file, '--data-dir', dataDir]);
    expect(await attempt(join(folder, 'elsewhere'))).toContain('.state says how far an import into');
    writeLines(file, hashedUsers(3));
    expect(await attempt()).toContain('or of this one before it changed. Remove');
    writeFileSync(`${file}.state`, 'x');
    expect(await attempt()).toContain('is not the state of an import');
  });

  test('a second process keeps away while the first one lives', async () => {
    writeLines(file, hashedUsers(1));
    const lock = `${file}.state.lock`;
    writeFileSync(lock, String(process.pid));
    const ended = await watchword(['import', file, '--data-dir', dataDir]);
    expect(ended).toMatchObject({
      code: 1,
      stderr: `watchword import: Process ${process.pid} is doing this import. If it is not, remove ${lock}.\n`,
    });
    // The highest number a process may have, and none has.
    writeFileSync(lock, '4194304');
    expect((await watchword(['import', file, '--data-dir', dataDir])).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  });

  test('reads standard input, and leaves no state behind', async () => {
    const input = JSON.stringify({ users: [...hashedUsers(2), 5] });
    const rejects = join(root, 'rejects-of-stdin');
    const state = join(root, 'state-of-stdin');
    const ended = await watchword(['import', '-', '--data-dir', dataDir, '--rejects', rejects, '--state', state], { input });
    expect(ended.code).toBe(2);
    expect(readRejects(rejects)).toEqual([{ index: 2, errors: ['It is not a JSON object.'], text: '5' }]);
    expect(existsSync(state)).toBe(false);
    expect(await countUsers()).toBe(2);
  });

  test.each([
    ['[{"loginMethods":[]}', 'The file ends within its array of users: it was cut off.'],
    ['[{"loginMethods":[]} {}]', 'The file is not JSON at byte 21, behind 1 user.'],
  ])('a broken file %j ends the import', async (content, message) => {
    writeFileSync(file, content);
    const ended = await watchword(['import', file, '--data-dir', dataDir]);
    expect(ended).toMatchObject({ code: 1, stderr: `watchword import: ${message}\n` });
  });

  test('apps that do not exist, and files that do not, are named', async () => {
    writeLines(file, []);
    const app = await watchword(['import', file, '--data-dir', dataDir, '--app-id', 'nope']);
    expect(app).toMatchObject({ code: 1, stderr: `watchword import: There is no app nope in ${dataDir}.\n` });
    const missing = await watchword(['import', `${file}.missing`, '--data-dir', dataDir]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('no such file');
  });

  test('works beside a core on the same folder, which serves the users at once', async () => {
    writeLines(file, hashedUsers(600));
    const core = await startCore({ dataDir });
    const ended = await watchword(['import', file, '--data-dir', dataDir]);
    const { count } = (await cdiClient(core.url).get<{ count: number }>('/users/count')).body;
    await core.stop();
    expect([ended.code, count]).toEqual([0, 600]);
  });

  test('ids can be kept; those that are taken are refused', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const method = (email: string): object => ({ recipeId: 'passwordless', email, superTokensUserId: id });
    writeLines(file, [{ externalUserId: id, loginMethods: [method('a@example.com')] }, { loginMethods: [method('b@example.com')] }]);
    expect((await watchword(['import', file, '--data-dir', dataDir, '--keep-ids'])).code).toBe(2);
    expect(readRejects(`${file}.rejects.ndjson`)).toMatchObject([{ line: 2, errors: [`A user with the id ${id} already exists.`] }]);
    const found = await askCore((client) => client.get('/user/id', { userId: id }));
    expect(found.body).toMatchObject({ status: 'OK', user: { id, loginMethods: [{ recipeUserId: id, email: 'a@example.com' }] } });
  });
});

describe('an import into a folder that is interrupted', () => {
  /** So many that no import comes to its end before it is stopped, however late a busy machine does that. */
  const USERS = 5000;
  const LINES = [...hashedUsers(USERS), ...hashedUsers(40)];

  test('by kill -9, again and again: every user is imported once, every reject told once', { timeout: 120_000 }, async () => {
    writeLines(file, LINES);
    const command = ['import', file, '--data-dir', dataDir, '--batch', '10'];
    let kills = 0;
    for (; kills < 8; kills += 1) {
      const { code } = await watchword(command, { end: { when: onceBeyond(file, 200), signal: 'SIGKILL' } });
      if (code !== null) break;
    }
    expect(kills).toBeGreaterThan(2);
    expect((await watchword(command)).code).toBe(2);
    const rejected = readRejects(`${file}.rejects.ndjson`);
    expect(rejected.map(({ line }) => line)).toEqual(LINES.slice(USERS).map((_, at) => USERS + at + 1));
    expect(await countUsers()).toBe(USERS);
  });

  test('by SIGINT: it says so and goes on', { timeout: 60_000 }, async () => {
    writeLines(file, LINES);
    const command = ['import', file, '--data-dir', dataDir, '--batch', '10'];
    const stopped = await watchword(command, { end: { when: onceBeyond(file, 500), signal: 'SIGINT' } });
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('Stopped; the same command goes on from here.');
    const ended = await watchword(command);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^Going on behind [\d,]+ lines\.\n/);
    expect(await countUsers()).toBe(USERS);
  });
});
