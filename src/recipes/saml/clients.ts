import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Reader } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type SamlClientRecord, samlClients } from './records.ts';

/** The client with this id in the tenant. */
export function findClient(reader: Reader, tenant: Tenant, clientId: string): MaybePromise<SamlClientRecord | undefined> {
  return reader.get(samlClients, [tenant.app, tenant.tenant, clientId]);
}

/** The client of the tenant that is connected to this identity provider. */
export function findClientOfIdp(reader: Reader, tenant: Tenant, idpEntityId: string): MaybePromise<SamlClientRecord | undefined> {
  return reader.find(samlClients, 'idpEntityId', [tenant.app, tenant.tenant, idpEntityId]);
}

/** A client as every answer shows it (contract 06 section 2.1); of its certificates, the first. */
export function clientView(client: SamlClientRecord) {
  return {
    clientId: client.clientId,
    clientSecret: client.clientSecret ?? undefined,
    defaultRedirectURI: client.defaultRedirectUri,
    redirectURIs: client.redirectUris,
    idpEntityId: client.idpEntityId,
    idpSigningCertificate: client.certificates[0],
    allowIDPInitiatedLogin: client.allowIdpInitiatedLogin,
    enableRequestSigning: client.enableRequestSigning,
  };
}
