import { beforeEach, describe, expect, test } from 'vitest';
import { samlClients } from '../../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { APP, SamlCalls } from './calls.ts';

const METADATA_TEXT = 'metadataXML does not have a valid SAML metadata\n';
const invalid = (field: string) => `Field name '${field}' is invalid in JSON input\n`;

let idp: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4'));
});

const list = async (at?: string) =>
  (await calls.at('GET', '/recipe/saml/clients/list', undefined, at === undefined ? {} : { at })).body['clients'] as object[];
const refusal = async (more: object) => {
  const { status, body } = await calls.put(idp, more);
  return [status, body['text']];
};

describe('writing a client', () => {
  test('shows what was found in the metadata, and no secret where there is none', async () => {
    expect(await calls.connect(idp)).toEqual({
      status: 'OK',
      clientId: 'c',
      defaultRedirectURI: APP,
      redirectURIs: [APP],
      idpEntityId: idp.entityId,
      idpSigningCertificate: idp.certificate,
      allowIDPInitiatedLogin: false,
      enableRequestSigning: false,
    });
  });

  test('gives an id and the defaults', async () => {
    const made = await calls.connect(idp, { clientId: undefined, enableRequestSigning: undefined, clientSecret: '' });
    expect(made['clientId']).toMatch(/^st_saml_[0-9a-f-]{36}$/);
    expect(made).toMatchObject({ enableRequestSigning: true, allowIDPInitiatedLogin: false, clientSecret: '' });
  });

  test('again replaces all of it but its place in the list', async () => {
    const other = await makeIdp('https://other.example.com/');
    await calls.connect(idp, { clientSecret: 'a', allowIDPInitiatedLogin: true });
    calls.core.clock.now += 1000;
    await calls.connect(other, { clientId: 'd' });
    calls.core.clock.now += 1000;
    const uris = [`${APP}/2`, APP];
    const again = await calls.connect(idp, { redirectURIs: uris, enableRequestSigning: undefined });
    expect(again).toMatchObject({ allowIDPInitiatedLogin: false, enableRequestSigning: true, redirectURIs: uris });
    expect(again).not.toHaveProperty('clientSecret');
    expect(await list()).toMatchObject([{ clientId: 'c', redirectURIs: uris }, { clientId: 'd' }]);
  });

  test('of an identity provider that another client of the tenant has is refused, and changes nothing', async () => {
    const other = { ...idp, entityId: 'https://other.example.com/' };
    await calls.connect(idp);
    await calls.connect(other, { clientId: 'd' });
    expect((await calls.put(idp, { clientId: 'd', clientSecret: 'x' })).body).toEqual({ status: 'DUPLICATE_IDP_ENTITY_ERROR' });
    expect((await calls.put(idp, { clientId: 'e' })).body).toEqual({ status: 'DUPLICATE_IDP_ENTITY_ERROR' });
    expect((await list())[1]).not.toHaveProperty('clientSecret');
    await calls.connect({ ...idp, entityId: 'https://third.example.com/' });
    await calls.connect(idp, { clientId: 'd' });
    await calls.connect(other, { clientId: 'e' });
  });

  test('of one identity provider many times at once makes one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => calls.put(idp, { clientId: `c${at}` })));
    expect(answers.filter(({ body }) => body['status'] === 'OK')).toHaveLength(1);
    expect(await list()).toHaveLength(1);
  });

  test('works under the name that the specification gives it', async () => {
    const body = { redirectURIs: [APP], defaultRedirectURI: APP, metadataXML: base64Of(metadataOf(idp)), clientId: 'c' };
    expect((await calls.at('POST', '/recipe/saml/client', body)).body).toMatchObject({ status: 'OK', clientId: 'c' });
    expect((await calls.at('GET', '/recipe/saml/clients')).body['clients']).toHaveLength(1);
    expect((await calls.at('POST', '/recipe/saml/client/remove', { clientId: 'c' })).body).toEqual({ status: 'OK', didExist: true });
  });
});

