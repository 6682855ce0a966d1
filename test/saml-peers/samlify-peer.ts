import samlify from 'samlify';
import type { TestIdp } from '../saml-idp/idp.ts';
import { ACS, certificatePem, type Peer, type PeerAnswer, privateKeyPem, type ServiceProvider } from './peer.ts';
import type { PeerShape } from './shapes.ts';

const BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:';
const SSO_URL = 'https://samlify.example.com/sso';

// The library refuses to work without a schema validator, and brings none.
samlify.setSchemaValidator({ validate: () => Promise.resolve('not checked') });

/** An identity provider of samlify. */
export function openSamlifyPeer(idp: TestIdp): Peer {
  const provider = (mustSign: boolean, shape?: PeerShape) =>
    samlify.IdentityProvider({
      entityID: idp.entityId,
      signingCert: certificatePem(idp),
      privateKey: privateKeyPem(idp),
      wantAuthnRequestsSigned: mustSign,
      requestSignatureAlgorithm: `http://www.w3.org/2001/04/xmldsig-more#rsa-${shape?.hash ?? 'sha256'}`,
      singleSignOnService: ['HTTP-Redirect', 'HTTP-POST'].map((binding) => ({ Binding: BINDING + binding, Location: SSO_URL })),
      singleLogoutService: [{ Binding: `${BINDING}HTTP-Redirect`, Location: 'https://samlify.example.com/slo' }],
      ...(shape && { nameIDFormat: [shape.nameIdFormat], loginResponseTemplate: template(shape), tagPrefix: { ...shape.prefixes } }),
    });
  return {
    metadata: provider(true).getMetadata(),
    sendsSeveralValues: false,
    visit: (url, sp, shape) => answer(provider(sp.mustSign, shape), url, sp, shape),
    close: () => Promise.resolve(),
  };
}

/** Our metadata as samlify understands it. */
export function readBySamlify(metadata: string): { readonly entityId: string; readonly certificate: unknown } {
  const { entityMeta } = samlify.ServiceProvider({ metadata });
  return { entityId: entityMeta.getEntityID(), certificate: entityMeta.getX509Certificate('signing') };
}

type Provider = ReturnType<typeof samlify.IdentityProvider>;

async function answer(provider: Provider, url: string, sp: ServiceProvider, shape: PeerShape): Promise<PeerAnswer> {
  const { entityId, certificate } = readBySamlify(sp.metadata);
  // The metadata names no consumer service; an administrator enters it.
  const known = samlify.ServiceProvider({
    entityID: entityId,
    signingCert: String(certificate),
    authnRequestsSigned: sp.mustSign,
    assertionConsumerService: [{ Binding: `${BINDING}HTTP-POST`, Location: ACS }],
    wantAssertionsSigned: shape.signs !== 'response',
    wantMessageSigned: shape.signs !== 'assertion',
    signatureConfig: {
      prefix: shape.signaturePrefix,
      location: { reference: "/*[local-name(.)='Response']/*[local-name(.)='Issuer']", action: 'after' },
    },
  });
  const { search, searchParams } = new URL(url);
  // The library leaves it to its caller to say what was signed: the query as it came, up to the signature.
  const [octetString] = search.slice(1).split('&Signature=');
  const query = Object.fromEntries(searchParams);
  const flow = await provider.parseLoginRequest(known, 'redirect', { query, ...(sp.mustSign && { octetString }) });
  const asked = flow.extract as { request: { id: string; assertionConsumerServiceUrl: string }; issuer: string };
  if (asked.issuer !== entityId || asked.request.assertionConsumerServiceUrl !== ACS) throw new Error(JSON.stringify(asked));
  const relayState = searchParams.get('RelayState') ?? '';
  const fill = (text: string) => ({
    id: asked.request.id,
    context: samlify.SamlLib.replaceTagsByValue(text, tags(provider, asked, shape)),
  });
  const { context } = await provider.createLoginResponse(known, { extract: asked }, 'post', {}, { relayState, customTagReplacement: fill });
  return { samlResponse: context, relayState };
}

/** Of each attribute the first value: a template has one place for each. */
const firstValues = ({ attributes }: PeerShape) =>
  Object.entries(attributes).map(([name, values], index) => ({ name, value: values[0] ?? '', tag: `a${index}` }));

function template(shape: PeerShape) {
  const attributes = firstValues(shape).map(({ name, tag }) => ({
    name,
    valueTag: tag,
    nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified',
    valueXsiType: shape.isTyped ? 'xs:string' : 'xs:anyType',
  }));
  return { context: samlify.SamlLib.defaultLoginResponseTemplate.context, attributes };
}

function tags(provider: Provider, asked: { request: { id: string }; issuer: string }, shape: PeerShape): Record<string, string> {
  const now = new Date();
  const end = new Date(now.getTime() + 300_000).toISOString();
  const { generateID = () => '' } = provider.entitySetting;
  return {
    ID: generateID(),
    AssertionID: generateID(),
    Destination: ACS,
    SubjectRecipient: ACS,
    Audience: asked.issuer,
    Issuer: provider.entityMeta.getEntityID(),
    IssueInstant: now.toISOString(),
    ConditionsNotBefore: now.toISOString(),
    ConditionsNotOnOrAfter: end,
    SubjectConfirmationDataNotOnOrAfter: end,
    StatusCode: samlify.Constants.StatusCode.Success,
    InResponseTo: asked.request.id,
    NameIDFormat: shape.nameIdFormat,
    NameID: shape.nameId,
    AuthnStatement: '',
    ...Object.fromEntries(firstValues(shape).map(({ tag, value }) => [`attr${tag.toUpperCase()}`, value])),
  };
}
