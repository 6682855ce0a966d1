import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { totpCalls } from '../totp/calls.ts';
import { PasskeyCalls } from '../webauthn/calls.ts';
import { ManagementCalls } from './calls.ts';

const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };
const UNKNOWN = { status: 'UNKNOWN_USER_ID_ERROR' };

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4', ['--sign-in-failures-per-account', '2', '--totp-max-attempts', '2']));
});

test('passkeys are shown without their keys', async () => {
  const { core } = calls;
  const passkeys = new PasskeyCalls(core);
  const { key, recipeUserId } = await passkeys.join('p@x');
  await calls.mapTo(recipeUserId, 'outside');
  const createdAt = core.clock.now;
  core.clock.now += 1000;
  await passkeys.enter(key, { twist: { counter: 7, flags: 0x1d } });
  expect((await calls.show('outside'))['passkeys']).toEqual([
    {
      recipeUserId: 'outside',
      id: key.id,
      relyingPartyId: 'example.com',
      aaguid: '00000000-0000-0000-0000-000000000000',
      counter: 7,
      transports: ['internal'],
      isBackupEligible: true,
      isBackedUp: true,
      createdAt,
      lastUsedAt: core.clock.now,
    },
  ]);
});

test('a user is shown with all that operators ask for', async () => {
  await calls.addTenant('t1');
  const totp = totpCalls(calls.core);
  const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
  await calls.mapTo(primary, 'outside');
  await calls.startSession('outside');
  await calls.startSession(member);
  await calls.ask('PUT', '/recipe/role', { role: 'reader', permissions: [] });
  for (const at of ['', '/t1']) await calls.ask('PUT', '/recipe/user/role', { userId: 'outside', role: 'reader' }, { at });
  await calls.ask('PUT', '/recipe/user/metadata', { userId: 'outside', metadataUpdate: { plan: 'gold' } });
  await totp.addVerified('outside', 'phone');
  const shown = await calls.show(member);
  expect(shown).toEqual({
    status: 'OK',
    user: await calls.user('outside'),
    isDisabled: false,
    locked: { signIn: [], totp: [] },
    roles: [
      { tenantId: 'public', roles: ['reader'] },
      { tenantId: 't1', roles: ['reader'] },
    ],
    hasMetadata: true,
    totpDevices: [{ name: 'phone', verified: true }],
    passkeys: [],
    sessionCount: 2,
    lastActive: await calls.activeAt(primary),
  });
  expect(await calls.show('nobody')).toEqual(UNKNOWN);
});

describe('unlock', () => {
  test.each([
    ['an id', (userId: string) => ({ userId })],
    ['an email', () => ({ email: ' A@x ' })],
  ])('by %s forgets failed sign-ins in every tenant of the user', async (_, named) => {
    await calls.addTenant('t1');
    const id = await calls.signUp('a@x', 'secret-1');
    await calls.ask('POST', '/recipe/multitenancy/tenant/user', { recipeUserId: id }, { at: '/t1' });
    for (let at = 0; at < 2; at += 1) await calls.signIn('a@x', 'wrong');
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
    expect(await calls.show(id)).toMatchObject({ locked: { signIn: ['public', 't1'] } });
    expect(await calls.manage('POST', '/user/unlock', named(id))).toEqual({ status: 'OK' });
    expect(await calls.show(id)).toMatchObject({ locked: { signIn: [] } });
    for (const at of ['', '/t1']) expect(await calls.signIn('a@x', 'secret-1', { at })).toMatchObject({ status: 'OK' });
  });

  test('ends the pause after wrong TOTP codes; a used code stays used', async () => {
    const totp = totpCalls(calls.core);
    const id = await calls.signUp('a@x');
    const secret = await totp.addVerified(id, 'phone');
    const used = totp.code(secret);
    expect(await totp.verify(id, used)).toMatchObject({ status: 'OK' });
    for (let at = 0; at < 2; at += 1) await totp.verify(id, totp.wrong(secret));
    expect(await totp.verify(id, totp.code(secret, 1))).toMatchObject({ status: 'LIMIT_REACHED_ERROR' });
    expect(await calls.show(id)).toMatchObject({ locked: { totp: ['public'] } });
    expect(await calls.manage('POST', '/user/unlock', { userId: id })).toEqual({ status: 'OK' });
    expect(await calls.show(id)).toMatchObject({ locked: { totp: [] } });
    expect(await totp.verify(id, used)).toMatchObject({ status: 'INVALID_TOTP_ERROR' });
    expect(await totp.verify(id, totp.code(secret, 1))).toMatchObject({ status: 'OK' });
  });

  test('is refused or says so where nobody is named', async () => {
    const text = "400 Exactly one of the fields 'userId' and 'email' must be present";
    expect(await calls.refusal('POST', '/user/unlock', {})).toBe(text);
    expect(await calls.refusal('POST', '/user/unlock', { userId: 'a', email: 'b' })).toBe(text);
    expect(await calls.manage('POST', '/user/unlock', { userId: 'nobody' })).toEqual(UNKNOWN);
    expect(await calls.manage('POST', '/user/unlock', { email: 'nobody@x' })).toEqual(UNKNOWN);
  });
});

test('a user is removed as by the interface, and an unknown one is told', async () => {
  const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
  expect(await calls.manage('POST', '/user/remove', { userId: member, removeAllLinkedAccounts: false })).toEqual({ status: 'OK' });
  expect(await calls.members(primary)).toEqual([primary]);
  expect(await calls.manage('POST', '/user/remove', { userId: primary })).toEqual({ status: 'OK' });
  expect(await calls.manage('POST', '/user/remove', { userId: primary })).toEqual(UNKNOWN);
});

test('what changes users asks for the scope of users, what shows them for that of reading', async () => {
  const key = 'configured-key-of-20-characters';
  const core = await openInProcessCore('5.4', { API_KEYS: key });
  const { body } = await core.call('POST', '/manage/v1/api-keys', { name: 'reader', scopes: ['read'] }, { apiKey: key });
  const reader = { apiKey: String(body['key']) };
  expect((await core.call('GET', '/manage/v1/users', undefined, reader)).status).toBe(200);
  expect((await core.call('GET', '/manage/v1/statistics?from=2026-01-01&to=2026-01-02', undefined, reader)).status).toBe(200);
  const refused = await core.call('POST', '/manage/v1/user/disable', { userId: 'a' }, reader);
  expect([refused.status, refused.body['text']]).toEqual([403, "This API key lacks the scope 'users'\n"]);
});
