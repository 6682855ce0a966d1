import { expect } from 'vitest';
import { newSpCredential } from '../../../src/crypto/saml/sp-credential.ts';
import type { SamlAnswer, SamlExpectation } from '../../../src/crypto/saml/saml.ts';
import { encryptAssertion, type EncryptionOptions } from '../../saml-idp/encrypt.ts';
import type { ResponseOptions } from '../../saml-idp/response.ts';
import { signElement } from '../../saml-idp/sign.ts';
import { ATTACKER, ask, elementOf, honest, idp } from './scene.ts';

/** The encryption key of the tenant, and one of somebody else. */
export const [key, other] = await Promise.all([newSpCredential(Date.now()), newSpCredential(Date.now())]);
const OURS = { decryptionKeys: [key.privateKey] };
export const UNREADABLE = 'what is encrypted cannot be read';
export const XENC = 'http://www.w3.org/2001/04/xmlenc#';
export const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

/** What the identity provider makes: the assertion is signed, then encrypted, then the Response is signed, as far as it signs. */
export function sealed(
  { sign = 'assertion', ...said }: ResponseOptions = {},
  how: EncryptionOptions = {},
  change: (xml: string) => string = (xml) => xml,
): string {
  const plain = honest({ ...said, sign: sign === 'assertion' || sign === 'both' ? 'assertion' : 'none' });
  const encrypted = change(encryptAssertion(plain, key, how));
  return sign === 'response' || sign === 'both' ? signElement(encrypted, 'Response', idp) : encrypted;
}

/** Puts an XML text to the check, as the answer to the login, with the tenant's key. */
export const put = (xml: string, changes: Partial<SamlExpectation> = {}): SamlAnswer => ask(xml, { ...OURS, ...changes });
export const ACCEPTED = { status: 'OK', claims: { NameID: [ATTACKER] } };
/** What a refusal looks like. */
export const refusedFor = (reason: string | RegExp) => ({
  status: 'REFUSED',
  reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
});
/** The EncryptedAssertion, whole. */
export const encryptedOf = (xml: string): string => elementOf(xml, 'EncryptedAssertion');
