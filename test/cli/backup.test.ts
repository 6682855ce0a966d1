import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';
import { putMetadata } from '../transfer/backup/scene.ts';
import { withCore } from '../with-core.ts';

const KEY = 'a-key-of-twenty-letters';

let core: RunningCore;
withCore({}, async (started) => {
  core = started;
  await putMetadata(core, 'someone', { mark: 'kept' });
});

test('backed up from a running core, checked, restored, and served again', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const [file, dataDir] = [join(folder, 'a.backup'), join(folder, 'data')];
  const made = await watchword(['backup', file, '--url', core.url]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\d,]+ bytes with [\d,]+ entries, as of 20\S+Z\.\n$/) });
  const checked = await watchword(['restore', '--check', file, '--json']);
  expect(JSON.parse(checked.stdout)).toMatchObject({ product: '0.1.0', layout: 2, collections: { user_metadata: 1 } });
  const restored = await watchword(['restore', file, '--data-dir', dataDir]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n {2}user_metadata +1\n/) });
  const again = await startCore({ dataDir });
  await again.stop();
  expect(await watchword(['restore', file, '--data-dir', dataDir])).toMatchObject({
    code: 1,
    stderr: `watchword restore: ${dataDir} holds a store: name another folder, or stop what uses it and move its files away\n`,
  });
});

test('to standard output, from a core and from a folder', { timeout: 60_000 }, async () => {
  for (const from of [
    ['--url', core.url],
    ['--data-dir', core.dataDir],
  ]) {
    const { code, stdout, stderr } = await watchword(['backup', '-', ...from]);
    expect([code, stdout.slice(-32)]).toEqual([0, expect.stringMatching(/^WATCHWORD-BACKUP 001 \d{10}\n$/)]);
    expect(stderr).toMatch(/bytes with [\d,]+ entries/);
  }
  await expect.poll(() => existsSync(join(core.dataDir, 'copying'))).toBe(false);
});

test('a folder in use is backed up, not compacted; one that is stopped is', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  expect((await watchword(['backup', join(folder, 'a'), '--data-dir', core.dataDir])).code).toBe(0);
  expect(await watchword(['backup', '--compact', '--data-dir', core.dataDir])).toMatchObject({
    code: 1,
    stderr: `watchword backup: ${core.dataDir} is in use by process ${core.pid}: stop what uses it first\n`,
  });
  const dataDir = join(folder, 'data');
  expect((await watchword(['restore', join(folder, 'a'), '--data-dir', dataDir])).code).toBe(0);
  const compacted = await watchword(['backup', '--compact', '--data-dir', dataDir]);
  expect(compacted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The store has [\d,]+ bytes, and had [\d,]+\.\n$/) });
  expect((await watchword(['doctor', '--check-store', '--data-dir', dataDir])).code).toBe(0);
});

test('a key that lacks the scope, and a core that is not there, have exit codes of their own', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const keyed = await startCore({ dataDir, env: { API_KEYS: KEY } });
  const file = join(temporaryFolder(), 'a.backup');
  try {
    const ask = (key: string) => watchword(['backup', file, '--url', keyed.url], { env: { WATCHWORD_API_KEY: key } });
    const { stdout } = await watchword(['api-key', 'add', 'some', '--scope', 'read', '--url', keyed.url], {
      env: { WATCHWORD_API_KEY: KEY },
    });
    expect(await ask(stdout.trim())).toMatchObject({ code: 77, stderr: expect.stringContaining("lacks the scope 'all'") });
    expect((await ask(KEY)).code).toBe(0);
  } finally {
    await keyed.stop();
  }
  expect(await watchword(['backup', file, '--url', 'http://127.0.0.1:9'])).toMatchObject({ code: 69 });
});

test.each([
  [['backup'], 'Name a file'],
  [['backup', 'a', '--url', 'http://x', '--data-dir', 'y'], 'either --url or --data-dir'],
  [['backup', 'a', '--compact', '--data-dir', 'y'], 'takes no file'],
  [['backup', '--compact'], 'needs --data-dir'],
  [['restore', 'a'], 'either --data-dir DIR or --check'],
  [['restore', 'a', '--check', '--data-dir', 'y'], 'either --data-dir DIR or --check'],
])('%j ends with 64 and says why', async (words, text) => {
  expect(await watchword(words)).toMatchObject({ code: 64, stderr: expect.stringContaining(text) });
});

test('nothing is left of a backup that fails', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'empty'));
  expect((await watchword(['backup', join(folder, 'a'), '--data-dir', join(folder, 'empty')])).code).toBe(1);
  writeFileSync(join(folder, 'a.partial'), 'of somebody else');
  expect((await watchword(['backup', join(folder, 'a'), '--url', core.url])).code).toBe(1);
  expect(readdirSync(folder).toSorted()).toEqual(['a.partial', 'empty']);
});