describe('a client is refused', () => {
  test('for its fields, in their order', async () => {
    const fields = [
      'clientId',
      'clientSecret',
      'defaultRedirectURI',
      'redirectURIs',
      'metadataXML',
      'allowIDPInitiatedLogin',
      'enableRequestSigning',
    ];
    for (const field of fields) {
      expect(await refusal({ [field]: null })).toEqual([400, invalid(field)]);
      expect(await refusal({ [field]: 1 })).toEqual([400, invalid(field)]);
    }
    for (const field of ['defaultRedirectURI', 'redirectURIs', 'metadataXML']) {
      expect(await refusal({ [field]: undefined })).toEqual([400, invalid(field)]);
    }
    expect(await refusal({ redirectURIs: [APP, 1], metadataXML: 1 })).toEqual([400, invalid('redirectURIs')]);
    expect(await refusal({ redirectURIs: [], metadataXML: '#' })).toEqual([400, 'redirectURIs is required in the input\n']);
  });

  test('for lengths that nobody needs', async () => {
    const long = `https://a.example.com/${'x'.repeat(8192)}`;
    expect(await refusal({ clientId: 'x'.repeat(257) })).toEqual([400, invalid('clientId')]);
    expect(await refusal({ defaultRedirectURI: long })).toEqual([400, invalid('defaultRedirectURI')]);
    expect(await refusal({ redirectURIs: [long] })).toEqual([400, invalid('redirectURIs')]);
    expect(await refusal({ redirectURIs: Array.from({ length: 1001 }, () => APP) })).toEqual([400, invalid('redirectURIs')]);
  });

  test('for redirect URIs that no browser may be sent to', async () => {
    expect(await refusal({ defaultRedirectURI: 'http://app.example.com/' })).toEqual([400, invalid('defaultRedirectURI')]);
    expect(await refusal({ redirectURIs: [APP, 'javascript:alert(1)'] })).toEqual([400, invalid('redirectURIs')]);
    expect(await refusal({ redirectURIs: ['myapp://callback'] })).toEqual([400, invalid('redirectURIs')]);
    await calls.connect(idp, { redirectURIs: ['http://localhost:3000/cb', 'http://127.0.0.1/'] });
  });

  test('unless the option admits the schemes of applications', async () => {
    calls = new SamlCalls(await openInProcessCore('5.4', ['--saml-allow-custom-redirect-schemes', 'true']));
    await calls.connect(idp, { redirectURIs: ['myapp://callback'], defaultRedirectURI: 'com.example:/cb' });
    expect(await refusal({ redirectURIs: ['javascript:alert(1)'] })).toEqual([400, invalid('redirectURIs')]);
  });

  test.each([
    ['nothing', ''],
    ['XML without base64', metadataOf({ entityId: 'e', privateKey: '', certificate: '' })],
    ['base64 in lines', 'PGEv\nPg=='],
    ['the URL alphabet', '__--'],
    ['wrong padding', 'PGEvPg='],
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0xff, 0x3e]).toString('base64')],
    ['no XML', base64Of('hello')],
    ['another document', base64Of('<a/>')],
  ])('for metadata that is %s', async (_, metadataXML) => {
    expect(await refusal({ metadataXML })).toEqual([400, METADATA_TEXT]);
    expect(await list()).toEqual([]);
  });

  test('for a tenant that is not there', async () => {
    const { status, body } = await calls.put(idp, {}, { at: '/nowhere' });
    expect([status, body['text']]).toEqual([400, expect.stringContaining('nowhere')]);
    // What is no base64 at all is refused with the fields, before the tenant is looked for.
    expect((await calls.put(idp, { metadataXML: '#' }, { at: '/nowhere' })).body).toEqual({ text: METADATA_TEXT });
  });
});

describe('clients', () => {
  test('may have metadata with a byte order mark and without padding', async () => {
    const metadataXML = base64Of(`\ufeff${metadataOf(idp)}`).replace(/=+$/, '');
    expect(await calls.connect(idp, { metadataXML })).toMatchObject({ idpEntityId: idp.entityId });
  });

  test('are listed oldest first, over several pages with many of one moment', async () => {
    await calls.connect(idp);
    const { store } = calls.core.services;
    const [first] = await store.read((reader) => reader.list(samlClients, undefined, { prefix: [], limit: 1 }));
    if (!first) throw new Error('the client was not kept');
    const records = Array.from({ length: 1100 }, (_, at) => ({
      ...first,
      clientId: `c${at}`,
      idpEntityId: `https://${at}.example.com/`,
      createdAt: first.createdAt - (at % 3),
    }));
    await store.transact(async (tx) => {
      for (const record of records) await tx.put(samlClients, record);
    });
    const listed = ((await list()) as { readonly clientId: string }[]).map(({ clientId }) => clientId);
    expect(new Set(listed).size).toBe(1101);
    const times = new Map<string, number>([first, ...records].map(({ clientId, createdAt }) => [clientId, createdAt]));
    expect(listed.map((id) => times.get(id))).toEqual([...times.values()].toSorted((a, b) => a - b));
  });

  test('belong to one tenant', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp, {}, { at: '/t1' });
    expect(await list()).toEqual([]);
    await calls.connect(idp, { clientSecret: 'public' });
    expect(await list('/t1')).toHaveLength(1);
    expect((await list('/t1'))[0]).not.toHaveProperty('clientSecret');
    const remove = (at: string) => calls.at('POST', '/recipe/saml/clients/remove', { clientId: 'c' }, { at });
    expect((await remove('/t1')).body).toEqual({ status: 'OK', didExist: true });
    expect((await remove('/t1')).body).toEqual({ status: 'OK', didExist: false });
    expect(await list()).toHaveLength(1);
    expect((await calls.at('POST', '/recipe/saml/clients/remove', {})).body['text']).toBe(invalid('clientId'));
  });

  test('are counted by tenant in the usage statistics', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp, {}, { at: '/t1' });
    await calls.connect({ ...idp, entityId: 'https://2.example.com/' }, { clientId: 'd' }, { at: '/t1' });
    const { body } = await calls.core.call('GET', '/ee/featureflag');
    expect(body['usageStats']).toMatchObject({
      saml: {
        connectionUriDomain: '',
        appId: 'public',
        tenants: [
          { tenantId: 'public', public: { numberOfSAMLClients: 0 } },
          { tenantId: 't1', t1: { numberOfSAMLClients: 2 } },
        ],
      },
    });
  });
});
