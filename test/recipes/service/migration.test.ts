import { beforeAll, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

let core: InProcessCore;
beforeAll(async () => {
  core = await openInProcessCore('5.4');
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
  await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
  await core.call('PUT', '/recipe/multitenancy/connectionuridomain/v2', { connectionUriDomain: 'x.com' });
});

const MODE = { mode: 'MIGRATED' };
const PROGRESS = { ...MODE, pendingUsers: 0 };
const VERIFIED = { ...PROGRESS, verifySkipped: 'migrated' };

test.each([
  ['mode', MODE],
  ['backfill/progress', PROGRESS],
  ['backfill/progress?verify=true', VERIFIED],
  ['backfill/progress?verify=TRUE', PROGRESS],
  ['backfill/progress?verify=', PROGRESS],
])('GET /migration/%s', async (path, state) => {
  const ofAll = { status: 'OK', cuds: ['', 'x.com'].map((connectionUriDomain) => ({ connectionUriDomain, ...state })) };
  for (const at of ['', '/t1', '/unknown']) expect(await core.call('GET', `${at}/migration/${path}`)).toEqual({ status: 200, body: ofAll });
  for (const at of ['', '/unknown']) {
    expect(await core.call('GET', `/appid-a1${at}/migration/${path}`)).toEqual({ status: 200, body: { status: 'OK', ...state } });
  }
  const { status, body } = await core.call('GET', `/appid-none/migration/${path}`);
  expect({ status, ...body }).toEqual({ status: 400, text: expect.stringContaining('tenantId combination not found: (, none, public)') });
});
