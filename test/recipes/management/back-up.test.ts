import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { type RunningCore, startCore } from '../../running-core.ts';
import { temporaryFolder } from '../../store/engines.ts';

const CONFIGURED = 'configured-key-of-20-characters';
const BACKUP = '/manage/v1/backup';

test('a backup takes a key that is good for everything, and the base app', async () => {
  const core = await openInProcessCore('5.4', { API_KEYS: CONFIGURED });
  const call = (method: string, path: string, apiKey: string, body?: object) => core.call(method, path, body, { apiKey });
  const { body } = await call('POST', '/manage/v1/api-keys', CONFIGURED, {
    name: 'some',
    scopes: ['read', 'users', 'tenants', 'keys', 'cdi'],
  });
  const refused = await call('GET', BACKUP, String(body['key']));
  expect([refused.status, refused.body]).toEqual([403, { text: "This API key lacks the scope 'all'\n" }]);
  await call('PUT', '/recipe/multitenancy/app/v2', CONFIGURED, { appId: 'a1' });
  const ofApp = await call('GET', `/appid-a1${BACKUP}`, CONFIGURED);
  expect([ofApp.status, ofApp.body]).toEqual([403, { text: 'A backup holds all apps: ask for it at the base app\n' }]);
});

test('a store that ends with its process says so', async () => {
  const core = await openInProcessCore('5.4');
  const { status, body } = await core.call('GET', BACKUP);
  expect([status, body]).toEqual([
    400,
    { text: 'This store is in no folder: one in memory ends with its process, and a database has tools of its own\n' },
  ]);
});

describe('what is known of backups', () => {
  const known = async (core: RunningCore, at = '') => (await (await fetch(`${core.url}${at}/manage/v1/backups`)).json()) as object;

  test('of a store that ends with its process: that there are none', async () => {
    const core = await openInProcessCore('5.4');
    const { body } = await core.call('GET', '/manage/v1/backups');
    expect(body).toEqual({ status: 'OK', isPossible: false, isUnderWay: false });
  });

  test('on a schedule: the files, when the next one comes, and how the last attempt ended', { timeout: 60_000 }, async () => {
    const folder = join(temporaryFolder(), 'backups');
    const env = { BACKUP_DIR: folder, BACKUP_EVERY: '0.1', BACKUP_KEEP: '3' };
    const core = await startCore({ env });
    try {
      await expect.poll(() => known(core), { timeout: 20_000 }).toMatchObject({ schedule: { nextAt: expect.any(Number) } });
      expect(await known(core, '/appid-elsewhere')).toEqual({
        status: 'OK',
        isPossible: true,
        isUnderWay: false,
        schedule: { folder, everyHours: 0.1, keep: 3, nextAt: expect.any(Number), files: [] },
      });
      writeFileSync(join(folder, 'watchword-20261122T170509Z.backup'), 'x'.repeat(7));
      writeFileSync(join(folder, 'notes.txt'), '');
      const file = { name: 'watchword-20261122T170509Z.backup', bytes: 7, finishedAt: expect.any(Number) };
      expect(await known(core)).toMatchObject({ schedule: { files: [file] } });
      rmSync(folder, { recursive: true });
      expect(await known(core)).toMatchObject({ schedule: { files: [], folderError: expect.stringContaining('ENOENT') } });
    } finally {
      await core.stop();
    }
  });
});
