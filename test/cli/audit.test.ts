import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';
import { KEY, withPlaces } from './places.ts';

const { core, onCore, onFolder } = withPlaces();

const HEAD = /Head, to be kept elsewhere: (\d+:[0-9a-f]{64})\n/;
/** Enough for a job that runs each second. */
const PATIENCE = { timeout: 10_000, interval: 100 };

describe.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s', (_, run) => {
  test('shows who changed what, filtered', async () => {
    const role = `role-${Math.random()}`;
    expect((await run(['role', 'put', role])).code).toBe(0);
    const text = async () => (await run(['audit', '--kind', 'role.written', '--since', '1h'])).stdout;
    await expect.poll(text, PATIENCE).toContain(`role=${role} via=PUT /recipe/role`);
    const events = JSON.parse((await run(['audit', '--json', '--kind', 'role.written', '--limit', '1'])).stdout);
    expect(events).toMatchObject([{ kind: 'role.written', appId: 'public', details: { role } }]);
    expect((await run(['audit', '--user', 'nobody'])).stdout).toBe('');
    expect((await run(['audit', '--until', '2026-01-01'])).stdout).toBe('');
  });

  test('proves the trail, and that it goes through a head that was kept', async () => {
    const proven = await run(['audit', '--verify']);
    expect(proven).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Events 1 to \d+ are as they were sealed\.\n/) });
    const head = HEAD.exec(proven.stdout)?.[1] ?? '';
    expect(await run(['audit', '--verify', '--head', head])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('through the given head'),
    });
    const other = head.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await run(['audit', '--verify', '--head', other])).toMatchObject({ code: 1, stderr: expect.stringContaining('written anew') });
  });

  test.each([[['--head', '1:0']], [['--verify', '--follow']], [['--since', 'soon']], [['--limit', '0']]])(
    'does not understand %j',
    async (flags) => {
      expect((await run(['audit', ...flags])).code).toBe(64);
    },
  );
});

test('who changed something by a command over the folder was the command line, by a key its name', async () => {
  const actors = async (kind: string): Promise<unknown[]> =>
    JSON.parse((await onCore(['audit', '--json', '--kind', kind, '--limit', '1'])).stdout).map(({ actor }: { actor: unknown }) => actor);
  await onFolder(['api-key', 'add', 'auditor', '--scope', 'read']);
  expect(await actors('api-key.created')).toEqual([{ type: 'command-line' }]);
  await onCore(['api-key', 'remove', 'auditor', '--yes']);
  await expect.poll(() => actors('api-key.removed'), PATIENCE).toEqual([{ type: 'api-key', name: 'configured' }]);
});

test('follows what happens until it is interrupted', async () => {
  const words = ['audit', '--follow', '--json', '--kind', 'role.removed', '--url', core().url];
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'dist', 'src', 'cli.js'), ...words], {
    env: { PATH: process.env['PATH'] ?? '', WATCHWORD_API_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await onCore(['role', 'put', 'passing']);
  await onCore(['role', 'remove', 'passing', '--yes']);
  await expect.poll(() => text, PATIENCE).toMatch(/^\{.*"kind":"role\.removed".*"role":"passing".*\}\n$/);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the metrics tell how long events have waited for their seal', async () => {
  const headers = { 'api-key': KEY };
  const lag = async () =>
    /^watchword_audit_lag_seconds (\S+)$/m.exec(await (await fetch(`${core().url}/metrics`, { headers })).text())?.[1];
  await expect.poll(lag, PATIENCE).toBe('0');
});

test('a reload is told, by whoever asked for it', async () => {
  const reloads = async (): Promise<unknown[]> =>
    JSON.parse((await onCore(['audit', '--json', '--kind', 'configuration.reloaded'])).stdout).map(({ via }: { via: unknown }) => via);
  await onCore(['config', 'reload']);
  process.kill(core().pid, 'SIGHUP');
  await expect.poll(async () => (await reloads()).toSorted(), PATIENCE).toEqual(['POST /manage/v1/config/reload', 'SIGHUP']);
});
