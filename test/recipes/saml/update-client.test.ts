import { beforeEach, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { APP, SamlCalls } from './calls.ts';

let idp: TestIdp;
let other: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  other ??= await makeIdp('https://other.example.com/');
  calls = new SamlCalls(await openInProcessCore('5.4'));
  await calls.connect(idp, { clientSecret: 'stays' });
});

const update = (changes: object, at = '') => calls.at('POST', '/manage/v1/saml/clients/update', { clientId: 'c', ...changes }, { at });
const shown = async () => (await calls.at('GET', '/recipe/saml/clients/list')).body['clients'];

test('changes what is named, and leaves the rest, the secret too', async () => {
  const before = (await shown()) as readonly [object];
  expect((await update({ allowIDPInitiatedLogin: true })).body).toMatchObject({ status: 'OK', client: { allowIDPInitiatedLogin: true } });
  expect(await shown()).toEqual([{ ...before[0], allowIDPInitiatedLogin: true }]);
  const metadataXML = base64Of(metadataOf(other));
  const redirectURIs = [APP, `${APP}2`];
  await update({ metadataXML, redirectURIs, defaultRedirectURI: `${APP}2`, allowIDPInitiatedLogin: false, enableRequestSigning: true });
  expect(await shown()).toMatchObject([
    {
      clientSecret: 'stays',
      idpEntityId: other.entityId,
      idpSigningCertificate: other.certificate,
      redirectURIs,
      defaultRedirectURI: `${APP}2`,
      enableRequestSigning: true,
    },
  ]);
  expect((await calls.asked({ redirectURI: `${APP}2` })).ssoUrl).toBe('https://idp.example.com/sso');
});

test('of two who change what both have seen, the second is told', async () => {
  const { body } = await calls.at('GET', '/manage/v1/saml/clients?clientId=c');
  const [{ updatedAt }] = body['clients'] as readonly [{ readonly updatedAt: number }];
  const answers = await Promise.all([true, false].map((enableRequestSigning) => update({ enableRequestSigning, updatedAt })));
  expect(answers.map((answer) => answer.body['status']).toSorted()).toEqual(['CLIENT_CHANGED_ERROR', 'OK']);
});

test('refuses what a new client may not have', async () => {
  await calls.connect(other, { clientId: 'd' });
  expect((await update({ metadataXML: base64Of(metadataOf(other)) })).body).toEqual({ status: 'DUPLICATE_IDP_ENTITY_ERROR' });
  expect((await update({ clientId: 'x' })).body).toEqual({ status: 'UNKNOWN_CLIENT_ERROR' });
  const wrong: readonly object[] = [
    { redirectURIs: ['javascript:alert(1)'] },
    { redirectURIs: [] },
    { defaultRedirectURI: 'http://app.example.com/' },
    { metadataXML: base64Of('<a/>') },
    { metadataXML: '%' },
  ];
  const before = await shown();
  for (const changes of wrong) expect((await update(changes)).status, JSON.stringify(changes)).toBe(400);
  expect(await shown()).toEqual(before);
  await calls.addTenant('t1');
  expect((await update({ enableRequestSigning: true }, '/t1')).body).toEqual({ status: 'UNKNOWN_CLIENT_ERROR' });
  expect((await calls.at('GET', '/manage/v1/saml/clients?clientId=x')).body).toEqual({ status: 'OK', clients: [] });
});
