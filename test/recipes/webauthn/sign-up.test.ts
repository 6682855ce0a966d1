import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { cbor, KINDS, SoftwareAuthenticator, type Twist } from '../../software-authenticator.ts';
import { PasskeyCalls } from './calls.ts';

const open = async (cdi = '5.4', flags: readonly string[] = []): Promise<PasskeyCalls> =>
  new PasskeyCalls(await openInProcessCore(cdi, flags));

const blamed = (reason: string) => ({ status: 'INVALID_AUTHENTICATOR_ERROR', reason });
const malformed = (reason = 'Input data does not match expected form') => ({ status: 'INVALID_CREDENTIALS_ERROR', reason });
const NO_OPTIONS = { status: 'OPTIONS_NOT_FOUND_ERROR' };

describe('each algorithm', () => {
  test.each(Object.keys(KINDS))('%s signs up and in', async (algorithm) => {
    const calls = await open();
    const key = new SoftwareAuthenticator({ algorithm: Number(algorithm), format: 'packed' });
    const { recipeUserId } = await calls.join('a@x', key);
    expect(await calls.enter(key)).toMatchObject({ status: 'OK', recipeUserId, user: { id: recipeUserId } });
    expect(await calls.enter(key, { twist: { signature: Buffer.alloc(64, 1) } })).toEqual(blamed('Assertion signature is not valid.'));
  });

  test('is taken whatever was asked for, but by option', async () => {
    const [lenient, strict] = [await open(), await open('5.4', ['--webauthn-enforce-algorithms', 'true'])];
    for (const [calls, expected] of [
      [lenient, 'OK'],
      [strict, 'INVALID_AUTHENTICATOR_ERROR'],
    ] as const) {
      const asked = await calls.registerOptions({ supportedAlgorithmIDs: [-8] });
      expect((await calls.signUp(asked, new SoftwareAuthenticator().create(asked))).status).toBe(expected);
    }
    const asked = await strict.registerOptions({ supportedAlgorithmIDs: [-8] });
    expect((await strict.signUp(asked, new SoftwareAuthenticator({ algorithm: -8 }).create(asked))).status).toBe('OK');
    expect(await strict.signUp(asked, new SoftwareAuthenticator({ algorithm: -257 }).create(asked))).toEqual(
      blamed('alg not listed in options.pubKeyCredParams is used.'),
    );
  });
});

describe('a registration', () => {
  test('is judged in the order of the contract', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator({ credentialId: randomBytes(1024) });
    const asked = await calls.registerOptions({ userVerification: 'required', userPresence: true });
    const faults: readonly (readonly [Twist, string])[] = [
      [{ flags: 0x1d }, 'attestedCredentialData must not be null on registration'],
      [{ clientData: { type: 'webauthn.get' } }, "ClientData.type must be 'create' on registration, but it isn't."],
      [{ clientData: { challenge: 'AAAA' } }, 'The actual challenge does not match the expected challenge'],
      [
        { clientData: { origin: 'https://evil.org:8443/path' } },
        "The collectedClientData 'https://evil.org:8443' origin doesn't match any of the preconfigured server origin.",
      ],
      [{ relyingPartyId: 'evil.org' }, "rpIdHash doesn't match the hash of preconfigured rpId."],
      [{ flags: 0x54 }, 'Verifier is configured to check user present, but UP flag in authenticatorData is not set.'],
      [{ flags: 0x51 }, 'Verifier is configured to check user verified, but UV flag in authenticatorData is not set.'],
      [{ flags: 0x55 }, 'Backup state bit must not be set if backup eligibility bit is not set'],
      [{ format: 'fido-u2f', aaguid: Buffer.alloc(16, 1) }, "AAGUID is expected to be zero filled in U2F attestation, but it isn't."],
      [{}, 'credentialId exceeds maxCredentialIdSize(1023 bytes)'],
    ];
    for (const at of faults.keys()) {
      const twist = faults.slice(at).reduceRight<Twist>((all, [one]) => {
        const flags = (all.flags ?? 0x5d) & (one.flags ?? 0x5d);
        return { ...all, ...one, flags, clientData: { ...all.clientData, ...one.clientData } };
      }, {});
      expect(await calls.signUp(asked, key.create(asked, twist))).toEqual(blamed(faults[at]?.[1] ?? ''));
    }
  });

  test('may come from a frame of another origin, and have extensions', async () => {
    const calls = await open();
    const asked = await calls.registerOptions();
    const twist = { clientData: { crossOrigin: true, extra: [{}] }, flags: 0xc5, tail: cbor(new Map([['credProtect', 2]])) };
    expect((await calls.signUp(asked, new SoftwareAuthenticator().create(asked, twist))).status).toBe('OK');
  });

  test.each([
    [1023, 'OK'],
    [1024, 'INVALID_AUTHENTICATOR_ERROR'],
  ])('with a credential id of %i bytes: %s', async (size, expected) => {
    const calls = await open();
    const key = new SoftwareAuthenticator({ credentialId: randomBytes(size) });
    const asked = await calls.registerOptions();
    const answer = await calls.signUp(asked, key.create(asked));
    expect(answer.status).toBe(expected);
    if (expected === 'OK') expect(await calls.enter(key)).toMatchObject({ status: 'OK', user: { webauthn: { credentialIds: [key.id] } } });
    else expect(answer).toEqual(blamed('credentialId exceeds maxCredentialIdSize(1023 bytes)'));
  });

  test('is kept under the id that the client sends, not that of the authenticator', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator();
    const asked = await calls.registerOptions();
    expect((await calls.signUp(asked, { ...key.create(asked), id: 'AAAA', rawId: undefined })).status).toBe('OK');
    expect((await calls.enter(key)).status).toBe('CREDENTIAL_NOT_FOUND_ERROR');
    const again = await calls.signInOptions();
    expect((await calls.signIn(again, { ...key.get(again), id: 'AAAA' })).status).toBe('OK');
    expect((await calls.signIn(again, { ...key.get(again), id: 'AAAA==' })).status).toBe('INVALID_CREDENTIALS_ERROR');
  });
});

