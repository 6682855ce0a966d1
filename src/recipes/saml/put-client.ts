import { decodeBase64 } from '../../crypto/base64.ts';
import type { IdpMetadata } from '../../crypto/saml/saml.ts';
import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findClient } from './clients.ts';
import { type SamlClientRecord, samlClients } from './records.ts';
import { requireRedirectUris } from './redirect-uris.ts';

export type PutClientResult =
  | { readonly status: 'OK'; readonly client: SamlClientRecord }
  | { readonly status: 'DUPLICATE_IDP_ENTITY_ERROR' };

const METADATA_TEXT = 'metadataXML does not have a valid SAML metadata';

/** What is no base64 is refused before anybody looks at where the request goes. */
export function checkPutClient({ metadataXML }: Commands['saml/put-client']): void {
  if ('error' in decodeBase64(metadataXML, 'standard')) throw new Refusal('bad-input', { text: METADATA_TEXT });
}

/** `PUT /recipe/saml/clients` (contract 06 section 2.1): a new client, or all of a known one anew. */
export async function putClient(context: Context, command: Commands['saml/put-client']): Promise<PutClientResult> {
  const { store, tenant, now, randomId } = context;
  const { redirectURIs, defaultRedirectURI } = command;
  requireRedirectUris(redirectURIs, defaultRedirectURI, tenant.config.saml_allow_custom_redirect_schemes);
  const idp = await readMetadata(context, command.metadataXML);
  const time = now();
  const wanted: SamlClientRecord = {
    app: tenant.app,
    tenant: tenant.tenant,
    clientId: command.clientId ?? `st_saml_${randomId()}`,
    clientSecret: command.clientSecret ?? null,
    ssoLoginUrl: idp.ssoUrl,
    redirectUris: redirectURIs,
    defaultRedirectUri: defaultRedirectURI,
    idpEntityId: idp.entityId,
    certificates: idp.certificates,
    allowIdpInitiatedLogin: command.allowIDPInitiatedLogin ?? false,
    enableRequestSigning: command.enableRequestSigning ?? true,
    createdAt: time,
    updatedAt: time,
  };
  return store.transact(async (tx) => {
    const known = await findClient(tx, tenant, wanted.clientId);
    const client = known ? { ...wanted, createdAt: known.createdAt } : wanted;
    const taken = await tx.put(samlClients, client);
    if (taken !== undefined) return { status: 'DUPLICATE_IDP_ENTITY_ERROR' };
    await recordEvent(tx, context, 'saml-client.written', { details: { client: client.clientId } });
    return { status: 'OK', client };
  });
}

/** Of the base64 of an identity provider's metadata. @throws Refusal for everything that is none */
export async function readMetadata({ crypto }: Pick<Context, 'crypto'>, metadataXml: string): Promise<IdpMetadata> {
  const text = decodeText(metadataXml);
  const metadata = text === undefined ? undefined : await crypto.readIdpMetadata(text);
  if (!metadata) throw new Refusal('bad-input', { text: METADATA_TEXT });
  return metadata;
}

/** Without the byte order mark that it may begin with; undefined for what is no UTF-8. */
function decodeText(base64: string): string | undefined {
  const decoded = decodeBase64(base64, 'standard');
  if ('error' in decoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decoded.bytes);
  } catch {
    return undefined;
  }
}
