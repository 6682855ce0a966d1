import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { SoftwareAuthenticator } from '../software-authenticator.ts';
import { type ExpressApp, startApp, SuperTokens, WebAuthn } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** Where the SDK takes the application's website to be. */
const ORIGIN = 'http://127.0.0.1:3000';
const HOST = '127.0.0.1';

interface Asked {
  readonly webauthnGeneratedOptionsId: string;
  readonly challenge: string;
}

let core: RunningCore;
let app: ExpressApp;
let count = 0;
const links: URL[] = [];
const freshEmail = (): string => `passkey-${(count += 1)}@example.com`;
const authenticator = (algorithm = -7, format: 'none' | 'packed' = 'none') =>
  new SoftwareAuthenticator({ relyingPartyId: HOST, origin: ORIGIN, algorithm, format });

beforeAll(async () => {
  core = await startCore();
  const sendEmail = async ({ recoverAccountLink }: { readonly recoverAccountLink: string }): Promise<void> => {
    links.push(new URL(recoverAccountLink));
  };
  app = await startApp(core.url, undefined, [WebAuthn.init({ emailDelivery: { service: { sendEmail } } })]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

async function asked(front: FrontEnd, kind: 'register' | 'signin', body: object = {}): Promise<Asked> {
  const answer = await front.post(`/auth/webauthn/options/${kind}`, body);
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status: 'OK', challenge: expect.any(String) });
  return answer.body as unknown as Asked;
}

const withOptions = ({ webauthnGeneratedOptionsId }: Asked, credential: unknown) => ({ webauthnGeneratedOptionsId, credential });

async function signUp(front: FrontEnd, email: string, key: SoftwareAuthenticator) {
  const options = await asked(front, 'register', { email });
  return front.post('/auth/webauthn/signup', withOptions(options, key.create(options)));
}

async function signIn(front: FrontEnd, key: SoftwareAuthenticator) {
  const options = await asked(front, 'signin');
  return front.post('/auth/webauthn/signin', withOptions(options, key.get(options)));
}

describe('a visitor', () => {
  test.each([
    [-7, 'none'],
    [-7, 'packed'],
    [-8, 'none'],
    [-8, 'packed'],
    [-257, 'none'],
    [-257, 'packed'],
  ] as const)('signs up and in with a passkey of algorithm %i and format %s', async (algorithm, format) => {
    const [email, key] = [freshEmail(), authenticator(algorithm, format)];
    const front = new FrontEnd(app.url, 'header');
    const made = await signUp(front, email, key);
    expect(made.body).toMatchObject({ status: 'OK', user: { emails: [email], webauthn: { credentialIds: [key.id] } } });
    const { id } = made.body['user'] as { readonly id: string };
    expect((await front.get('/me')).body['userId']).toBe(id);
    for (let times = 0; times < 2; times += 1) {
      const elsewhere = new FrontEnd(app.url, 'cookie');
      expect((await signIn(elsewhere, key)).body).toMatchObject({ status: 'OK', user: { id } });
      expect((await elsewhere.get('/me/checked')).body['userId']).toBe(id);
    }
  });

  test('is told what is wrong', async () => {
    const [email, key] = [freshEmail(), authenticator()];
    const front = new FrontEnd(app.url, 'header');
    await signUp(front, email, key);
    expect((await signUp(front, email, authenticator())).body).toMatchObject({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect((await signIn(front, authenticator())).body['status']).toBe('INVALID_CREDENTIALS_ERROR');
    const elsewhere = new SoftwareAuthenticator({ relyingPartyId: HOST, origin: 'https://evil.org' });
    expect((await signUp(front, freshEmail(), elsewhere)).body['status']).toBe('INVALID_AUTHENTICATOR_ERROR');
    const exists = await front.get(`/auth/webauthn/email/exists?email=${encodeURIComponent(email)}`);
    expect(exists.body).toMatchObject({ status: 'OK', exists: true });
  });

  test('recovers an account by email, with another passkey', async () => {
    const [email, lost] = [freshEmail(), authenticator()];
    const front = new FrontEnd(app.url, 'header');
    await signUp(front, email, lost);
    expect((await front.post('/auth/user/webauthn/reset/token', { email })).body).toMatchObject({ status: 'OK' });
    const token = links.at(-1)?.searchParams.get('token') ?? '';
    const options = await asked(front, 'register', { recoverAccountToken: token });
    const found = authenticator(-8);
    const reset = await front.post('/auth/user/webauthn/reset', { token, ...withOptions(options, found.create(options)) });
    expect(reset.body).toMatchObject({ status: 'OK' });
    for (const key of [lost, found]) expect((await signIn(new FrontEnd(app.url, 'header'), key)).body['status']).toBe('OK');
    const again = await front.post('/auth/webauthn/options/register', { recoverAccountToken: token });
    expect(again.body['status']).toBe('RECOVER_ACCOUNT_TOKEN_INVALID_ERROR');
  });
});

describe('an application', () => {
  test('registers, lists, shows and removes passkeys, and changes the email', async () => {
    const [email, key] = [freshEmail(), authenticator()];
    const { body } = await signUp(new FrontEnd(app.url, 'header'), email, key);
    const { id: recipeUserId } = body['user'] as { readonly id: string };
    const asked = {
      tenantId: 'public',
      email,
      displayName: 'Ann',
      relyingPartyId: HOST,
      relyingPartyName: 'Test',
      origin: ORIGIN,
      timeout: 60_000,
    };
    const wishes = { residentKey: 'required', userVerification: 'preferred', userPresence: true, attestation: 'none' } as const;
    const options = await WebAuthn.registerOptions({ ...asked, ...wishes, supportedAlgorithmIds: [-257] });
    if (options.status !== 'OK') throw new Error(options.status);
    const second = authenticator(-257);
    const { webauthnGeneratedOptionsId } = options;
    const credential = second.create(options) as Parameters<typeof WebAuthn.registerCredential>[0]['credential'];
    expect(await WebAuthn.registerCredential({ recipeUserId, webauthnGeneratedOptionsId, credential })).toMatchObject({ status: 'OK' });
    const list = await WebAuthn.listCredentials({ recipeUserId });
    expect(list.credentials.map(({ webauthnCredentialId }) => webauthnCredentialId).toSorted()).toEqual([key.id, second.id].toSorted());
    const one = { recipeUserId, webauthnCredentialId: second.id };
    expect(await WebAuthn.getCredential(one)).toMatchObject({ status: 'OK', relyingPartyId: HOST });
    expect(await WebAuthn.getGeneratedOptions({ webauthnGeneratedOptionsId, tenantId: 'public' })).toMatchObject({
      status: 'OK',
      email,
      origin: ORIGIN,
    });
    expect(await WebAuthn.removeCredential(one)).toMatchObject({ status: 'OK' });
    expect(await WebAuthn.getCredential(one)).toMatchObject({ status: 'CREDENTIAL_NOT_FOUND_ERROR' });
    expect(await WebAuthn.updateUserEmail({ recipeUserId, email: freshEmail(), tenantId: 'public' })).toMatchObject({ status: 'OK' });
    const [found] = await SuperTokens.listUsersByAccountInfo('public', { webauthn: { credentialId: key.id } });
    expect(found?.id).toBe(recipeUserId);
    expect(found?.loginMethods[0]?.webauthn?.credentialIds).toEqual([key.id]);
  });
});
