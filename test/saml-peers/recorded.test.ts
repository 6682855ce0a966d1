import { verify, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { samlClients, samlEncryptionCredentials } from '../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../in-process-core.ts';
import { APP, codeIn, readLogin, SamlCalls } from '../recipes/saml/calls.ts';
import { base64Of } from '../saml-idp/idp.ts';
import { alteredDocuments } from './altered.ts';
import { type PeerShape, shapeNamed, signedByShape, signedElements, userOfShape } from './shapes.ts';
import { appNumber, tenantNumber } from '../numbers.ts';

/** How identity providers on other stacks answered a login of ours, once; `generate/README.md` says how that was written down. */
const RECORDED = join(import.meta.dirname, 'recorded');

/** The login that was answered. */
interface Recording {
  readonly recordedAt: string;
  /** Without the underscore that begins an AuthnRequest's ID. */
  readonly requestId: string;
  readonly relayState: string;
  readonly acsUrl: string;
}

const read = (stack: string, name: string): string => readFileSync(join(RECORDED, stack, name), 'utf8');
const shapesOf = (stack: string): readonly string[] =>
  readdirSync(join(RECORDED, stack)).flatMap((name) => (/^[A-Z].*\.xml$/.test(name) ? [name.replace('.xml', '')] : []));
const DOCUMENTS = readdirSync(RECORDED).flatMap((stack) => shapesOf(stack).map((shape) => [stack, shape] as const));

/** A core whose clock stands at a recording, and which has its identity provider as client and the key for which that encrypted. */
async function openCore(stack: string, client: object = {}): Promise<{ calls: SamlCalls; recording: Recording }> {
  const recording: Recording = JSON.parse(read(stack, 'recording.json'));
  const core = await openInProcessCore('5.4', ['--saml-allow-cbc', 'true']);
  core.clock.now = Date.parse(recording.recordedAt);
  const calls = new SamlCalls(core);
  const body = {
    clientId: 'c',
    redirectURIs: [APP],
    defaultRedirectURI: APP,
    metadataXML: base64Of(read(stack, 'metadata.xml')),
    ...client,
  };
  expect((await calls.at('PUT', '/recipe/saml/clients', body)).body).toMatchObject({ status: 'OK' });
  await core.services.store.transact(async (tx) => {
    const [{ app, tenant } = { app: appNumber(0), tenant: tenantNumber(0) }] = await tx.list(samlClients, undefined, {
      prefix: [],
      limit: 1,
    });
    await tx.put(samlEncryptionCredentials, { app, tenant, credentials: [JSON.parse(read(stack, 'encryption-key.json'))] });
  });
  return { calls, recording };
}

/** Begins a login with the very ids that the recorded request had. */
async function beginAgain(calls: SamlCalls, { requestId, relayState, acsUrl }: Recording): Promise<void> {
  const ids = vi.spyOn(calls.core.services, 'randomId').mockReturnValueOnce(requestId).mockReturnValueOnce(relayState);
  const { body } = await calls.begin({ acsURL: acsUrl });
  ids.mockRestore();
  expect(readLogin(String(body['ssoRedirectURI']))).toMatchObject({ requestId: `_${requestId}`, relayState, acsUrl });
}

test('there are recordings of several stacks', () => {
  expect(readdirSync(RECORDED)).toEqual(['keycloak', 'opensaml', 'pysaml2']);
});

/** Texts of a document by which it stands and falls: what it says, or where that is encrypted, the beginnings of the ciphertexts. */
function vitalTexts(xml: string, { encrypts, nameId, attributes }: PeerShape): readonly string[] {
  if (!encrypts) return [nameId, ...Object.values(attributes).flat().slice(0, 2)];
  return Array.from(xml.matchAll(/CipherValue>(\s*[A-Za-z0-9+/]{20})/g), ([, text = '']) => text);
}

test.each(readdirSync(RECORDED))('%s has verified the signature of our query with the key of our metadata', (stack) => {
  const [signed = '', signature = ''] = read(stack, 'query.txt').split('&Signature=');
  const [, certificate = ''] = /use="signing".*?<ds:X509Certificate>([^<]+)</.exec(read(stack, 'sp-metadata.xml')) ?? [];
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
  expect(signed).toMatch(/&SigAlg=http%3A%2F%2Fwww\.w3\.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256$/);
  expect(verify('sha256', Buffer.from(signed), publicKey, Buffer.from(decodeURIComponent(signature), 'base64'))).toBe(true);
});

test.each(DOCUMENTS)('%s signs in like %s', async (stack, name) => {
  const shape = shapeNamed(name);
  const xml = read(stack, `${name}.xml`);
  expect(signedElements(xml)).toEqual(signedByShape(shape));
  expect(xml.includes('EncryptedAssertion')).toBe(shape.encrypts !== undefined);
  const { calls, recording } = await openCore(stack);
  await beginAgain(calls, recording);
  const posted = base64Of(xml);
  for (const altered of alteredDocuments(posted, vitalTexts(xml, shape))) {
    const { body } = await calls.finish(altered, recording.relayState);
    expect(body).toEqual({ status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' });
  }
  const { body } = await calls.finish(posted, recording.relayState);
  expect(await calls.user(codeIn(body))).toEqual(userOfShape(shape));
});

test.each(DOCUMENTS)('%s like %s answers the login that was begun, and no other', async (stack, name) => {
  const refused = { status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' };
  const { calls, recording } = await openCore(stack, { allowIDPInitiatedLogin: true });
  const posted = base64Of(read(stack, `${name}.xml`));
  const other = await calls.asked({ acsURL: recording.acsUrl });
  expect((await calls.finish(posted, other.relayState)).body).toEqual(refused);
  expect((await calls.finish(posted)).body).toEqual(refused);
  await beginAgain(calls, recording);
  calls.core.clock.now += 6 * 60_000;
  expect((await calls.finish(posted, recording.relayState)).body).toEqual(refused);
  calls.core.clock.now -= 6 * 60_000;
  expect((await calls.finish(posted, recording.relayState)).body).toMatchObject({ status: 'OK' });
});