describe('the shape of a credential', () => {
  const shapes: readonly (readonly [string, (right: Readonly<Record<string, unknown>>) => object, object])[] = [
    ['no id', ({ id: _id, ...rest }) => rest, malformed('credential id is missing!')],
    ['null as id', (right) => ({ ...right, id: null, type: null }), malformed('credential id is missing!')],
    ['an empty id', (right) => ({ ...right, id: '', type: '' }), malformed('credential id is empty!')],
    ['no type', ({ type: _type, ...rest }) => rest, malformed('credential type is missing!')],
    ['an empty type', (right) => ({ ...right, type: '' }), malformed('credential type is empty!')],
    ['another type', (right) => ({ ...right, type: 'password' }), malformed("not supported credential type: 'password'")],
    ['a number as type', (right) => ({ ...right, type: 5 }), malformed("not supported credential type: '5'")],
    ['an id of other characters', (right) => ({ ...right, id: 'a+/b' }), malformed()],
    ['a number as id', (right) => ({ ...right, id: 5 }), malformed()],
    ['a raw id of other characters', (right) => ({ ...right, rawId: '?' }), malformed()],
    ['no response', ({ response: _response, ...rest }) => rest, malformed()],
    ['a text as response', (right) => ({ ...right, response: 'x' }), malformed()],
    ['a number as attachment', (right) => ({ ...right, authenticatorAttachment: 1 }), malformed()],
    ['a list of extensions', (right) => ({ ...right, clientExtensionResults: [] }), malformed()],
  ];

  test.each(shapes)('%s', async (_, twisted, expected) => {
    const calls = await open();
    const { key } = await calls.join();
    const [registering, entering] = [await calls.registerOptions({ email: 'b@x' }), await calls.signInOptions()];
    expect(await calls.signUp(registering, twisted(new SoftwareAuthenticator().create(registering)))).toEqual(expected);
    expect(await calls.signIn(entering, twisted(key.get(entering)))).toEqual(expected);
  });

  test.each([
    ['clientDataJSON', undefined],
    ['clientDataJSON', '*'],
    ['clientDataJSON', 5],
    ['clientDataJSON', Buffer.from('[]').toString('base64url')],
    ['clientDataJSON', Buffer.from('{"type":"webauthn.create","challenge":"AA"}').toString('base64url')],
    ['clientDataJSON', Buffer.from('{"type":"webauthn.create","challenge":"*","origin":"x"}').toString('base64url')],
    ['clientDataJSON', Buffer.from('{"type":1,"challenge":"AA","origin":"x"}').toString('base64url')],
    ['clientDataJSON', Buffer.from('{"type":"","challenge":"","origin":"","crossOrigin":1}').toString('base64url')],
    ['clientDataJSON', Buffer.from('{"type":"\xff"}', 'latin1').toString('base64url')],
    ['attestationObject', undefined],
    ['attestationObject', 'AAAA'],
    ['transports', 'usb'],
    ['transports', [1]],
    ['transports', Array.from({ length: 17 }, () => 'usb')],
  ])('a registration with %s %j', async (member, value) => {
    const calls = await open();
    const asked = await calls.registerOptions();
    const right = new SoftwareAuthenticator().create(asked);
    expect(await calls.signUp(asked, { ...right, response: { ...right.response, [member]: value } })).toEqual(malformed());
  });

  test.each([
    ['authenticatorData', 'AAAA', 'provided data does not have proper byte layout'],
    ['authenticatorData', Buffer.alloc(38).toString('base64url'), 'provided data does not have proper byte layout'],
    ['authenticatorData', '*', undefined],
    ['signature', undefined, undefined],
    ['signature', '*', undefined],
    ['userHandle', '*', undefined],
    ['userHandle', 5, undefined],
  ])('a sign-in with %s %j', async (member, value, reason) => {
    const calls = await open();
    const { key } = await calls.join();
    const asked = await calls.signInOptions();
    const right = key.get(asked);
    expect(await calls.signIn(asked, { ...right, response: { ...right.response, [member]: value } })).toEqual(malformed(reason));
  });

  test('unknown members, transports and types in capitals are taken', async () => {
    const calls = await open();
    const asked = await calls.registerOptions();
    const right = new SoftwareAuthenticator().create(asked);
    const odd = { ...right, type: 'Public-Key', extra: 1, response: { ...right.response, transports: ['telepathy'], publicKey: 'x' } };
    expect((await calls.signUp(asked, odd)).status).toBe('OK');
  });

  test('no object is a refusal, and comes last', async () => {
    const calls = await open();
    const refused = { status: '400', text: "Field name 'credential' is invalid in JSON input\n" };
    for (const credential of ['x', null, [], 5]) {
      expect(await calls.post('/signup', { webauthnGeneratedOptionsId: 'x', credential })).toEqual(refused);
      expect(await calls.post('/signin', { webauthnGeneratedOptionsId: 'x', credential })).toEqual(refused);
    }
    expect(await calls.post('/signup', { credential: 5 })).toMatchObject({ text: expect.stringContaining('webauthnGeneratedOptionsId') });
  });
});

