import type { SamlExpectation } from '../../src/crypto/saml/saml.ts';
import type { TestIdp } from './idp.ts';

/** What a client of that identity provider expects of an answer that it began itself; `changes` make it the answer to a login. */
export function expectationOf(idp: TestIdp, changes: Partial<SamlExpectation> = {}): SamlExpectation {
  return {
    certificates: [idp.certificate],
    idpEntityId: idp.entityId,
    audience: 'https://saml.supertokens.com',
    now: Date.now(),
    toleranceMs: 60_000,
    acsUrl: undefined,
    requestIds: [],
    allowsUnsolicited: true,
    decryptionKeys: [],
    allowsCbc: false,
    ...changes,
  };
}

/** The same for the answer to a login: the request of that id, sent from the address that responses have by default. */
export function loginExpectationOf(idp: TestIdp, requestId: string, changes: Partial<SamlExpectation> = {}): SamlExpectation {
  return expectationOf(idp, {
    acsUrl: 'https://app.example.com/acs',
    requestIds: [requestId, 'the relay state'],
    allowsUnsolicited: false,
    ...changes,
  });
}
