import { beforeEach, describe, expect, test } from 'vitest';
import { X509Certificate } from 'node:crypto';
import { samlEncryptionCredentials } from '../../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { encryptAssertion } from '../../saml-idp/encrypt.ts';
import { base64Of, makeIdp, type TestIdp } from '../../saml-idp/idp.ts';
import { responseXml } from '../../saml-idp/response.ts';
import { signElement } from '../../saml-idp/sign.ts';
import { SamlCalls } from './calls.ts';

const DAY_MS = 86_400_000;
const FAILED = { status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' };

let idp: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4', ['--saml-publish-encryption-key', 'true']));
});

const metadata = async (at = '') => String((await calls.core.call('GET', `${at}/.well-known/sp-metadata`)).body['text']);

/** The certificates in metadata for one use. */
function certificatesFor(use: 'signing' | 'encryption', xml: string): readonly string[] {
  const descriptors = xml.matchAll(/<md:KeyDescriptor use="(\w+)">.*?<ds:X509Certificate>([^<]+)</g);
  return [...descriptors].flatMap(([, found, certificate = '']) => (found === use ? [certificate] : []));
}

const encryptionCertificate = async (at?: string) => certificatesFor('encryption', await metadata(at))[0] ?? '';

/** Answers a new login with an assertion that is encrypted for a certificate. */
async function enter(certificate: string, at = ''): Promise<object> {
  const to = await calls.asked({}, { at });
  const said = { acsUrl: to.acsUrl, inResponseTo: to.requestId, now: calls.core.clock.now, nameId: 'ada' };
  const xml = encryptAssertion(responseXml(idp, said), { certificate });
  return (await calls.finish(base64Of(xml), to.relayState, { at })).body;
}

async function keptCredentials(): Promise<readonly string[]> {
  const { store } = calls.core.services;
  const [kept] = await store.read((reader) => reader.list(samlEncryptionCredentials, undefined, { prefix: [], limit: 10 }));
  return kept?.credentials.map(({ certificate }) => certificate) ?? [];
}

describe('the encryption key of a tenant', () => {
  test('is shown by its metadata where that is wanted, and is another than the one that signs', async () => {
    await calls.addTenant('hidden', { saml_publish_encryption_key: false });
    await calls.addTenant('other');
    const [xml, hidden] = [await metadata(), await metadata('/hidden')];
    const [certificate] = certificatesFor('encryption', xml);
    expect(certificatesFor('signing', xml)).not.toContain(certificate);
    expect(certificatesFor('encryption', hidden)).toEqual([]);
    expect(await encryptionCertificate('/other')).not.toBe(certificate);
    expect(await metadata()).toBe(xml);
    expect(xml).toContain(
      '</ds:KeyInfo><md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"/>' +
        '<md:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p">',
    );
    expect(new X509Certificate(Buffer.from(certificate ?? '', 'base64')).publicKey.asymmetricKeyDetails).toMatchObject({
      modulusLength: 2048,
    });
  });

  test('is made once, however many ask for metadata', async () => {
    expect(new Set(await Promise.all(Array.from({ length: 10 }, () => encryptionCertificate()))).size).toBe(1);
    expect(await keptCredentials()).toHaveLength(1);
  });

  test('opens assertions, also when it is not shown any more', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp, {}, { at: '/t1' });
    const certificate = await encryptionCertificate('/t1');
    expect(await enter(certificate, '/t1')).toMatchObject({ status: 'OK' });
    await calls.addTenant('t1', { saml_publish_encryption_key: false });
    expect(await encryptionCertificate('/t1')).toBe('');
    expect(await enter(certificate, '/t1')).toMatchObject({ status: 'OK' });
  });

  test('of another tenant opens nothing, and neither does the one that signs; no callback makes one', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp);
    const [signing = ''] = certificatesFor('signing', await metadata());
    const other = await encryptionCertificate('/t1');
    expect(await enter(signing)).toEqual(FAILED);
    expect(await enter(other)).toEqual(FAILED);
    await calls.addTenant('t2');
    await calls.connect(idp, {}, { at: '/t2' });
    expect(await enter(other, '/t2')).toEqual(FAILED);
    const { store } = calls.core.services;
    const kept = await store.read((reader) => reader.keys(samlEncryptionCredentials, undefined, { prefix: [], limit: 10 }));
    expect(kept).toHaveLength(2);
  });

  test('gets a successor thirty days before its end: shown at once, while the old one can still be read', async () => {
    const { clock } = calls.core;
    await calls.connect(idp);
    const old = await encryptionCertificate();
    const end = Date.parse(new X509Certificate(Buffer.from(old, 'base64')).validTo);
    clock.now = end - 31 * DAY_MS;
    expect(await encryptionCertificate()).toBe(old);
    clock.now = end - 29 * DAY_MS;
    const next = await encryptionCertificate();
    expect(next).not.toBe(old);
    expect(await keptCredentials()).toEqual([old, next]);
    expect(await enter(old)).toMatchObject({ status: 'OK' });
    expect(await enter(next)).toMatchObject({ status: 'OK' });
    clock.now = end + 1000;
    expect(await enter(old)).toEqual(FAILED);
    expect(await enter(next)).toMatchObject({ status: 'OK' });
  });

  test('goes with its tenant', async () => {
    await calls.addTenant('t1');
    const certificate = await encryptionCertificate('/t1');
    await calls.core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    await calls.addTenant('t1');
    expect(await encryptionCertificate('/t1')).not.toBe(certificate);
  });
});

test('AES-CBC is read where the tenant allows it and the response is signed', async () => {
  await calls.addTenant('t1', { saml_allow_cbc: true });
  for (const [at, signs, expected] of [
    ['', 'response', FAILED],
    ['/t1', 'response', { status: 'OK' }],
    ['/t1', 'assertion', FAILED],
  ] as const) {
    await calls.connect(idp, {}, { at });
    const key = await encryptionCertificate(at);
    const to = await calls.asked({}, { at });
    const said = { acsUrl: to.acsUrl, inResponseTo: to.requestId, now: calls.core.clock.now };
    const plain = responseXml(idp, { ...said, sign: signs === 'response' ? 'none' : 'assertion' });
    const encrypted = encryptAssertion(plain, { certificate: key }, { content: '128-cbc' });
    const xml = signs === 'response' ? signElement(encrypted, 'Response', idp) : encrypted;
    expect((await calls.finish(base64Of(xml), to.relayState, { at })).body).toMatchObject(expected);
  }
});
