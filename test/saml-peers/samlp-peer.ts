import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import samlp, { type AuthOptions, type Middleware } from 'samlp';
import type { TestIdp } from '../saml-idp/idp.ts';
import { ACS, certificatePem, type Peer, type PeerAnswer, privateKeyPem, type ServiceProvider } from './peer.ts';
import type { PeerShape } from './shapes.ts';

const METADATA_PATH = '/FederationMetadata/2007-06/FederationMetadata.xml';
const SSO_PATH = '/sso';

/** An identity provider of samlp behind a port of the loopback interface, as Auth0 serves it. */
export async function openSamlpPeer(idp: TestIdp): Promise<Peer> {
  let settings: AuthOptions | undefined;
  const metadata = samlp.metadata({
    issuer: idp.entityId,
    cert: certificatePem(idp),
    redirectEndpointPath: SSO_PATH,
    postEndpointPath: SSO_PATH,
  });
  const server = createServer((request, response) => {
    const page = request.url === METADATA_PATH ? metadata : settings && samlp.auth(settings);
    if (page) serve(page, request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const described = await fetch(`http://127.0.0.1:${address.port}${METADATA_PATH}`);
  return {
    metadata: await described.text(),
    sendsSeveralValues: true,
    async visit(url, sp, shape) {
      settings = optionsOf(idp, sp, shape);
      const page = await fetch(url);
      const text = await page.text();
      if (!page.ok) throw new Error(text);
      return formIn(text);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** What Express does around a middleware. */
function serve(page: Middleware, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = request;
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
  page(
    { method, protocol: 'http', originalUrl: url, headers, query },
    {
      set: (name, value) => response.setHeader(name, value),
      send: (text) => (typeof text === 'number' ? response.writeHead(text).end() : response.end(text)),
    },
    (error) => response.writeHead(500).end(String(error)),
  );
}

function optionsOf(idp: TestIdp, { metadata, mustSign }: ServiceProvider, shape: PeerShape): AuthOptions {
  const { nameId: nameIdentifier, nameIdFormat: nameIdentifierFormat, attributes } = shape;
  return {
    issuer: idp.entityId,
    cert: certificatePem(idp),
    key: privateKeyPem(idp),
    recipient: ACS,
    destination: ACS,
    signResponse: shape.signs !== 'assertion',
    signAssertion: shape.signs !== 'response',
    signatureAlgorithm: 'rsa-sha256',
    digestAlgorithm: 'sha256',
    signatureNamespacePrefix: shape.signaturePrefix,
    typedAttributes: shape.isTyped,
    lifetimeInSeconds: 300,
    authnContextClassRef: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    ...(mustSign && { signingCert: certificateIn(metadata) }),
    profileMapper: () => ({ getClaims: () => attributes, getNameIdentifier: () => ({ nameIdentifier, nameIdentifierFormat }) }),
    getUserFromRequest: () => ({}),
    getPostURL: (_audience, _request, _http, done) => done(null, ACS),
  };
}

/** The library reads no metadata; its administrator pastes the certificate. */
function certificateIn(metadata: string): string {
  return /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? '';
}

/** What the page would post to the service provider. */
function formIn(page: string): PeerAnswer {
  const field = (name: string): string => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1]?.replaceAll('&#43;', '+') ?? '';
  if (!page.includes(`action="${ACS}"`)) throw new Error(page);
  return { samlResponse: field('SAMLResponse'), relayState: field('RelayState') };
}
