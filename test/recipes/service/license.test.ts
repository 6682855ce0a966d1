import { beforeAll, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const PATH = '/ee/license';
const OK = { status: 200, body: { status: 'OK' } };
const NONE = { status: 200, body: { status: 'NO_LICENSE_KEY_FOUND_ERROR' } };

let core: InProcessCore;
beforeAll(async () => {
  core = await openInProcessCore('5.4');
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
});

test('a key is kept, shown and forgotten', async () => {
  expect(await core.call('GET', PATH)).toEqual(NONE);
  expect(await core.call('PUT', PATH, { licenseKey: 'key' })).toEqual(OK);
  expect(await core.call('PUT', PATH, {})).toEqual(OK);
  expect(await core.call('GET', PATH)).toEqual({ status: 200, body: { licenseKey: 'key', status: 'OK' } });
  for (const _ of [1, 2]) expect(await core.call('DELETE', PATH)).toEqual(OK);
  expect(await core.call('GET', PATH)).toEqual(NONE);
});

test.each<[body: object, text: string]>([
  [{ license: 'key' }, "Field name 'licenseKey' is missing in JSON input"],
  [{ licenseKey: null }, "Field name 'licenseKey' is invalid in JSON input"],
  [{ licenseKey: 5 }, "Field name 'licenseKey' is invalid in JSON input"],
])('%j is refused, and nothing is kept', async (body, text) => {
  expect(await core.call('PUT', PATH, body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  expect(await core.call('GET', PATH)).toEqual(NONE);
});

test('features are those that are served, whatever the key', async () => {
  const { body } = await core.call('GET', '/ee/featureflag');
  expect(body['features']).toEqual(['account_linking', 'multi_tenancy', 'dashboard_login', 'mfa', 'security', 'saml']);
});

test('belongs to the app', async () => {
  const refusal = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
  for (const method of ['GET', 'DELETE'] as const) expect(await core.call(method, `/t1${PATH}`)).toEqual(refusal);
  expect(await core.call('PUT', `/t1${PATH}`, {})).toEqual(refusal);
});
