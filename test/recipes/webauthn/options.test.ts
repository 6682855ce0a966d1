import { describe, expect, test } from 'vitest';
import { webauthnOptions } from '../../../src/recipes/webauthn/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator } from '../../software-authenticator.ts';
import { runJob } from '../run-job.ts';
import { type Options, ORIGIN, PasskeyCalls, RELYING_PARTY } from './calls.ts';

const open = async (flags: readonly string[] = []): Promise<PasskeyCalls> => new PasskeyCalls(await openInProcessCore('5.4', flags));

const invalid = (reason: string) => ({ status: 'INVALID_OPTIONS_ERROR', reason });
const NO_URL = invalid('Origin has to be a valid url!');
const NO_MATCH = invalid('Origin does not match RelyingParty Id');

describe('options to register', () => {
  test('have their members in order, with the defaults', async () => {
    const calls = await open();
    const { core } = calls;
    const asked = { email: ' A@X ', relyingPartyName: 'Example', relyingPartyId: RELYING_PARTY, origin: ORIGIN };
    const { text } = await core.send('POST', '/recipe/webauthn/options/register', JSON.stringify(asked));
    const answer = JSON.parse(text) as Options;
    expect(Object.keys(answer).join(' ')).toBe(
      'webauthnGeneratedOptionsId rp user email timeout challenge attestation createdAt expiresAt ' +
        'pubKeyCredParams excludeCredentials authenticatorSelection status',
    );
    const id = answer.webauthnGeneratedOptionsId;
    expect(answer).toMatchObject({
      rp: { id: RELYING_PARTY, name: 'Example' },
      user: { id: Buffer.from(id).toString('base64url'), name: 'a@x', displayName: 'a@x' },
      email: 'a@x',
      timeout: 6000,
      attestation: 'none',
      createdAt: core.clock.now,
      expiresAt: core.clock.now + 6000,
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      excludeCredentials: [],
      authenticatorSelection: { requireResidentKey: true, residentKey: 'required', userVerification: 'preferred' },
    });
    expect(Buffer.from(answer.challenge, 'base64url')).toHaveLength(32);
  });

  test('take what is asked for, and the default for an empty text', async () => {
    const calls = await open();
    const given = { displayName: '', attestation: '', residentKey: '', userVerification: '', timeout: '0', userPresence: true };
    expect(await calls.registerOptions(given)).toMatchObject({
      status: 'OK',
      timeout: 0,
      user: { displayName: 'a@x' },
      attestation: 'none',
    });
    const other = { displayName: 'Me', attestation: 'enterprise', residentKey: 'discouraged', userVerification: 'required', timeout: 7.9 };
    expect(await calls.registerOptions(other)).toMatchObject({
      timeout: 7,
      user: { displayName: 'Me' },
      attestation: 'enterprise',
      authenticatorSelection: { requireResidentKey: false, residentKey: 'discouraged', userVerification: 'required' },
    });
  });

  test.each([
    [{ supportedAlgorithmIDs: [-7, '-257', -35.9] }, [-7, -257, -35]],
    [{ supportedAlgorithmIds: [-8] }, [-8]],
    [{ supportedAlgorithmIDs: [-7], supportedAlgorithmIds: [-8] }, [-7]],
    [{ supportedAlgorithmIDs: [] }, []],
  ])('name the algorithms of %j', async (given, algorithms) => {
    const calls = await open();
    expect((await calls.registerOptions(given))['pubKeyCredParams']).toEqual(algorithms.map((alg) => ({ alg, type: 'public-key' })));
  });

  test.each([
    [{ supportedAlgorithmIDs: [-7, 'a'] }, 'For input string: "a"'],
    [{ supportedAlgorithmIDs: [''] }, 'For input string: ""'],
    [{ supportedAlgorithmIDs: [true] }, 'For input string: "true"'],
    [{ supportedAlgorithmIDs: [{ a: 1 }] }, 'For input string: "{"a":1}"'],
    [{ supportedAlgorithmIDs: [2 ** 31] }, 'For input string: "2147483648"'],
    [{ supportedAlgorithmIDs: Array.from({ length: 101 }, () => -7) }, 'At most 100 algorithms can be named'],
    [{ userVerification: 'x' }, "Invalid value 'x' for userVerification. Must be one of: required, discouraged, preferred"],
    [{ attestation: 'None' }, "Invalid value 'None' for attestation. Must be one of: none, indirect, direct, enterprise"],
    [{ residentKey: 'x' }, "Invalid value 'x' for residentKey. Must be one of: required, discouraged, preferred"],
    [{ timeout: -1 }, 'Timeout must be a positive value'],
  ])('%j are refused', async (given, reason) => {
    expect(await (await open()).registerOptions(given)).toEqual(invalid(reason));
  });

  test('a tenant that is not there is told before wrong fields', async () => {
    const calls = await open();
    for (const answer of [
      await calls.registerOptions({ email: 5 }, { tenant: '/t9' }),
      await calls.signInOptions({ origin: 5 }, { tenant: '/t9' }),
    ])
      expect(answer).toMatchObject({ status: '400', text: expect.stringContaining('AppId or tenantId not found') });
  });

  test('the first fault counts', async () => {
    const calls = await open();
    const wrong = [
      [{ origin: 'x' }, NO_URL],
      [{ timeout: -1 }, invalid('Timeout must be a positive value')],
      [{ userVerification: 'x' }, /userVerification/],
      [{ attestation: 'x' }, /attestation/],
      [{ residentKey: 'x' }, /residentKey/],
      [{ supportedAlgorithmIDs: ['a'] }, /input string/],
    ] as const;
    for (const at of wrong.keys()) {
      const answer = await calls.registerOptions(Object.assign({}, ...wrong.slice(at).map(([given]) => given)));
      const expected = wrong[at]?.[1];
      if (expected instanceof RegExp) expect(answer['reason']).toMatch(expected);
      else expect(answer).toEqual(expected);
    }
  });

  test.each(['email', 'relyingPartyName', 'relyingPartyId', 'origin', 'timeout', 'attestation', 'userPresence', 'supportedAlgorithmIDs'])(
    'null in %s is no value',
    async (field) => {
      const answer = await (await open()).registerOptions({ [field]: null });
      expect(answer).toEqual({ status: '400', text: `Field name '${field}' is invalid in JSON input\n` });
    },
  );

  test('are kept under the id of the oldest user with the email, of whatever recipe', async () => {
    const calls = await open();
    const { core } = calls;
    const made = await core.call('POST', '/recipe/signup', { email: 'a@x', password: 'a password' });
    core.clock.now += 1000;
    await calls.join('a@x');
    const { user } = await calls.registerOptions();
    expect(Buffer.from(String((user as { id: string }).id), 'base64url').toString()).toBe(made.body['recipeUserId']);
  });

  test('list the passkeys of the user by option, those of the relying party only', async () => {
    const calls = await open(['--webauthn-exclude-credentials', 'true']);
    const { key } = await calls.join();
    expect((await calls.registerOptions())['excludeCredentials']).toEqual([{ id: key.id, type: 'public-key', transports: ['internal'] }]);
    const elsewhere = { relyingPartyId: 'other.com', origin: 'https://other.com' };
    expect((await calls.registerOptions(elsewhere))['excludeCredentials']).toEqual([]);
    expect((await calls.registerOptions({ email: 'b@x' }))['excludeCredentials']).toEqual([]);
    const silent = await open();
    await silent.join();
    expect((await silent.registerOptions())['excludeCredentials']).toEqual([]);
  });
});

