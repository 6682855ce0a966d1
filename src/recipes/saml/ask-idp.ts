import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { authnRequestXml, redirectBindingUrl } from './authn-request.ts';
import type { SamlClientRecord } from './records.ts';
import { signingCredential } from './sp-credentials.ts';

/** A request to an identity provider, which nobody has sent yet. */
export interface AskedIdp {
  /** ID of the AuthnRequest. */
  readonly requestId: string;
  readonly relayState: string;
  /** Where the browser has to go. */
  readonly ssoRedirectURI: string;
}

/** Makes a new request for a client, signed where it wants that. @param acsUrl where the answer is to be sent */
export async function askIdp(context: Context, tenant: Tenant, client: SamlClientRecord, acsUrl: string): Promise<AskedIdp> {
  const { now, randomId, crypto } = context;
  const requestId = `_${randomId()}`;
  const relayState = randomId();
  const issuer = tenant.config.saml_sp_entity_id ?? '';
  const request = authnRequestXml({ id: requestId, issuedAt: now(), issuer, ssoUrl: client.ssoLoginUrl, acsUrl });
  const key = client.enableRequestSigning ? await signingCredential(context, tenant) : undefined;
  const sign = key && ((query: string) => crypto.signRs256(query, key.privateKey));
  return { requestId, relayState, ssoRedirectURI: await redirectBindingUrl(client.ssoLoginUrl, request, relayState, sign) };
}
