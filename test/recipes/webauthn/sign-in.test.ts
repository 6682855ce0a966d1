import { describe, expect, test } from 'vitest';
import { webauthnCredentials } from '../../../src/recipes/webauthn/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator, type Twist } from '../../software-authenticator.ts';
import { Calls } from '../email-password/calls.ts';
import { ORIGIN, PasskeyCalls } from './calls.ts';

const open = async (cdi = '5.4', flags: readonly string[] = []): Promise<PasskeyCalls> =>
  new PasskeyCalls(await openInProcessCore(cdi, flags));
const addTenant = (calls: PasskeyCalls, tenantId: string) => calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId });

const blamed = (reason: string) => ({ status: 'INVALID_AUTHENTICATOR_ERROR', reason });
const NO_OPTIONS = { status: 'OPTIONS_NOT_FOUND_ERROR' };
const NOT_FOUND = { status: 'CREDENTIAL_NOT_FOUND_ERROR' };
const CLONED = blamed('Malicious counter value is detected. Cloned authenticators exist in parallel.');
const WRONG_SIGNATURE = blamed('Assertion signature is not valid.');

describe('a sign-in', () => {
  test('shows the user with the passkey', async () => {
    const calls = await open();
    const { key, recipeUserId } = await calls.join();
    const webauthn = { credentialIds: [key.id] };
    expect(await calls.enter(key)).toEqual({
      status: 'OK',
      recipeUserId,
      user: {
        id: recipeUserId,
        isPrimaryUser: false,
        tenantIds: ['public'],
        timeJoined: expect.any(Number),
        emails: ['a@x'],
        phoneNumbers: [],
        thirdParty: [],
        webauthn,
        loginMethods: [
          expect.objectContaining({ recipeId: 'webauthn', recipeUserId, email: 'a@x', tenantIds: ['public'], verified: false, webauthn }),
        ],
      },
    });
  });

  test('is judged in the order of the contract', async () => {
    const calls = await open();
    const { key } = await calls.join('a@x', new SoftwareAuthenticator({ counts: false }));
    const asked = await calls.signInOptions({ userVerification: 'required', userPresence: true });
    const faults: readonly (readonly [Twist, string])[] = [
      [{ clientData: { type: 'webauthn.create' } }, "ClientData.type must be 'get' on authentication, but it isn't."],
      [{ clientData: { challenge: 'AAAA' } }, 'The actual challenge does not match the expected challenge'],
      [
        { clientData: { origin: 'https://evil.org/path' } },
        "The collectedClientData 'https://evil.org' origin doesn't match any of the preconfigured server origin.",
      ],
      [{ clientData: { crossOrigin: true } }, 'Cross-origin request is prohibited. Relax AuthenticationDataVerifier config if necessary.'],
      [{ relyingPartyId: 'evil.org' }, "rpIdHash doesn't match the hash of preconfigured rpId."],
      [{ flags: 0x14 }, 'Verifier is configured to check user present, but UP flag in authenticatorData is not set.'],
      [{ flags: 0x11 }, 'Verifier is configured to check user verified, but UV flag in authenticatorData is not set.'],
      [{ flags: 0x15 }, 'Backup state bit must not be set if backup eligibility bit is not set'],
      [{ signature: Buffer.from('3006020101020101', 'hex') }, 'Assertion signature is not valid.'],
    ];
    for (const at of faults.keys()) {
      // All faults from this one on: the first of them is told.
      const twist = faults.slice(at).reduceRight<Twist>((all, [one]) => {
        const flags = (all.flags ?? 0x1d) & (one.flags ?? 0x1d);
        return { ...all, ...one, flags, clientData: { ...all.clientData, ...one.clientData } };
      }, {});
      expect(await calls.signIn(asked, key.get(asked, twist))).toEqual(blamed(faults[at]?.[1] ?? ''));
    }
    expect((await calls.signIn(asked, key.get(asked, { flags: 0x1d }))).status).toBe('OK');
  });

  test('brings no attested data', async () => {
    const calls = await open();
    const { key } = await calls.join();
    const attested = Buffer.concat([Buffer.alloc(18), Buffer.of(0xa0)]);
    expect(await calls.enter(key, { twist: { flags: 0x45, tail: attested } })).toEqual(
      blamed('attestedCredentialData must be null on authentication'),
    );
    expect((await calls.enter(key, { twist: { flags: 0x45 } })).status).toBe('OK');
    expect((await calls.enter(key, { twist: { flags: 0x85, tail: Buffer.from('a1656170706964f5', 'hex') } })).status).toBe('OK');
  });

  test.each([
    ['http://example.com', 'http://example.com:80', 'OK'],
    ['http://example.com:80/', 'http://example.com', 'OK'],
    ['http://example.com/abc', 'http://example.com', 'OK'],
    ['https://example.com', 'https://example.com:443', 'OK'],
    ['https://example.com', 'http://example.com', 'other'],
    ['https://example.com', 'https://example.com:444', 'other'],
    ['https://example.com', 'https://www.example.com', 'other'],
    ['https://example.com', 'https://example.com@evil.org', 'other'],
    ['https://example.com', 'https://example.com.evil.org', 'other'],
    ['https://example.com', 'android:apk-key-hash:x', 'other'],
  ])('for %s from %s: %s', async (configured, presented, outcome) => {
    const calls = await open();
    const { key } = await calls.join();
    const asked = await calls.signInOptions({ origin: configured });
    const answer = await calls.signIn(asked, key.get(asked, { clientData: { origin: presented } }));
    expect(answer.status).toBe(outcome === 'OK' ? 'OK' : 'INVALID_AUTHENTICATOR_ERROR');
  });

  test('from an Android app is compared as a whole', async () => {
    const calls = await open();
    const { key } = await calls.join();
    const origin = `android:apk-key-hash:${Buffer.alloc(32, 9).toString('base64url')}`;
    const asked = await calls.signInOptions({ origin });
    expect((await calls.signIn(asked, key.get(asked, { clientData: { origin: `${origin}A` } }))).status).toBe(
      'INVALID_AUTHENTICATOR_ERROR',
    );
    expect((await calls.signIn(asked, key.get(asked, { clientData: { origin } }))).status).toBe('OK');
  });

  test('with options of a time that the clock has left behind by more than they live', async () => {
    const calls = await open();
    const { key } = await calls.join();
    const asked = await calls.signInOptions({ timeout: 1000 });
    calls.core.clock.now -= 1000;
    expect((await calls.signIn(asked, key.get(asked))).status).toBe('OK');
    calls.core.clock.now -= 1;
    expect(await calls.signIn(asked, key.get(asked))).toMatchObject({ reason: 'Options expired' });
  });

  test('with options that have expired, or of registering', async () => {
    const calls = await open();
    const { key } = await calls.join();
    const short = await calls.signInOptions({ timeout: 10 });
    const registering = await calls.registerOptions();
    calls.core.clock.now += 10;
    expect((await calls.signIn(registering, key.get(registering))).status).toBe('OK');
    expect(await calls.signIn(short, new SoftwareAuthenticator().get(short))).toEqual(NOT_FOUND);
    calls.core.clock.now += 1;
    expect(await calls.signIn(short, key.get(short))).toEqual({ status: 'INVALID_OPTIONS_ERROR', reason: 'Options expired' });
    const none = { ...short, webauthnGeneratedOptionsId: 'none' };
    expect(await calls.signIn(none, {})).toEqual(NO_OPTIONS);
  });
});

