import { expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';

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
