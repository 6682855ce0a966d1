import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildBlocklist } from '../../src/blocklist/build.ts';
import { cdiClient } from '../cdi-client.ts';
import { type CoreOptions, startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-blocklist-'));
const FILE = join(folder, 'passwords.blocklist');
const TEXT = 'This password is too common';
const [BLOCKED, FREE] = ['Summer2026', 'a fine one 4 all'];
const PATIENCE_MS = 25_000;
/** More requests than threads: some reach each of them. */
const SOME = 12;

afterAll(() => rmSync(folder, { recursive: true }));

async function build(...passwords: readonly string[]): Promise<void> {
  const words = join(folder, 'words.txt');
  writeFileSync(words, passwords.join('\n'));
  await buildBlocklist({ file: FILE, lists: [words], words: true, minCount: 1, falsePositives: 1e-6, progress: () => {} });
}

async function start(options: CoreOptions = {}) {
  const core = await startCore({ ...options, env: { PASSWORD_BLOCKLIST: FILE, ...options.env } });
  const client = cdiClient(core.url);
  let users = 0;
  const signUp = (password: string) => client.post('/recipe/signup', { email: `user${(users += 1)}@x`, password });
  /** What sign-ups in all threads come to. */
  const answers = async (password: string): Promise<ReadonlySet<number>> =>
    new Set((await Promise.all(Array.from({ length: SOME }, () => signUp(password)))).map(({ status }) => status));
  return { core, client, signUp, answers };
}

describe('a password that the list has', () => {
  let doors: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    await build(BLOCKED, 'short1');
    doors = await start();
  });
  afterAll(() => doors.core.stop());

  test('is refused at every door where somebody chooses one, and changes nothing', async () => {
    const { client, signUp, answers } = doors;
    expect(await signUp(BLOCKED)).toMatchObject({ status: 400, text: `${TEXT}\n` });
    expect(await answers(BLOCKED)).toEqual(new Set([400]));
    const user = (await client.post<{ user: { id: string } }>('/recipe/signup', { email: 'ann@x', password: FREE })).body.user.id;
    const update = (password: string) => client.put('/recipe/user', { recipeUserId: user, email: 'bea@x', password }, EMAIL_PASSWORD);
    expect(await update(BLOCKED)).toMatchObject({ status: 400, text: `${TEXT}\n` });
    const { token } = (await client.post<{ token: string }>('/recipe/user/password/reset/token', { userId: user, email: 'ann@x' })).body;
    const reset = (newPassword: string) => client.post('/recipe/user/password/reset', { method: 'token', token, newPassword });
    expect(await reset(BLOCKED)).toMatchObject({ status: 400, text: `${TEXT}\n` });
    // Neither was the email changed, nor the token used.
    expect((await client.post('/recipe/signin', { email: 'ann@x', password: FREE })).body).toMatchObject({ status: 'OK' });
    expect((await reset(`${FREE}!`)).body).toMatchObject({ status: 'OK' });
    expect((await update(`${FREE}?`)).body).toMatchObject({ status: 'OK' });
  });

  test('is refused to users of the dashboard in their way, after the rules that they had', async () => {
    const { client } = doors;
    const put = (body: object) => client.put('/recipe/dashboard/user', body);
    const post = (password: string) => client.post('/recipe/dashboard/user', { email: 'boss@example.com', password });
    const weak = { status: 'PASSWORD_WEAK_ERROR', message: TEXT };
    expect((await post(` ${BLOCKED} `)).body).toEqual(weak);
    expect((await post('short1')).body).toMatchObject({ message: 'Password must contain at least 8 characters, including a number' });
    expect((await post(FREE)).body).toMatchObject({ status: 'OK' });
    expect((await put({ email: 'boss@example.com', newPassword: BLOCKED })).body).toEqual(weak);
    expect((await put({ email: 'boss@example.com', newPassword: `${FREE}!` })).body).toMatchObject({ status: 'OK' });
  });

  test('still signs in who has it, and comes along with users who are moved in', async () => {
    const { client } = doors;
    const loginMethods = [{ recipeId: 'emailpassword', email: 'moved@x', plainTextPassword: BLOCKED }];
    expect((await client.post('/bulk-import/import', { loginMethods })).body).toMatchObject({ status: 'OK' });
    expect((await client.post('/recipe/signin', { email: 'moved@x', password: BLOCKED })).body).toMatchObject({ status: 'OK' });
  });
});

const EMAIL_PASSWORD = { headers: { rid: 'emailpassword' } };

describe('the file', () => {
  test.each<readonly [string, () => void, string]>([
    ['truncated', () => truncateSync(FILE, 5000), 'is truncated: it has 5000 of 8192 bytes'],
    ['another file', () => writeFileSync(FILE, 'password\n'), 'is not a blocklist: "watchword blocklist build" makes one'],
    ['gone', () => rmSync(FILE), 'cannot be read (ENOENT)'],
  ])('is %s: no core starts with it', async (_, spoil, fault) => {
    await build(BLOCKED);
    spoil();
    const line = `'password_blocklist' cannot be used: ${FILE} ${fault}`;
    await expect(start()).rejects.toThrow(`Watchword cannot start with this configuration:\n${line}\n`);
    const checked = await watchword(['config', 'check'], { env: { PASSWORD_BLOCKLIST: FILE } });
    expect(checked).toEqual({ code: 78, stdout: `${line}\n`, stderr: '' });
  });

  test('is taken over by a reload in every thread; a bad one is refused, and the old one stays in force', async () => {
    await build(BLOCKED);
    const { core, client, answers } = await start({ faultsExpected: true });
    const reload = async () => (await client.post('/manage/v1/config/reload', undefined)).body;
    expect(await reload()).toEqual({ status: 'OK', changed: [], needsRestart: [] });
    await build(FREE);
    expect(await answers(BLOCKED)).toEqual(new Set([400]));
    expect(await reload()).toEqual({ status: 'OK', changed: ['password_blocklist'], needsRestart: [] });
    expect([await answers(BLOCKED), await answers(FREE)]).toEqual([new Set([200]), new Set([400])]);
    rmSync(FILE);
    writeFileSync(FILE, 'something else');
    const faults = [`'password_blocklist' cannot be used: ${FILE} is not a blocklist: "watchword blocklist build" makes one`];
    expect(await reload()).toEqual({ status: 'INVALID_CONFIG_ERROR', faults });
    expect([await answers(BLOCKED), await answers(FREE)]).toEqual([new Set([200]), new Set([400])]);
    process.kill(core.pid, 'SIGHUP');
    await vi.waitFor(() => expect(core.output().match(/"msg":"the reload was refused/g)).toHaveLength(2), PATIENCE_MS);
    await build(BLOCKED, FREE);
    expect(await reload()).toMatchObject({ status: 'OK' });
    expect([await answers(BLOCKED), await answers(FREE)]).toEqual([new Set([400]), new Set([400])]);
    // Spoilt while it is read, it lets no password through unseen.
    truncateSync(FILE, 5000);
    expect(await answers('something new')).toEqual(new Set([500]));
    expect(core.output()).toContain('is damaged in page 1, or was overwritten in place');
    expect(core.output()).not.toContain('something new');
    expect(await core.stop()).toBe(0);
  });
});
