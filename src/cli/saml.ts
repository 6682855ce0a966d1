import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { asking, type Outcome, ok } from './answers.ts';
import { type Bound, CommandFault, EXIT } from './command.ts';
import type { Core } from './connection.ts';
import { facts, table } from './table.ts';

interface Client {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly defaultRedirectURI: string;
  readonly redirectURIs: readonly string[];
  readonly idpEntityId: string;
  readonly idpSigningCertificate: string;
  readonly allowIDPInitiatedLogin: boolean;
  readonly enableRequestSigning: boolean;
}

/** A client as it is shown: a secret that is printed ends in scrollback and logs. */
function withoutSecret({ clientSecret, ...client }: Client) {
  return { ...client, hasSecret: clientSecret !== undefined };
}

async function clientsOf(core: Core): Promise<readonly Client[]> {
  return (await core.call<{ clients: readonly Client[] }>('GET', '/recipe/saml/clients', { inTenant: true })).clients;
}

/** Until when the identity provider's certificate holds; undefined where it cannot be read. */
function certificateEnd(base64: string): string | undefined {
  try {
    return new Date(new X509Certificate(Buffer.from(base64, 'base64')).validTo).toISOString().slice(0, 10);
  } catch {
    return undefined;
  }
}

/** `watchword saml`. */
export const commands: readonly Bound[] = [
  asking({
    name: 'clients',
    about: 'Lists the SAML clients of a tenant.',
    examples: ['saml clients --tenant-id t1'],
    ask: async (core) => (await clientsOf(core)).map(withoutSecret),
    text: (clients) =>
      table(
        ['client', 'identity provider', 'certificate until', 'redirects to', 'begun by the provider', 'signed requests'],
        clients.map((one) => [
          one.clientId,
          one.idpEntityId,
          certificateEnd(one.idpSigningCertificate),
          one.redirectURIs.join(' '),
          one.allowIDPInitiatedLogin,
          one.enableRequestSigning,
        ]),
      ),
  }),
  asking({
    name: 'add',
    operands: ['<METADATA>'],
    about: "Makes a SAML client of an identity provider's metadata (a file, or - for standard input), or changes one.",
    examples: ['saml add idp.xml --tenant-id t1 --redirect-uri https://app.example/callback'],
    flags: {
      'redirect-uri': { value: 'URI', many: true, doc: 'where logins may return to; the first is the default' },
      'client-id': { value: 'ID', doc: 'the client to be changed, or the id of the new one' },
      'allow-idp-initiated': { doc: 'logins may begin at the identity provider' },
      'sign-requests': { doc: 'sign what is sent to the identity provider' },
    },
    ask: async (core, [file = ''], flags) => {
      const metadata = readFileSync(file === '-' ? 0 : file);
      const [defaultRedirectURI] = flags['redirect-uri'];
      const body = {
        ...(flags['client-id'] !== undefined && { clientId: flags['client-id'] }),
        defaultRedirectURI,
        redirectURIs: flags['redirect-uri'],
        metadataXML: metadata.toString('base64'),
        allowIDPInitiatedLogin: flags['allow-idp-initiated'],
        enableRequestSigning: flags['sign-requests'],
      };
      const answer = await core.call<Outcome & Client>('PUT', '/recipe/saml/clients', { body, inTenant: true });
      return withoutSecret(ok(answer, { DUPLICATE_IDP_ENTITY_ERROR: 'Another client of the tenant has this identity provider' }));
    },
    text: (client) =>
      facts([
        ['client', client.clientId],
        ['identity provider', client.idpEntityId],
        ['certificate until', certificateEnd(client.idpSigningCertificate)],
      ]),
  }),
  asking({
    name: 'test',
    operands: ['<CLIENT>'],
    about: 'Looks whether a login through a SAML client can begin, and prints the address that begins one in a browser.',
    examples: ['saml test saml_1b2c --tenant-id t1 --acs-url https://auth.example/auth/saml/callback'],
    flags: { 'acs-url': { value: 'URL', doc: "where the identity provider posts its answer: the back end's SAML callback" } },
    ask: async (core, [clientId], flags) => {
      const client = (await clientsOf(core)).find((one) => one.clientId === clientId);
      if (!client) throw new CommandFault(`There is no SAML client ${clientId}`, EXIT.notFound);
      const acsURL = flags['acs-url'] ?? client.defaultRedirectURI;
      const body = { clientId, redirectURI: client.defaultRedirectURI, acsURL };
      const { ssoRedirectURI } = ok(
        await core.call<Outcome & { ssoRedirectURI: string }>('POST', '/recipe/saml/login', { body, inTenant: true }),
      );
      return {
        identityProvider: client.idpEntityId,
        certificateUntil: certificateEnd(client.idpSigningCertificate),
        loginAddress: ssoRedirectURI,
      };
    },
    text: ({ identityProvider, certificateUntil, loginAddress }) =>
      facts([
        ['identity provider', identityProvider],
        ['certificate until', certificateUntil],
        ['a login begins at', loginAddress],
      ]),
  }),
];
