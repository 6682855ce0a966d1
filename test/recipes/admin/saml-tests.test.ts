import { expect, test } from 'vitest';
import { KEY } from '../../cli/places.ts';
import type { RunningCore } from '../../running-core.ts';
import { base64Of, makeIdp, metadataOf } from '../../saml-idp/idp.ts';
import { withCore } from '../../with-core.ts';
import { ACS, answerTo, APP, readLogin } from '../saml/calls.ts';
import { addOperator, Browser, send } from './browser.ts';

let core: RunningCore;
const TEST = '/manage/v1/saml/test';
const byKey = { 'api-key': KEY };

withCore({ env: { API_KEYS: KEY } }, async (started) => {
  core = started;
  for (const role of ['viewer', 'support', 'admin']) await addOperator(core.port, KEY, `${role}@example.com`, role);
});

async function signedIn(role: string): Promise<Browser> {
  const browser = new Browser(core.port);
  await browser.signIn(`${role}@example.com`);
  return browser;
}

test('a test that an operator began ends at the page of that operator, wherever the back end is', async () => {
  const idp = await makeIdp();
  const metadataXML = base64Of(metadataOf(idp));
  const client = { clientId: 'c', redirectURIs: [APP], defaultRedirectURI: APP, metadataXML };
  expect((await send(core.port, 'PUT', '/recipe/saml/clients', byKey, client)).body['status']).toBe('OK');
  const admin = await signedIn('admin');
  for (const other of [{}, { 'x-forwarded-host': 'evil.example.com', referer: 'https://evil.example.com/' }]) {
    const { body } = await admin.ask('POST', TEST, { clientId: 'c', acsURL: ACS, returnTo: 'https://evil.example.com' }, other);
    const to = readLogin(String(body['url']));
    const posted = { samlResponse: answerTo(idp, to), relayState: to.relayState };
    const finished = await send(core.port, 'POST', '/recipe/saml/callback', byKey, posted);
    const testId = String(body['testId']);
    const page = `http://localhost:${core.port}/admin/#/saml/c?domain=&app=public&tenant=public&test=${testId}`;
    expect(finished.body).toEqual({ status: 'OK', redirectURI: page });
    expect((await admin.ask('GET', `${TEST}?testId=${testId}`)).body).toMatchObject({ test: { state: 'accepted' } });
  }
  const elsewhere = { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' };
  expect((await admin.ask('POST', TEST, { clientId: 'c', acsURL: ACS }, elsewhere)).status).toBe(403);
  expect((await admin.ask('POST', TEST, { clientId: 'c', acsURL: ACS }, { 'x-csrf-token': '' })).status).toBe(403);
});

test.each(['viewer', 'support'])('a %s sees the clients, and neither begins a test nor reads one', async (role) => {
  const browser = await signedIn(role);
  expect((await browser.ask('GET', '/manage/v1/saml/clients')).status).toBe(200);
  expect((await browser.ask('GET', '/manage/v1/saml/metadata')).status).toBe(200);
  const refused = { status: 403, text: "Your role does not include this: it needs the scope 'tenants'" };
  expect(await browser.ask('POST', TEST, { clientId: 'c', acsURL: ACS })).toMatchObject(refused);
  expect(await browser.ask('GET', `${TEST}?testId=x`)).toMatchObject(refused);
  expect(await browser.ask('POST', `${TEST}/response`, { clientId: 'c', samlResponse: '' })).toMatchObject(refused);
  expect(await browser.ask('GET', '/recipe/saml/clients/list')).toMatchObject(refused);
});