describe('a sign-up', () => {
  test('of options that are not there, have expired, or are for signing in', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator();
    const [asked, entering] = [await calls.registerOptions({ timeout: 10 }), await calls.signInOptions()];
    expect(await calls.signUp({ ...asked, webauthnGeneratedOptionsId: 'none' }, {})).toEqual(NO_OPTIONS);
    expect(await calls.signUp(entering, key.create(asked))).toEqual(blamed('The actual challenge does not match the expected challenge'));
    expect(await calls.signUp(entering, key.create(entering))).toEqual({
      status: 'INVALID_OPTIONS_ERROR',
      reason: 'The options are for signing in',
    });
    calls.core.clock.now += 11;
    expect(await calls.signUp(asked, {})).toEqual(malformed('credential id is missing!'));
    expect(await calls.signUp(asked, key.create(asked))).toEqual({ status: 'INVALID_OPTIONS_ERROR', reason: 'Options expired' });
  });

  test('with an email that is taken, found after all checks; other tenants and recipes do not count', async () => {
    const calls = await open();
    const { core } = calls;
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    await core.call('POST', '/recipe/signup', { email: 'a@x', password: 'a password' });
    await calls.join();
    const asked = await calls.registerOptions();
    const key = new SoftwareAuthenticator();
    const wrong = { clientData: { challenge: 'AA' } };
    expect((await calls.signUp(asked, key.create(asked, wrong))).status).toBe('INVALID_AUTHENTICATOR_ERROR');
    expect(await calls.signUp(asked, key.create(asked))).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect((await calls.signUp(asked, key.create(asked), { tenant: '/t1' })).status).toBe('OK');
  });

  test('does not use options up, nor takes a passkey twice', async () => {
    const calls = await open();
    const asked = await calls.registerOptions();
    const key = new SoftwareAuthenticator();
    expect((await calls.signUp(asked, key.create(asked))).status).toBe('OK');
    expect(await calls.signUp(asked, key.create(asked))).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    const other = await calls.registerOptions({ email: 'b@x' });
    expect(await calls.signUp(other, key.create(other))).toEqual(malformed('The credential is already registered'));
    expect((await calls.core.call('GET', '/users/count')).body).toMatchObject({ count: 1 });
  });

  test('is shown with the relying party, at every version', async () => {
    const calls = await open();
    for (const cdi of ['2.7', '3.0', '4.0', '5.2', '5.3', '5.6']) {
      const email = `${cdi}@x`;
      const asked = await calls.registerOptions({ email }, { cdi });
      const key = new SoftwareAuthenticator();
      const answer = await calls.signUp(asked, key.create(asked), { cdi });
      const isNew = Number(cdi) >= 5.3;
      expect(answer).toEqual({
        status: 'OK',
        user: expect.objectContaining({ emails: isNew ? [email] : [] }),
        webauthnCredentialId: key.id,
        relyingPartyId: 'example.com',
        relyingPartyName: 'Example',
        recipeUserId: expect.any(String),
      });
      expect('webauthn' in (answer['user'] as object)).toBe(isNew);
      expect((await calls.enter(key, { cdi })).status).toBe('OK');
    }
  });
});