describe('counters', () => {
  test('grow, or stay at zero', async () => {
    const calls = await open();
    const { key } = await calls.join('a@x', new SoftwareAuthenticator({ counts: false }));
    const with_ = (counter: number) => calls.enter(key, { twist: { counter } });
    expect((await with_(0)).status).toBe('OK');
    expect((await with_(0)).status).toBe('OK');
    expect((await with_(9)).status).toBe('OK');
    for (const counter of [9, 8, 0]) expect(await with_(counter)).toEqual(CLONED);
    expect((await with_(2 ** 32 - 1)).status).toBe('OK');
    expect(await with_(2 ** 32 - 1)).toEqual(CLONED);
  });

  test('begin with that of the registration', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator();
    const asked = await calls.registerOptions();
    await calls.signUp(asked, key.create(asked, { counter: 9 }));
    expect(await calls.enter(key, { twist: { counter: 9 } })).toEqual(CLONED);
    expect((await calls.enter(key, { twist: { counter: 10 } })).status).toBe('OK');
  });

  test('are kept with the time and the backup state', async () => {
    const calls = await open();
    const { key, recipeUserId } = await calls.join();
    calls.core.clock.now += 5000;
    await calls.enter(key, { twist: { counter: 77, flags: 0x1d } });
    const [kept] = await calls.core.services.store.read((reader) => reader.list(webauthnCredentials, undefined, { prefix: [], limit: 2 }));
    expect(kept).toMatchObject({ counter: 77, isBackupEligible: true, isBackedUp: true, updatedAt: calls.core.clock.now });
    const query = { recipeUserId, webauthnCredentialId: key.id };
    expect((await calls.get('/user/credential', query))['updatedAt']).toBe(calls.core.clock.now);
  });

  test('a wrong signature changes nothing', async () => {
    const calls = await open();
    const { key } = await calls.join();
    const asked = await calls.signInOptions();
    const right = key.get(asked, { counter: 5 });
    const wrong = key.get(asked, { counter: 6 });
    expect(await calls.signIn(asked, { ...wrong, response: { ...wrong.response, signature: right.response.signature } })).toEqual(
      WRONG_SIGNATURE,
    );
    expect((await calls.signIn(asked, right)).status).toBe('OK');
  });
});

