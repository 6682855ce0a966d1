import type { SamlExpectation } from '../../crypto/saml/saml.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { SamlClientRecord } from './records.ts';

/** What is known of the login that a response answers. */
export interface Answered {
  readonly client: SamlClientRecord;
  /** What InResponseTo may say: nothing where the identity provider began. */
  readonly requestIds: readonly string[];
  /** Where the answer was to be sent, as far as the core knows. */
  readonly acsUrl: string | undefined;
  /** What was encrypted for the tenant can be read with. */
  readonly decryptionKeys: readonly string[];
}

/** What a client of a tenant demands of a response. */
export function expectationOf(
  { now }: Context,
  { config }: Tenant,
  { client, requestIds, acsUrl, decryptionKeys }: Answered,
): SamlExpectation {
  return {
    certificates: client.certificates,
    idpEntityId: client.idpEntityId,
    audience: config.saml_sp_entity_id ?? '',
    now: now(),
    toleranceMs: config.saml_time_tolerance_ms,
    acsUrl,
    requestIds,
    allowsUnsolicited: client.allowIdpInitiatedLogin,
    decryptionKeys,
    allowsCbc: config.saml_allow_cbc,
  };
}
