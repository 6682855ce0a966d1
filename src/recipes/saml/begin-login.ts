import { sha256Hex } from '../../crypto/digests.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { askIdp } from './ask-idp.ts';
import { findClient } from './clients.ts';
import { samlRelayStates } from './records.ts';
import { isXmlText } from './xml-text.ts';

/** Who wants to log in where. */
export interface LoginRequest {
  readonly clientId: string;
  readonly redirectURI: string;
  readonly state?: string | undefined;
  /** Where the identity provider is to send its answer. */
  readonly acsURL: string;
}

export type BeginLoginResult = { readonly status: 'OK'; readonly ssoRedirectURI: string } | { readonly status: 'INVALID_CLIENT_ERROR' };

/** What no XML document can hold cannot be sent to an identity provider. */
export function checkBeginLogin({ acsURL }: Commands['saml/begin-login']): void {
  if (!isXmlText(acsURL)) throw new Refusal('field-invalid', { field: 'acsURL' });
}

/** `POST /recipe/saml/login` (contract 06 section 2.4) */
export function beginLogin(context: Context, command: Commands['saml/begin-login']): Promise<BeginLoginResult> {
  return startLogin(context, context.tenant, command);
}

/** Writes the login down and answers where the browser has to go. */
export async function startLogin(context: Context, tenant: Tenant, wanted: LoginRequest): Promise<BeginLoginResult> {
  const { store, now } = context;
  const client = await store.read((reader) => findClient(reader, tenant, wanted.clientId));
  if (!client?.redirectUris.includes(wanted.redirectURI)) return { status: 'INVALID_CLIENT_ERROR' };
  const { requestId, relayState, ssoRedirectURI } = await askIdp(context, tenant, client, wanted.acsURL);
  await store.transact((tx) =>
    tx.insert(samlRelayStates, {
      app: tenant.app,
      tenant: tenant.tenant,
      relayStateHash: sha256Hex(relayState),
      clientId: client.clientId,
      state: wanted.state ?? null,
      redirectUri: wanted.redirectURI,
      requestId,
      acsUrl: wanted.acsURL,
      expiresAt: now() + tenant.config.saml_relay_state_validity,
    }),
  );
  return { status: 'OK', ssoRedirectURI };
}