describe('options', () => {
  test('are used up by a sign-in from CDI 5.5 on, not by one that fails', async () => {
    const calls = await open();
    const { key } = await calls.join('a@x', new SoftwareAuthenticator({ counts: false }));
    for (const [cdi, second] of [
      ['5.4', 'OK'],
      ['5.5', 'OPTIONS_NOT_FOUND_ERROR'],
      ['5.6', 'OPTIONS_NOT_FOUND_ERROR'],
    ] as const) {
      const asked = await calls.signInOptions({}, { cdi });
      expect(await calls.signIn(asked, key.get(asked, { clientData: { challenge: 'x' } }), { cdi })).not.toMatchObject({ status: 'OK' });
      const answer = key.get(asked);
      expect((await calls.signIn(asked, answer, { cdi })).status).toBe('OK');
      expect((await calls.signIn(asked, answer, { cdi })).status).toBe(second);
    }
  });

  test('of another app are unknown', async () => {
    const calls = await open();
    const { core } = calls;
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    const { key } = await calls.join();
    const asked = await calls.signInOptions({}, { tenant: '/appid-a1' });
    expect(asked.status).toBe('OK');
    expect(await calls.signIn(asked, key.get(asked))).toEqual(NO_OPTIONS);
    expect(await calls.signUp(asked, new SoftwareAuthenticator().create(asked))).toEqual(NO_OPTIONS);
  });

  test('of another tenant serve, and survive; of a removed one they do not', async () => {
    const calls = await open('5.5');
    await addTenant(calls, 't1');
    const { key } = await calls.join('a@x', new SoftwareAuthenticator({ counts: false }));
    const asked = await calls.signInOptions({}, { tenant: '/t1' });
    for (let times = 0; times < 2; times++) expect((await calls.signIn(asked, key.get(asked))).status).toBe('OK');
    await calls.core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    expect(await calls.signIn(asked, key.get(asked))).toEqual(NO_OPTIONS);
  });
});

describe('who may sign in', () => {
  test('only on tenants of the login method', async () => {
    const calls = await open();
    await addTenant(calls, 't1');
    const { key, recipeUserId } = await calls.join();
    expect(await calls.enter(key, { tenant: '/t1' })).toEqual(NOT_FOUND);
    const member = { recipeUserId };
    expect((await calls.core.call('POST', '/t1/recipe/multitenancy/tenant/user', member)).body).toMatchObject({ status: 'OK' });
    expect(await calls.enter(key, { tenant: '/t1' })).toMatchObject({ status: 'OK', user: { tenantIds: ['public', 't1'] } });
    await calls.core.call('POST', '/recipe/multitenancy/tenant/user/remove', member);
    expect(await calls.enter(key)).toEqual(NOT_FOUND);
  });

  test('nobody who is disabled, which only who has the passkey is told', async () => {
    const calls = await open();
    const { key, recipeUserId } = await calls.join();
    await calls.core.call('POST', '/manage/v1/user/disable', { userId: recipeUserId });
    expect(await calls.enter(key)).toEqual({ status: 'INVALID_CREDENTIALS_ERROR', reason: 'This user is disabled.' });
    expect(await calls.enter(key, { twist: { signature: Buffer.alloc(8) } })).toEqual(WRONG_SIGNATURE);
    await calls.core.call('POST', '/manage/v1/user/enable', { userId: recipeUserId });
    expect((await calls.enter(key)).status).toBe('OK');
  });

  test('a mapped, linked user is shown whole, and recorded as active', async () => {
    const calls = await open();
    const { core } = calls;
    const passwords = new Calls(core);
    const primary = await passwords.signUp('a@x', 'a password');
    const { key, recipeUserId } = await calls.join();
    await passwords.link(primary, recipeUserId);
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: recipeUserId, externalUserId: 'outer' });
    core.clock.now += 600_000;
    const answer = await calls.enter(key);
    expect(answer).toMatchObject({ status: 'OK', recipeUserId: 'outer', user: { id: primary, isPrimaryUser: true } });
    const active = await core.call('GET', `/users/count/active?since=${core.clock.now}`);
    expect(active.body).toMatchObject({ count: 1 });
  });

  test('with a passkey of another relying party of the app', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator({ relyingPartyId: 'old.com', origin: 'https://old.com' });
    const asked = await calls.registerOptions({ relyingPartyId: 'old.com', origin: 'https://old.com' });
    expect((await calls.signUp(asked, key.create(asked))).status).toBe('OK');
    const now = await calls.signInOptions();
    expect(await calls.signIn(now, key.get(now, { clientData: { origin: ORIGIN } }))).toEqual(
      blamed("rpIdHash doesn't match the hash of preconfigured rpId."),
    );
    const twist = { clientData: { origin: ORIGIN }, relyingPartyId: 'example.com' };
    expect((await calls.signIn(now, key.get(now, twist))).status).toBe('OK');
  });
});
