import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, type TestIdp } from '../../saml-idp/idp.ts';
import { postedResponse } from '../../saml-idp/response.ts';
import { answerTo, APP, readLogin, SamlCalls } from './calls.ts';

const LEGACY = '/recipe/saml/legacy';
const ACS_URL = 'https://proxy.example.com/api/oauth/saml';
const KEY = 'a-key-of-twenty-characters';
const FORBIDDEN = 'Only public tenantId can call this app specific API\n';

let idp: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4', ['--saml-legacy-acs-url', ACS_URL]));
  await calls.connect(idp, { clientSecret: 'the-secret' });
});

const authorize = (query: Readonly<Record<string, string>>, at = '') =>
  calls.at('GET', `${LEGACY}/authorize?${new URLSearchParams(query).toString()}`, undefined, { at });
const form = (path: string, fields: object, at = '') => calls.at('POST', `${LEGACY}${path}`, fields, { isForm: true, at });
const info = (authorization?: string, at = '') =>
  calls.at('GET', `${LEGACY}/userinfo`, undefined, { at, ...(authorization !== undefined && { authorization }) });
const refused = async (answer: Promise<{ status: number; body: object }>) => {
  const { status, body } = await answer;
  return [status, (body as { text?: string }).text?.trimEnd()];
};

const ASKED = { client_id: 'c', redirect_uri: APP, state: 's', response_type: 'code', scope: 'openid' };

/** A login through the legacy endpoints; answers the code. */
async function codeOf(): Promise<string> {
  const to = readLogin((await authorize(ASKED)).location ?? '');
  const { location } = await form('/callback', { SAMLResponse: answerTo(idp, to), RelayState: to.relayState });
  return new URL(location ?? '').searchParams.get('code') ?? '';
}

test('from authorize to userinfo', async () => {
  const sent = await authorize(ASKED);
  expect([sent.status, sent.body]).toEqual([307, { text: '' }]);
  const to = readLogin(sent.location ?? '');
  expect(to.acsUrl).toBe(ACS_URL);

  const back = await form('/callback', {
    SAMLResponse: answerTo(idp, to, { attributes: [{ name: 'mail', values: ['j@example.com'] }] }),
    RelayState: to.relayState,
  });
  expect([back.status, back.body]).toEqual([302, { text: '' }]);
  expect(back.location).toMatch(/^https:\/\/app\.example\.com\/callback\?code=[0-9a-f-]{36}&state=s$/);
  const code = new URL(back.location ?? '').searchParams.get('code') ?? '';

  const token = await form('/token', { client_id: 'c', client_secret: 'the-secret', code, grant_type: 'authorization_code' });
  expect(token.body).toEqual({ status: 'OK', access_token: `${code}.c` });
  const { body } = await info(`Bearer ${code}.c`);
  expect(body).toMatchObject({ claims: { mail: ['j@example.com'] }, email: 'j@example.com', aud: 'c' });
  expect(Object.keys(body).toSorted()).toEqual(['aud', 'claims', 'email', 'id']);
  expect(await refused(info(`Bearer ${code}.c`))).toEqual([400, 'INVALID_TOKEN_ERROR']);
});

describe('authorize', () => {
  test('is refused for its parameters, then for its configuration, then for its tenant', async () => {
    const bare = new SamlCalls(await openInProcessCore('5.4'));
    await bare.addTenant('t1');
    const ask = (query: string, at = '') => refused(bare.at('GET', `${LEGACY}/authorize?${query}`, undefined, { at }));
    expect(await ask('redirect_uri=x', '/t1')).toEqual([400, "Field name 'client_id' is missing in GET request"]);
    expect(await ask('client_id=x', '/t1')).toEqual([400, "Field name 'redirect_uri' is missing in GET request"]);
    expect(await ask('client_id=x&redirect_uri=y', '/nowhere')).toEqual([400, expect.stringContaining('nowhere')]);
    expect(await ask('client_id=x&redirect_uri=y', '/t1')).toEqual([500, 'Legacy ACS URL not configured']);
    await calls.addTenant('t1');
    expect(await refused(authorize(ASKED, '/t1'))).toEqual([403, FORBIDDEN.trimEnd()]);
  });

  test('answers an unknown client, or a redirect URI that is not registered, without a redirect', async () => {
    for (const wrong of [{ client_id: 'd' }, { client_id: ' ' }, { redirect_uri: `${APP}/` }]) {
      const answer = await authorize({ ...ASKED, ...wrong });
      expect(answer).toEqual({ status: 200, body: { status: 'INVALID_CLIENT_ERROR' } });
    }
  });

  test('takes no POST', async () => {
    expect((await calls.core.call('POST', `${LEGACY}/authorize`, {})).status).toBe(405);
    expect((await calls.core.call('GET', `${LEGACY}/callback`)).status).toBe(405);
    expect((await calls.core.call('GET', `${LEGACY}/token`)).status).toBe(405);
    expect((await calls.core.call('POST', `${LEGACY}/userinfo`, {})).status).toBe(405);
  });
});

