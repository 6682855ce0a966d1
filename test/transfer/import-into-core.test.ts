import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CommandLine } from '../../src/transfer/command-line.ts';
import type { IMPORT } from '../../src/transfer/import-plan.ts';
import { runImport } from '../../src/transfer/import-users.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { parsed } from '../cli/parsed.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { type FlakyProxy, openFlakyProxy } from './flaky-proxy.ts';
import { hashedUsers, onceBeyond, readRejects, watchword, writeLines } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-import-'));
const ENV = { WATCHWORD_API_KEY: 'a-key-of-twenty-letters' };
let core: RunningCore;
let proxy: FlakyProxy;

beforeAll(async () => {
  core = await startCore({ env: { BULK_IMPORT_DELAY_MS: '0', API_KEYS: ENV.WATCHWORD_API_KEY } });
  proxy = await openFlakyProxy(core.url);
});
afterAll(async () => {
  await proxy.close();
  await core.stop();
  rmSync(folder, { recursive: true, force: true });
});

let number = 0;
let file = '';
let app = '';
/** Every test has an app of its own. */
beforeEach(async () => {
  number += 1;
  app = `app${number}`;
  file = join(folder, `${app}.ndjson`);
  const headers = { 'api-key': ENV.WATCHWORD_API_KEY };
  await cdiClient(core.url).call('PUT', '/recipe/multitenancy/app/v2', { appId: app }, { headers });
});

const withKey = { headers: { 'api-key': ENV.WATCHWORD_API_KEY } };
const client = (): CdiClient => cdiClient(core.url, { app });
const countUsers = async (): Promise<number> => (await client().get<{ count: number }>('/users/count', {}, withKey)).body.count;
const countQueue = async (): Promise<number> => (await client().get<{ count: number }>('/bulk-import/users/count', {}, withKey)).body.count;
const importCommand = (url: string, ...more: readonly string[]): string[] => ['import', file, '--url', url, '--app-id', app, ...more];

