import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { ACS, answerTo, APP, codeIn, readLogin } from '../recipes/saml/calls.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../saml-idp/idp.ts';
import { postedResponse } from '../saml-idp/response.ts';

const SAML = '/recipe/saml';
const AT_ONCE = 16;

interface Answer {
  readonly status: string;
  readonly redirectURI?: string;
  readonly ssoRedirectURI?: string;
}

let core: RunningCore;
let client: CdiClient;
let idp: TestIdp;
beforeAll(async () => {
  [core, idp] = await Promise.all([startCore(), makeIdp()]);
  client = cdiClient(core.url);
  const uris = { redirectURIs: [APP], defaultRedirectURI: APP };
  const body = {
    clientId: 'c',
    ...uris,
    metadataXML: base64Of(metadataOf(idp)),
    allowIDPInitiatedLogin: true,
    enableRequestSigning: false,
  };
  expect((await client.put<Answer>(`${SAML}/clients`, body)).body.status).toBe('OK');
});
afterAll(async () => {
  await core?.stop();
});

const asked = async () => {
  const { body } = await client.post<Answer>(`${SAML}/login`, { clientId: 'c', redirectURI: APP, acsURL: ACS });
  return readLogin(body.ssoRedirectURI ?? '');
};
const many = <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, call));
const statuses = (replies: readonly { readonly body: Answer }[]) => replies.map(({ body }) => body.status).toSorted();
const oneOk = (others: string) => [...Array.from({ length: AT_ONCE - 1 }, () => others), 'OK'].toSorted();

describe('SAML races over several threads', () => {
  test('of many answers to one login one is taken', async () => {
    const to = await asked();
    const replies = await many(() =>
      client.post<Answer>(`${SAML}/callback`, { samlResponse: answerTo(idp, to), relayState: to.relayState }),
    );
    expect(statuses(replies)).toEqual(oneOk('INVALID_RELAY_STATE_ERROR'));
  });

  test('an assertion that is sent many times is taken once', async () => {
    const samlResponse = postedResponse(idp);
    const replies = await many(() => client.post<Answer>(`${SAML}/callback`, { samlResponse }));
    expect(statuses(replies)).toEqual(oneOk('SAML_RESPONSE_VERIFICATION_FAILED_ERROR'));
  });

  test('a code that is redeemed many times tells once who it is', async () => {
    const { body } = await client.post(`${SAML}/callback`, { samlResponse: postedResponse(idp) });
    const accessToken = codeIn(body);
    const replies = await many(() => client.post<Answer>(`${SAML}/user`, { accessToken, clientId: 'c' }));
    expect(statuses(replies)).toEqual(oneOk('INVALID_TOKEN_ERROR'));
  });

  test('a tenant gets one key, however many ask for its metadata before there is one', async () => {
    await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 'fresh' });
    const replies = await many(() => client.get('/.well-known/sp-metadata', undefined, { tenant: 'fresh' }));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies[0]?.text).toContain('<ds:X509Certificate>');
    expect(replies[0]?.headers.get('content-type')?.toLowerCase()).toBe('text/xml; charset=utf-8');
  });
});