describe('callback', () => {
  test('says in words why there is no way on', async () => {
    const to = readLogin((await authorize(ASKED)).location ?? '');
    const missing = [400, 'Missing form field: SAMLResponse'];
    expect(await refused(form('/callback', {}))).toEqual(missing);
    expect(await refused(form('/callback', { SAMLResponse: ' ' }))).toEqual(missing);
    expect(await refused(form('/callback', { SAMLResponse: 'x', RelayState: 'x' }))).toEqual([
      400,
      'Invalid or malformed SAML response input',
    ]);
    expect(await refused(form('/callback', { SAMLResponse: base64Of('<a/>') }))).toEqual([400, 'Invalid or malformed SAML response input']);
    expect(await refused(form('/callback', { SAMLResponse: postedResponse(idp), RelayState: 'x' }))).toEqual([
      400,
      'INVALID_RELAY_STATE_ERROR',
    ]);
    expect(await refused(form('/callback', { SAMLResponse: postedResponse(idp) }))).toEqual([400, 'IDP_LOGIN_DISALLOWED_ERROR']);
    expect(await refused(form('/callback', { SAMLResponse: postedResponse(idp, { issuer: 'x' }) }))).toEqual([400, 'INVALID_CLIENT_ERROR']);
    const unsigned = answerTo(idp, to, { sign: 'none' });
    expect(await refused(form('/callback', { SAMLResponse: unsigned, RelayState: to.relayState }))).toEqual([
      400,
      'SAML_RESPONSE_VERIFICATION_FAILED_ERROR',
    ]);
    await calls.addTenant('t1');
    expect(await refused(form('/callback', { SAMLResponse: 'x' }, '/t1'))).toEqual([403, FORBIDDEN.trimEnd()]);
    expect(await refused(form('/callback', {}, '/t1'))).toEqual(missing);
  });

  test('reads either spelling of its fields, from form and query, the query first', async () => {
    const to = readLogin((await authorize(ASKED)).location ?? '');
    const fields = { samlResponse: answerTo(idp, to), relayState: 'wrong' };
    const { status } = await form(`/callback?relayState=${to.relayState}`, fields);
    expect(status).toBe(302);
    const again = readLogin((await authorize(ASKED)).location ?? '');
    // As in the reference, a field that is there counts, even a blank one.
    const fieldsOf = { samlResponse: answerTo(idp, again), relayState: again.relayState };
    expect((await form('/callback', { SAMLResponse: '', ...fieldsOf })).body).toEqual({ text: 'Missing form field: SAMLResponse\n' });
    expect((await form('/callback', { RelayState: '', ...fieldsOf })).body).toEqual({ text: 'IDP_LOGIN_DISALLOWED_ERROR\n' });
    expect((await form('/callback', fieldsOf)).status).toBe(302);
  });

  test('percent-encodes what a header cannot hold', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const { location } = await form('/callback', { SAMLResponse: postedResponse(idp) });
    expect(location).toMatch(/^[!-~]+$/);
  });
});

