import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { type ClientFacts, factsOf } from './client-facts.ts';
import { findClient } from './clients.ts';
import { readMetadata } from './put-client.ts';
import { type SamlClientRecord, samlClients } from './records.ts';
import { requireRedirectUris } from './redirect-uris.ts';

/** What of a client is to be changed; what is left out stays. */
export interface ClientChanges {
  readonly clientId: string;
  readonly redirectURIs?: readonly string[] | undefined;
  readonly defaultRedirectURI?: string | undefined;
  /** Base64. */
  readonly metadataXML?: string | undefined;
  readonly allowIDPInitiatedLogin?: boolean | undefined;
  readonly enableRequestSigning?: boolean | undefined;
  /** Of the client as it was shown, ms since the epoch: who changes another one is told. */
  readonly updatedAt?: number | undefined;
}

export type UpdatedClient =
  | { readonly status: 'OK'; readonly client: ClientFacts }
  | { readonly status: 'UNKNOWN_CLIENT_ERROR' | 'DUPLICATE_IDP_ENTITY_ERROR' | 'CLIENT_CHANGED_ERROR' };

/** Changes parts of a client; its secret stays, which the interface's `PUT` would take away. @throws Refusal */
export async function updateClient(context: Context, changes: ClientChanges): Promise<UpdatedClient> {
  const { store, tenant, now } = context;
  const idp = changes.metadataXML === undefined ? undefined : await readMetadata(context, changes.metadataXML);
  const customSchemes = tenant.config.saml_allow_custom_redirect_schemes;
  const { redirectURIs = [], defaultRedirectURI } = changes;
  // Those that stay were looked at before, by the rule of then.
  requireRedirectUris(redirectURIs, defaultRedirectURI, customSchemes);
  return store.transact(async (tx): Promise<UpdatedClient> => {
    const known = await findClient(tx, tenant, changes.clientId);
    if (!known) return { status: 'UNKNOWN_CLIENT_ERROR' };
    if (changes.updatedAt !== undefined && changes.updatedAt !== known.updatedAt) return { status: 'CLIENT_CHANGED_ERROR' };
    const client: SamlClientRecord = {
      ...known,
      ...(idp && { ssoLoginUrl: idp.ssoUrl, idpEntityId: idp.entityId, certificates: idp.certificates }),
      redirectUris: changes.redirectURIs ?? known.redirectUris,
      defaultRedirectUri: defaultRedirectURI ?? known.defaultRedirectUri,
      allowIdpInitiatedLogin: changes.allowIDPInitiatedLogin ?? known.allowIdpInitiatedLogin,
      enableRequestSigning: changes.enableRequestSigning ?? known.enableRequestSigning,
      updatedAt: Math.max(now(), known.updatedAt + 1),
    };
    const taken = await tx.put(samlClients, client);
    if (taken !== undefined) return { status: 'DUPLICATE_IDP_ENTITY_ERROR' };
    await recordEvent(tx, context, 'saml-client.written', { details: { client: client.clientId } });
    return { status: 'OK', client: factsOf(client) };
  });
}