describe('origins', () => {
  test.each([
    ['https://example.com', 'OK'],
    ['https://example.com/path?a#b', 'OK'],
    ['http://user:word@sub.example.com:8080/', 'OK'],
    ['HTTPS://example.com', 'OK'],
    ['https://evilexample.com', 'OK'],
    ['ftp://example.com', 'OK'],
    ['https://example.com.evil.org', NO_MATCH],
    ['https://example.com@evil.org', NO_MATCH],
    ['https://evil.org/example.com', NO_MATCH],
    ['https://evil.org?example.com', NO_MATCH],
    ['https://evil.org#example.com', NO_MATCH],
    ['https://EXAMPLE.com', NO_MATCH],
    ['https://', NO_MATCH],
    ['mailto:a@example.com', NO_MATCH],
    ['https://example.com:x', NO_URL],
    ['example.com', NO_URL],
    ['//example.com', NO_URL],
    ['javascript://example.com', NO_URL],
    ['android://example.com', NO_URL],
    ['', NO_URL],
  ])('%s', async (origin, expected) => {
    const calls = await open();
    for (const answer of [await calls.registerOptions({ origin }), await calls.signInOptions({ origin })]) {
      if (expected === 'OK') expect(answer.status).toBe('OK');
      else expect(answer).toEqual(expected);
    }
  });

  const hash = Buffer.alloc(32, 7).toString('base64url');
  test.each([
    [hash, undefined],
    ['', 'Android origin must contain a valid base64 hash'],
    ['+'.repeat(43), 'Android origin hash must be valid URL-safe base64 (no padding)'],
    [`${hash}=`, 'Android origin hash must be valid URL-safe base64 (no padding)'],
    [hash.slice(1), 'Android origin hash must be 43 characters (base64url SHA-256)'],
    [`${hash}A`, 'Android origin hash must be 43 characters (base64url SHA-256)'],
  ])('of Android: %s', async (rest, reason) => {
    const answer = await (await open()).signInOptions({ origin: `android:apk-key-hash:${rest}` });
    if (reason === undefined) expect(answer.status).toBe('OK');
    else expect(answer).toEqual(invalid(reason));
  });

  test('have to be the relying party or below it by option', async () => {
    const calls = await open(['--webauthn-strict-origin', 'true']);
    for (const origin of ['https://example.com', 'https://a.b.example.com:1'])
      expect((await calls.signInOptions({ origin })).status).toBe('OK');
    expect(await calls.signInOptions({ origin: 'https://evilexample.com' })).toEqual(NO_MATCH);
    expect(await calls.registerOptions({ origin: 'https://evilexample.com' })).toEqual(NO_MATCH);
    expect(await calls.signInOptions({ relyingPartyId: '' })).toEqual(NO_MATCH);
  });
});

