import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AskedLogin, answerTo, readLogin } from '../recipes/saml/calls.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../saml-idp/idp.ts';
import { postedResponse } from '../saml-idp/response.ts';
import { type ExpressApp, Saml, startApp, ThirdParty } from './express-app.ts';
import { type AppAnswer, FrontEnd } from './front-end.ts';
import { type LegacyProxy, startLegacyProxy } from './legacy-proxy.ts';

/** The two ways in which the SDK logs in by SAML: its own recipe, and OAuth as once with BoxyHQ. A browser stands between application, core and identity provider. */
const REDIRECT = 'http://127.0.0.1:3000/callback';
const TENANT = 'public';
const API_KEY = 'key-of-the-sdk-and-the-proxy';
const EMAIL = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';

let core: RunningCore;
let app: ExpressApp;
let proxy: LegacyProxy;
let idp: TestIdp;
let boxyIdp: TestIdp;

beforeAll(async () => {
  proxy = await startLegacyProxy(API_KEY);
  const env = { API_KEYS: API_KEY, SAML_LEGACY_ACS_URL: `${proxy.url}/api/oauth/saml` };
  [core, idp] = await Promise.all([startCore({ env }), makeIdp()]);
  boxyIdp = { ...idp, entityId: 'https://boxy.example.com/' };
  proxy.core = core.url;
  const providers = [
    { config: { thirdPartyId: 'saml', clients: [{ clientId: 'sdk' }] } },
    {
      config: {
        thirdPartyId: 'boxy-saml',
        clients: [{ clientId: 'boxy', clientSecret: 'boxy-secret', additionalConfig: { boxyURL: proxy.url } }],
      },
    },
  ];
  app = await startApp(core.url, undefined, [ThirdParty.init({ signInAndUpFeature: { providers } }), Saml.init()], API_KEY);
  await connect('sdk', idp);
  await connect('boxy', boxyIdp, { clientSecret: 'boxy-secret' });
});
afterAll(async () => {
  await app?.close();
  await proxy?.close();
  await core?.stop();
});

async function connect(clientId: string, provider: TestIdp, more: object = {}) {
  const metadataXML = base64Of(metadataOf(provider));
  const uris = { redirectURIs: [REDIRECT], defaultRedirectURI: REDIRECT };
  const made = await Saml.createOrUpdateClient({ tenantId: TENANT, clientId, metadataXML, ...uris, ...more });
  expect(made).toMatchObject({ status: 'OK', clientId, idpEntityId: provider.entityId });
}

/** Goes to a URL, and answers where the browser is sent. */
async function follow(url: string, form?: Readonly<Record<string, string>>): Promise<string> {
  const sent = await fetch(url, { redirect: 'manual', ...(form && { method: 'POST', body: new URLSearchParams(form) }) });
  const location = sent.headers.get('location');
  if (location === null) throw new Error(`${url}: ${sent.status} ${await sent.text()}`);
  return location;
}

/** The application says that it is at another port. */
const atApp = (url: string): string => url.replace('http://127.0.0.1:3001', app.url);

/** What the provider's page in the SDK begins with. */
async function begin(thirdPartyId: string, front: FrontEnd): Promise<{ readonly to: AskedLogin; readonly pkceCodeVerifier: unknown }> {
  const query = new URLSearchParams({ thirdPartyId, redirectURIOnProviderDashboard: REDIRECT });
  const { body } = await front.get(`/auth/authorisationurl?${query.toString()}`);
  expect(body['status'], JSON.stringify(body)).toBe('OK');
  return { to: readLogin(await follow(atApp(String(body['urlWithQueryParams'])))), pkceCodeVerifier: body['pkceCodeVerifier'] };
}

/** The whole way of a visitor whom the identity provider knows. */
async function enter(
  thirdPartyId: string,
  provider: TestIdp,
  nameId: string,
  email: string,
): Promise<AppAnswer & { readonly front: FrontEnd }> {
  const front = new FrontEnd(app.url, 'header');
  const { to, pkceCodeVerifier } = await begin(thirdPartyId, front);
  const attributes = [{ name: EMAIL, values: [email] }];
  const form = { SAMLResponse: answerTo(provider, to, { nameId, attributes }), RelayState: to.relayState };
  const back = new URL(await follow(atApp(to.acsUrl), form));
  expect(back.href.split('?')[0]).toBe(REDIRECT);
  const redirectURIInfo = {
    redirectURIOnProviderDashboard: REDIRECT,
    redirectURIQueryParams: Object.fromEntries(back.searchParams),
    ...(typeof pkceCodeVerifier === 'string' && { pkceCodeVerifier }),
  };
  return { ...(await front.post('/auth/signinup', { thirdPartyId, redirectURIInfo })), front };
}

