import { beforeAll, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';

/*
 * What is trimmed loses the characters up to U+0020, as in Java, and no other space (contract 03 section 1.2): the same wherever a text
 * comes in, so that what is kept by one endpoint is found by the others.
 */

const NBSP = '\u00a0';
const encoded = encodeURIComponent;

let core: InProcessCore;
beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

test('external user ids', async () => {
  const { body } = await core.call('POST', '/recipe/signup', { email: 'a@example.com', password: 'secret-1' });
  const { id } = body['user'] as { id: string };
  const mapping = { superTokensUserId: id, externalUserId: `\u0001 ${NBSP}outer${NBSP}\t`, externalUserIdInfo: NBSP };
  expect((await core.call('POST', '/recipe/userid/map', mapping)).body).toEqual({ status: 'OK' });
  const found = { status: 'OK', superTokensUserId: id, externalUserId: `${NBSP}outer${NBSP}`, externalUserIdInfo: NBSP };
  expect((await core.call('GET', `/recipe/userid/map?userId=${encoded(` ${NBSP}outer${NBSP} `)}`)).body).toEqual(found);
  expect((await core.call('GET', '/recipe/userid/map?userId=outer')).body).toEqual({ status: 'UNKNOWN_MAPPING_ERROR' });
});

test('roles and permissions', async () => {
  await core.call('PUT', '/recipe/role', { role: `${NBSP}r `, permissions: [` p${NBSP}`, NBSP] });
  const { body } = await core.call('GET', `/recipe/role/permissions?role=${encoded(`${NBSP}r`)}`);
  expect({ ...body, permissions: (body['permissions'] as string[]).toSorted() }).toEqual({ status: 'OK', permissions: [`p${NBSP}`, NBSP] });
  expect((await core.call('GET', `/recipe/permission/roles?permission=${encoded(`p${NBSP} `)}`)).body).toEqual({
    status: 'OK',
    roles: [`${NBSP}r`],
  });
});

test('passwords of the dashboard, made and changed', async () => {
  const email = 'admin@example.com';
  const signIn = async (password: string): Promise<unknown> =>
    (await core.call('POST', '/recipe/dashboard/signin', { email, password })).body['status'];
  await core.call('POST', '/recipe/dashboard/user', { email, password: `password1${NBSP} ` });
  expect(await signIn(`password1${NBSP}`)).toBe('OK');
  await core.call('PUT', '/recipe/dashboard/user', { email, newPassword: ` password2${NBSP}` });
  expect(await signIn(`password2${NBSP}`)).toBe('OK');
  expect(await signIn('password2')).toBe('INVALID_CREDENTIALS_ERROR');
});

test('ids of tenants', async () => {
  expect(await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: `${NBSP}t1` })).toEqual({
    status: 400,
    body: { text: 'tenantId can only contain letters, numbers and hyphens\n' },
  });
  expect((await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: '\u0001 T1 ' })).body).toEqual({
    status: 'OK',
    createdNew: true,
  });
  expect((await core.call('GET', '/t1/users/count')).body).toEqual({ status: 'OK', count: 0 });
});
