import { type CertificateFacts, certificateFacts } from '../../crypto/saml/certificate-facts.ts';
import type { PageRange } from '../../store/pages.ts';
import type { Page } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { findClient } from './clients.ts';
import { type SamlClientRecord, samlClients } from './records.ts';

/** A client without its secret. Times in ms since the epoch. */
export interface ClientFacts {
  readonly clientId: string;
  readonly hasClientSecret: boolean;
  readonly redirectURIs: readonly string[];
  readonly defaultRedirectURI: string;
  readonly idpEntityId: string;
  readonly ssoURL: string;
  readonly certificates: readonly CertificateFacts[];
  readonly allowIDPInitiatedLogin: boolean;
  readonly enableRequestSigning: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The clients of the addressed tenant, the oldest first; or the one with an id, or none. */
export async function clientsPage({ store, tenant }: Context, range: PageRange, clientId?: string): Promise<Page<ClientFacts>> {
  if (clientId !== undefined) {
    const client = await store.read((reader) => findClient(reader, tenant, clientId));
    return { items: client ? [factsOf(client)] : [], next: undefined };
  }
  const prefix = [tenant.app, tenant.tenant] as const;
  const { items, next } = await store.read((reader) => reader.page(samlClients, 'byCreation', { prefix, ...range }));
  return { items: items.map(factsOf), next };
}

/** What everybody may see of a client. */
export function factsOf(client: SamlClientRecord): ClientFacts {
  return {
    clientId: client.clientId,
    hasClientSecret: client.clientSecret !== null,
    redirectURIs: client.redirectUris,
    defaultRedirectURI: client.defaultRedirectUri,
    idpEntityId: client.idpEntityId,
    ssoURL: client.ssoLoginUrl,
    certificates: client.certificates.map(certificateFacts),
    allowIDPInitiatedLogin: client.allowIdpInitiatedLogin,
    enableRequestSigning: client.enableRequestSigning,
    createdAt: client.createdAt,
    updatedAt: client.updatedAt,
  };
}