describe.each([
  ['saml', () => idp],
  ['boxy-saml', () => boxyIdp],
])('a visitor who comes by the provider %s', (thirdPartyId, provider) => {
  test('signs up at the first visit and in at the next one', async () => {
    const email = `${thirdPartyId}@example.com`;
    const first = await enter(thirdPartyId, provider(), 'user-1', email);
    expect(first.body, JSON.stringify(first.body)).toMatchObject({
      status: 'OK',
      createdNewRecipeUser: true,
      user: { emails: [email], thirdParty: [{ id: thirdPartyId, userId: 'user-1' }] },
    });
    const { id } = first.body['user'] as { readonly id: string };
    expect((await first.front.get('/me')).body).toMatchObject({ userId: id });
    const again = await enter(thirdPartyId, provider(), 'user-1', email);
    expect(again.body).toMatchObject({ status: 'OK', createdNewRecipeUser: false, user: { id } });
  });

  test('with an answer of somebody else is not let in', async () => {
    const { to } = await begin(thirdPartyId, new FrontEnd(app.url, 'header'));
    const forged = answerTo({ ...(await makeIdp()), entityId: provider().entityId }, to);
    await expect(follow(atApp(to.acsUrl), { SAMLResponse: forged, RelayState: to.relayState })).rejects.toThrow(
      'SAML_RESPONSE_VERIFICATION_FAILED_ERROR',
    );
  });
});

describe('the back end', () => {
  const acsURL = 'http://127.0.0.1:3001/acs';

  test('begins, checks and redeems a login', async () => {
    const begun = await Saml.createLoginRequest({ tenantId: TENANT, clientId: 'sdk', redirectURI: REDIRECT, state: 'a state', acsURL });
    if (begun.status !== 'OK') throw new Error(begun.status);
    const to = readLogin(begun.redirectURI);
    const checked = await Saml.verifySAMLResponse({ tenantId: TENANT, samlResponse: answerTo(idp, to), relayState: to.relayState });
    if (checked.status !== 'OK') throw new Error(checked.status);
    const { searchParams } = new URL(checked.redirectURI);
    expect(searchParams.get('state')).toBe('a state');
    const accessToken = searchParams.get('code') ?? '';
    const info = await Saml.getUserInfo({ tenantId: TENANT, accessToken, clientId: 'sdk' });
    expect(info).toMatchObject({ status: 'OK', sub: expect.any(String), claims: { NameID: [expect.any(String)] } });
    expect(await Saml.getUserInfo({ tenantId: TENANT, accessToken, clientId: 'sdk' })).toEqual({ status: 'INVALID_TOKEN_ERROR' });
  });

  test('reads the statuses of what is refused', async () => {
    const login = { tenantId: TENANT, clientId: 'nobody', redirectURI: REDIRECT, acsURL };
    expect(await Saml.createLoginRequest(login)).toEqual({ status: 'INVALID_CLIENT_ERROR' });
    const check = (relayState?: string) => Saml.verifySAMLResponse({ tenantId: TENANT, samlResponse: postedResponse(idp), relayState });
    expect(await check()).toEqual({ status: 'IDP_LOGIN_DISALLOWED_ERROR' });
    expect(await check('unknown')).toEqual({ status: 'INVALID_RELAY_STATE_ERROR' });
  });

  test('lists and removes clients', async () => {
    await connect('short-lived', { ...idp, entityId: 'https://short-lived.example.com/' });
    const ids = async () => (await Saml.listClients({ tenantId: TENANT })).clients.map(({ clientId }) => clientId);
    expect(await ids()).toEqual(['sdk', 'boxy', 'short-lived']);
    const remove = () => Saml.removeClient({ tenantId: TENANT, clientId: 'short-lived' });
    expect(await remove()).toEqual({ status: 'OK', didExist: true });
    expect(await remove()).toEqual({ status: 'OK', didExist: false });
    expect(await ids()).toEqual(['sdk', 'boxy']);
  });
});