describe('options to sign in', () => {
  test('have nine members', async () => {
    const calls = await open();
    const { now } = calls.core.clock;
    const answer = await calls.signInOptions({ timeout: undefined, userVerification: 'required', userPresence: true });
    expect(answer).toEqual({
      webauthnGeneratedOptionsId: expect.any(String),
      relyingPartyId: RELYING_PARTY,
      challenge: expect.any(String),
      timeout: 6000,
      userVerification: 'required',
      userPresence: true,
      createdAt: now,
      expiresAt: now + 6000,
      status: 'OK',
    });
    expect(await calls.signInOptions({ timeout: -1 })).toEqual(invalid('Timeout must be a positive value'));
    expect((await calls.signInOptions({ userVerification: 'x' }))['reason']).toMatch(/^Invalid value 'x' for userVerification/);
  });
});

describe('options of an id', () => {
  test('are shown, also when they have expired, and removed, in their tenant only', async () => {
    const calls = await open();
    await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const made = await calls.signInOptions({ timeout: 5 }, { tenant: '/t1' });
    const query = { webauthnGeneratedOptionsId: made.webauthnGeneratedOptionsId };
    calls.core.clock.now += 1000;
    expect(await calls.get('/options', query, { tenant: '/t1' })).toEqual({
      status: 'OK',
      ...query,
      relyingPartyId: RELYING_PARTY,
      relyingPartyName: 'Example',
      challenge: made.challenge,
      timeout: 5,
      origin: ORIGIN,
      email: null,
      createdAt: made['createdAt'],
      expiresAt: made['expiresAt'],
      userVerification: 'preferred',
      userPresence: false,
    });
    const none = { status: 'OPTIONS_NOT_FOUND_ERROR' };
    expect(await calls.get('/options', query)).toEqual(none);
    expect(await calls.delete('/options/remove', query)).toEqual(none);
    expect(await calls.delete('/options/remove', query, { tenant: '/t1' })).toEqual({ status: 'OK' });
    expect(await calls.delete('/options/remove', query, { tenant: '/t1' })).toEqual(none);
    expect(await calls.get('/options', { webauthnGeneratedOptionsId: '' })).toEqual(none);
    expect((await calls.core.call('GET', '/recipe/webauthn/options')).status).toBe(400);
  });

  test('go by a job some time after they have expired', async () => {
    const calls = await open();
    const { core } = calls;
    const [short, long] = [await calls.signInOptions({ timeout: 1000 }), await calls.signInOptions({ timeout: 10_000 })];
    const left = async () =>
      (await core.services.store.read((reader) => reader.keys(webauthnOptions, undefined, { prefix: [], limit: 9 }))).length;
    core.clock.now += 1000;
    await runJob('expired-webauthn-options', core.services, core.clock.now, 100);
    expect(await left()).toBe(2);
    core.clock.now += 1;
    await runJob('expired-webauthn-options', core.services, core.clock.now, 100);
    expect(await left()).toBe(1);
    const gone = { webauthnGeneratedOptionsId: short.webauthnGeneratedOptionsId };
    expect(await calls.get('/options', gone)).toEqual({ status: 'OPTIONS_NOT_FOUND_ERROR' });
    expect((await calls.get('/options', { webauthnGeneratedOptionsId: long.webauthnGeneratedOptionsId })).status).toBe('OK');
    expect((await calls.signIn(short, new SoftwareAuthenticator().get(short))).status).toBe('OPTIONS_NOT_FOUND_ERROR');
  });
});
