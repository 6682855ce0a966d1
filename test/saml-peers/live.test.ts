import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { inflateRawSync, deflateRawSync } from 'node:zlib';
import { openInProcessCore } from '../in-process-core.ts';
import { APP, codeIn, SamlCalls, SERVICE } from '../recipes/saml/calls.ts';
import { base64Of, makeIdp, type TestIdp } from '../saml-idp/idp.ts';
import { alteredDocuments } from './altered.ts';
import { ACS, type Peer, type PeerAnswer } from './peer.ts';
import { openSamlifyPeer, readBySamlify } from './samlify-peer.ts';
import { openSamlpPeer } from './samlp-peer.ts';
import { COMMON_SHAPES, type PeerShape, shapeNamed, signedByShape, signedElements, userOfShape } from './shapes.ts';

/** The libraries, with what they can sign with. */
const LIBRARIES: readonly (readonly [name: string, hashes: readonly PeerShape['hash'][], open: (idp: TestIdp) => Promise<Peer>])[] = [
  ['samlify', ['sha256', 'sha512'], async (idp) => openSamlifyPeer(idp)],
  ['samlp', ['sha256'], openSamlpPeer],
];
const FAILED = { status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' };

let idp: TestIdp;
let calls: SamlCalls;

beforeAll(async () => {
  idp = await makeIdp('https://peer.example.com/metadata?a=1&b=2');
  calls = new SamlCalls(await openInProcessCore('5.4'));
});

const spMetadata = async () => String((await calls.core.call('GET', '/.well-known/sp-metadata')).body['text']);

/** The URL of a new login at a peer. */
async function begin(peer: Peer, mustSign: boolean): Promise<string> {
  const entity = { metadataXML: base64Of(peer.metadata), enableRequestSigning: mustSign };
  expect(await calls.connect(idp, entity)).toMatchObject({ idpEntityId: idp.entityId, idpSigningCertificate: idp.certificate });
  calls.core.clock.now = Date.now();
  const { body } = await calls.begin({ acsURL: ACS });
  return String(body['ssoRedirectURI']);
}

async function visit(peer: Peer, shape: PeerShape, mustSign = true): Promise<PeerAnswer> {
  const url = await begin(peer, mustSign);
  return peer.visit(url, { metadata: await spMetadata(), mustSign }, shape);
}

async function userOf({ samlResponse, relayState }: PeerAnswer) {
  const { body } = await calls.finish(samlResponse, relayState);
  return calls.user(codeIn(body));
}

/** The URL with its request changed. */
function withRequest(url: string, change: (xml: string) => string): string {
  const changed = new URL(url);
  const xml = inflateRawSync(Buffer.from(changed.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  expect(change(xml)).not.toBe(xml);
  changed.searchParams.set('SAMLRequest', deflateRawSync(change(xml)).toString('base64'));
  return changed.href;
}

describe.each(LIBRARIES)('%s', (_name, hashes, open) => {
  let peer: Peer;

  beforeAll(async () => {
    peer = await open(idp);
  });
  afterAll(() => peer.close());

  test.each(COMMON_SHAPES.filter(([, { hash }]) => hashes.includes(hash)))('signs in like %s', async (_shape, shape) => {
    const answer = await visit(peer, shape);
    expect(signedElements(Buffer.from(answer.samlResponse, 'base64').toString())).toEqual(signedByShape(shape));
    for (const altered of alteredDocuments(answer.samlResponse, [shape.nameId, ...Object.values(shape.attributes).flat().slice(0, 2)])) {
      expect((await calls.finish(altered, answer.relayState)).body).toEqual(FAILED);
    }
    expect(await userOf(answer)).toEqual(userOfShape(shape, peer.sendsSeveralValues));
    expect((await calls.finish(answer.samlResponse, answer.relayState)).body).toEqual({ status: 'INVALID_RELAY_STATE_ERROR' });
  });

  test('answers a test login, which tells who would have signed in, and by which certificate', async () => {
    await begin(peer, true);
    const path = '/manage/v1/saml/test';
    for (const shape of [shapeNamed('Okta'), shapeNamed('Google')]) {
      const { body } = await calls.at('POST', path, { clientId: 'c', acsURL: ACS });
      const answer = await peer.visit(String(body['url']), { metadata: await spMetadata(), mustSign: true }, shape);
      expect((await calls.finish(answer.samlResponse, answer.relayState)).body['redirectURI']).not.toContain('code=');
      const { test: shown } = (await calls.at('GET', `${path}?testId=${String(body['testId'])}`)).body;
      const { sub, email } = userOfShape(shape, peer.sendsSeveralValues) as { readonly sub: string; readonly email: string | null };
      const signedBy = createHash('sha256').update(Buffer.from(idp.certificate, 'base64')).digest('hex');
      expect(shown).toMatchObject({ state: 'accepted', explanation: { user: { sub, email }, response: { signedBy, isProven: true } } });
    }
  });

  test('takes a request without signature where none is asked for, and only there', async () => {
    const shape = shapeNamed('Okta');
    expect(await userOf(await visit(peer, shape, false))).toMatchObject({ status: 'OK', sub: shape.nameId });
    const sp = { metadata: await spMetadata(), mustSign: true };
    await expect(peer.visit(await begin(peer, false), sp, shape)).rejects.toThrow(/MISSING_SIG_ALG|MUST be signed/);
  });

  test('really checks our signature', async () => {
    const shape = shapeNamed('Google');
    const sp = { metadata: await spMetadata(), mustSign: true };
    const url = await begin(peer, true);
    const forged = withRequest(url, (xml) => xml.replace(`>${SERVICE}<`, `>${SERVICE.replace('.com', '.org')}<`));
    for (const altered of [forged, url.replace('RelayState=', 'RelayState=x')]) {
      await expect(peer.visit(altered, sp, shape)).rejects.toThrow(/FAILED_MESSAGE_SIGNATURE_VERIFICATION|Signature check errors/);
    }
    expect(await peer.visit(url, sp, shape)).toMatchObject({ relayState: new URL(url).searchParams.get('RelayState') });
  });
});

test('samlify reads our metadata', async () => {
  const metadata = await spMetadata();
  expect(readBySamlify(metadata)).toEqual({ entityId: SERVICE, certificate: /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1] });
});

test('the redirect carries the code of the login to the application', async () => {
  const { samlResponse, relayState } = await visit(openSamlifyPeer(idp), shapeNamed('Okta'));
  const { body } = await calls.finish(samlResponse, relayState);
  expect(body['redirectURI']).toMatch(new RegExp(`^${APP}\\?code=[0-9a-f-]{36}&state=s$`));
});
