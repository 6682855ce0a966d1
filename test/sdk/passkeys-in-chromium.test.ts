import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { CHROMIUM, openChromium, type Page } from './chromium.ts';
import { type ExpressApp, startApp, WebAuthn } from './express-app.ts';

/** What the page does as the front-end SDK would, with the browser's own WebAuthn; the functions are its last lines. */
const IN_PAGE = `
  const post = async (path, body) =>
    (await fetch('/auth/webauthn' + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', rid: 'webauthn', 'st-auth-mode': 'header' },
      body: JSON.stringify(body),
    })).json();
  const signUp = async (email) => {
    const options = await post('/options/register', { email });
    const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
    const { webauthnGeneratedOptionsId } = options;
    return post('/signup', { webauthnGeneratedOptionsId, credential: credential.toJSON() });
  };
  const signIn = async () => {
    const { webauthnGeneratedOptionsId, challenge, timeout, userVerification, relyingPartyId: rpId } = await post('/options/signin', {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ challenge, timeout, userVerification, rpId });
    const credential = await navigator.credentials.get({ publicKey });
    return post('/signin', { webauthnGeneratedOptionsId, credential: credential.toJSON() });
  };
`;
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;
const LIMIT_MS = 120_000;

interface Answer {
  readonly status: string;
  readonly user?: {
    readonly id: string;
    readonly emails: readonly string[];
    readonly webauthn: { readonly credentialIds: readonly string[] };
  };
}

if (CHROMIUM === undefined) {
  test('passkeys in a browser', () => {
    console.log('passkeys in a browser: Chromium is not installed, left out');
  });
} else {
  const program = CHROMIUM;

  describe('Chromium with an authenticator of its own', { timeout: LIMIT_MS }, () => {
    let core: RunningCore;
    let app: ExpressApp;
    let page: Page;
    let origin = '';

    beforeAll(async () => {
      core = await startCore();
      app = await startApp(core.url, undefined, [WebAuthn.init({ getRelyingPartyId: 'localhost', getOrigin: async () => origin })]);
      // An address is no relying party.
      origin = app.url.replace('127.0.0.1', 'localhost');
      page = await openChromium(program);
      await page.send('WebAuthn.enable');
      await page.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
      // Unlike the page of an unknown path, this answer lets scripts fetch.
      await page.goTo(`${origin}/me`);
      await vi.waitFor(async () => expect(await page.run('return location.origin')).toBe(origin), 20_000);
    }, LIMIT_MS);
    afterAll(async () => {
      await page?.close();
      await app?.close();
      await core?.stop();
    });

    test('signs up, and in as often as it likes', async () => {
      const made = await page.run<Answer>(`${IN_PAGE} return signUp(values[0])`, 'browser@example.com');
      expect(made).toMatchObject({ status: 'OK', user: { emails: ['browser@example.com'] } });
      expect(made.user?.webauthn.credentialIds).toHaveLength(1);
      for (let times = 0; times < 3; times += 1)
        expect(await page.run<Answer>(`${IN_PAGE} return signIn()`)).toMatchObject({ status: 'OK', user: { id: made.user?.id } });
    });
  });
}