describe('token', () => {
  const whole = { client_id: 'c', client_secret: 'the-secret', code: 'x' };

  test('is refused for its fields, in their order', async () => {
    for (const field of ['client_id', 'client_secret', 'code'] as const) {
      const { [field]: _, ...rest } = whole;
      const missing = [400, `Missing form field: ${field}`];
      expect(await refused(form('/token', rest))).toEqual(missing);
      expect(await refused(form('/token', { ...whole, [field]: ' \t' }))).toEqual(missing);
    }
    expect(await refused(form('/token', {}))).toEqual([400, 'Missing form field: client_id']);
  });

  test('needs a client of the public tenant and its secret', async () => {
    await calls.addTenant('t1');
    await calls.connect({ ...idp, entityId: 'https://2.example.com/' }, { clientId: 'open' });
    expect(await refused(form('/token', { ...whole, client_id: 'd' }))).toEqual([400, 'Invalid client_id']);
    expect(await refused(form('/token', { ...whole, client_secret: 'the-secret2' }))).toEqual([400, 'Invalid client_secret']);
    expect(await refused(form('/token', { ...whole, client_id: 'open' }))).toEqual([400, 'Invalid client_secret']);
    expect(await refused(form('/token', whole, '/t1'))).toEqual([403, FORBIDDEN.trimEnd()]);
  });
});

describe('userinfo', () => {
  test('is refused without a token of its own', async () => {
    const missing = [400, 'Authorization header is required'];
    for (const header of [undefined, '', 'Basic eDp5', 'bearer x.c', 'Bearer']) expect(await refused(info(header))).toEqual(missing);
    for (const token of ['', 'x', 'x.', '.c', '.', 'x.c', `${await codeOf()}`]) {
      expect(await refused(info(`Bearer ${token}`))).toEqual([400, 'INVALID_TOKEN_ERROR']);
    }
    await calls.addTenant('t1');
    expect(await refused(info('Bearer x.c', '/t1'))).toEqual([403, FORBIDDEN.trimEnd()]);
    for (const at of ['/t1', '/nowhere']) {
      expect(await refused(info(undefined, at))).toEqual(missing);
      expect(await refused(info('Bearer x.', at))).toEqual([400, 'INVALID_TOKEN_ERROR']);
    }
  });

  test('of half a token uses nothing up', async () => {
    const code = await codeOf();
    for (const half of [code, `${code}.`]) expect(await refused(info(`Bearer ${half}`))).toEqual([400, 'INVALID_TOKEN_ERROR']);
    expect((await info(`Bearer ${code}.c`)).status).toBe(200);
  });

  test('uses the code up where the client is another', async () => {
    const code = await codeOf();
    expect(await refused(info(`Bearer ${code}.d`))).toEqual([400, 'INVALID_TOKEN_ERROR']);
    expect(await refused(info(`Bearer ${code}.c`))).toEqual([400, 'INVALID_TOKEN_ERROR']);
  });

  test('serves clients whose id has dots', async () => {
    await calls.connect({ ...idp, entityId: 'https://2.example.com/' }, { clientId: 'a.b.c' });
    const to = readLogin((await authorize({ ...ASKED, client_id: 'a.b.c' })).location ?? '');
    const response = answerTo({ ...idp, entityId: 'https://2.example.com/' }, to);
    const { location } = await form('/callback', { SAMLResponse: response, RelayState: to.relayState });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    expect((await info(`Bearer ${code}.a.b.c`)).body).toMatchObject({ aud: 'a.b.c' });
  });
});

test('authorize and callback need an API key, token and userinfo do not', async () => {
  const locked = new SamlCalls(await openInProcessCore('5.4', { API_KEYS: KEY, SAML_LEGACY_ACS_URL: ACS_URL }));
  const authorization = `Bearer ${KEY}`;
  const of = async (method: string, path: string, options: object = {}) =>
    (await locked.core.call(method, LEGACY + path, undefined, options)).status;
  expect(await of('GET', '/authorize')).toBe(401);
  expect(await of('GET', '/authorize', { authorization })).toBe(400);
  expect(await of('POST', '/callback')).toBe(401);
  expect(await of('POST', '/token')).toBe(400);
  expect(await of('GET', '/userinfo')).toBe(400);
  const { status, body } = await locked.core.call('GET', `${LEGACY}/userinfo`, undefined, { authorization: 'Bearer wrong.c' });
  expect([status, body['text']]).toEqual([400, 'INVALID_TOKEN_ERROR\n']);
});