describe('watchword import --url', () => {
  test('sends all, waits for the queue, and names what was refused and what failed', async () => {
    const deep = { userMetadata: { deep: JSON.parse(`${'['.repeat(61)}${']'.repeat(61)}`) as unknown }, ...hashedUsers(1, 'deep')[0] };
    const users = [...hashedUsers(25), { loginMethods: [] }, ...hashedUsers(2), 'no user', deep];
    writeFileSync(file, JSON.stringify(users, null, 2));
    const ended = await watchword(importCommand(core.url, '--batch', '10'), { env: ENV });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    const taken = (at: number): object => ({
      index: 25 + 1 + at,
      errors: [`E003: A user with email user-${at}@example.com already exists in emailpassword loginMethod.`],
      user: { loginMethods: [{ email: `user-${at}@example.com`, hashingAlgorithm: 'BCRYPT' }] },
    });
    const rejects = readRejects(`${file}.rejects.ndjson`).toSorted((a, b) => Number(a.index) - Number(b.index));
    expect(rejects).toMatchObject([
      { index: 25, errors: ['At least one loginMethod is required.'], user: { loginMethods: [] } },
      taken(0),
      taken(1),
      { index: 28, errors: ['It is not a JSON object.'], text: '"no user"' },
      { index: 29, errors: ['It nests too deep for the core.'] },
    ]);
    expect([await countUsers(), await countQueue()]).toEqual([25, 0]);
  });

  test('failed users can stay in the queue; a second run tells none of them again', async () => {
    writeLines(file, [...hashedUsers(3), ...hashedUsers(2)]);
    const command = importCommand(core.url, '--keep-failed', '--batch', '3');
    expect((await watchword(command, { env: ENV })).code).toBe(2);
    expect(await countQueue()).toBe(2);
    expect((await watchword(command, { env: ENV })).code).toBe(2);
    expect(readRejects(`${file}.rejects.ndjson`)).toHaveLength(2);
  });

  test('without waiting it ends when all are sent; the same command waits for the rest', async () => {
    writeLines(file, [...hashedUsers(3), ...hashedUsers(1)]);
    const sent = await watchword(importCommand(core.url, '--no-wait'), { env: ENV });
    expect(sent.code).toBe(0);
    expect(sent.stderr).toContain('The core is still importing');
    expect((await watchword(importCommand(core.url), { env: ENV })).code).toBe(2);
    // The two of one email came in the same millisecond or not: then their random ids decide who is first.
    const [reject, ...others] = readRejects(`${file}.rejects.ndjson`);
    expect([1, 4]).toContain(reject?.line);
    expect(others).toEqual([]);
    expect(await countUsers()).toBe(3);
  });

  test('a core that will not have it, that is no core or is not there ends the import without a secret', async () => {
    writeLines(file, hashedUsers(1));
    const refused = await watchword(importCommand(core.url), { env: { WATCHWORD_API_KEY: 'wrong-but-very-secret' } });
    expect(refused).toMatchObject({ code: 1, stderr: 'watchword import: The core refuses the import with 401: Invalid API key\n' });
    const noApp = await watchword(['import', file, '--url', `${core.url}/appid-none`, '--state', `${file}.2`], { env: ENV });
    expect(noApp.code).toBe(1);
    expect(noApp.stderr).toMatch(/^watchword import: The core refuses the import with 400: .*AppId/);
    const nobody = await watchword(importCommand('http://127.0.0.1:9', '--patience', '1', '--state', `${file}.3`));
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toMatch(/^Waiting for the core: .*ECONNREFUSED[^]*in trouble for too long/);
  });

  test('a core in trouble is waited for, and lost answers are looked up instead of sending users twice', { timeout: 60_000 }, async () => {
    const tenantIds = [' Public '];
    const others = Array.from({ length: 10 }, (_, at) => [
      { externalUserId: ` ext ${at} `, loginMethods: [{ recipeId: 'passwordless', phoneNumber: `+49 151 1234567${at}`, tenantIds }] },
      { loginMethods: [{ recipeId: 'thirdparty', email: ' G@Example.com', thirdPartyId: 'google', thirdPartyUserId: `G ${at}` }] },
    ]);
    writeLines(file, [...hashedUsers(40), ...others.flat()]);
    proxy.behave(['drop-request', 'drop-answer', 'drop-answer', 'busy', 'drop-answer-later', 'bad-gateway', 'drop-answer-later']);
    const ended = await watchword(importCommand(proxy.url, '--batch', '10'), { env: ENV });
    expect(ended.code).toBe(0);
    expect(readRejects(`${file}.rejects.ndjson`)).toEqual([]);
    expect([await countUsers(), await countQueue()]).toEqual([60, 0]);
  });

  test('batches shrink to what the core takes, and a user that is too large alone is named', { timeout: 60_000 }, async () => {
    writeLines(file, [
      ...hashedUsers(40),
      { userMetadata: { long: 'x'.repeat(8000) }, ...hashedUsers(1, 'large')[0] },
      ...hashedUsers(5, 'more'),
    ]);
    proxy.limit(4000);
    const ended = await watchword(importCommand(proxy.url), { env: ENV });
    proxy.limit(Number.POSITIVE_INFINITY);
    expect(ended.code).toBe(2);
    expect(readRejects(`${file}.rejects.ndjson`)).toMatchObject([{ line: 41, errors: ['It is too large for the core.'] }]);
    expect(await countUsers()).toBe(45);
  });

  test('progress is one count of users that are done, which only grows, however fast they are sent', async () => {
    writeLines(file, hashedUsers(3000));
    const shown: string[] = [];
    let time = 0;
    // A terminal on which every state is shown.
    const screen = { isTerminal: true, width: () => 200, write: (text: string) => shown.push(text), now: () => (time += 1000) };
    const line = (await parsed('import', [file, '--url', core.url, '--app-id', app, '--batch', '100'])) as CommandLine<typeof IMPORT.flags>;
    expect(await runImport(line, ENV.WATCHWORD_API_KEY, async () => undefined, screen, new AbortController().signal)).toBe(0);
    const counts = shown.flatMap((text) => /([0-9,]+) users? done, /.exec(text)?.[1] ?? []).map((text) => Number(text.replaceAll(',', '')));
    const parts = shown.flatMap((text) => /([0-9]+) %, /.exec(text)?.[1] ?? []).map(Number);
    expect(counts.length).toBeGreaterThan(20);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(shown.join('')).not.toMatch(/-[0-9]+\/s/);
  });

  test('kill -9, again and again: every user is imported once', { timeout: 120_000 }, async () => {
    // So many that no import comes to its end before it is killed, however late a busy machine does that.
    const count = 3000;
    const users = hashedUsers(count).flatMap((user, at) =>
      at % 100 === 7 ? [user, { loginMethods: [{ recipeId: 'x', n: at }] }] : [user],
    );
    writeLines(file, [...users, ...hashedUsers(20)]);
    const command = importCommand(core.url, '--batch', '20');
    let kills = 0;
    for (; kills < 6; kills += 1) {
      const { code } = await watchword(command, { env: ENV, end: { when: onceBeyond(file, 200), signal: 'SIGKILL' } });
      if (code !== null) break;
    }
    expect(kills).toBeGreaterThan(2);
    expect((await watchword(command, { env: ENV })).code).toBe(2);
    const lines = readRejects(`${file}.rejects.ndjson`).map(({ line }) => line);
    expect(lines).toHaveLength(count / 100 + 20);
    expect(new Set(lines).size).toBe(count / 100 + 20);
    expect([await countUsers(), await countQueue()]).toEqual([count, 0]);
  });
});
