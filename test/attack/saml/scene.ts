import { expect } from 'vitest';
import { checkResponse } from '../../../src/crypto/saml/check-response.ts';
import type { SamlAnswer, SamlExpectation } from '../../../src/crypto/saml/saml.ts';
import { loginExpectationOf } from '../../saml-idp/expectation.ts';
import { base64Of, makeIdp, type TestIdp } from '../../saml-idp/idp.ts';
import { type ResponseOptions, responseXml } from '../../saml-idp/response.ts';

/** The identity provider that is trusted, and one that is not. */
export const idp = await makeIdp('https://idp.example.com/metadata');
export const foreign = await makeIdp('https://idp.example.com/metadata');

/** The login that all responses answer. */
export const REQUEST = '_3f1c9a52-0000-4000-8000-000000000001';
export const VICTIM = 'admin@victim.example';
export const ATTACKER = 'mallory@example.com';

/** What the trusted identity provider signs for the attacker, who has an account there. */
export function honest(options: ResponseOptions = {}, signer: TestIdp = idp): string {
  const attributes = [{ name: 'mail', values: [ATTACKER] }];
  return responseXml(signer, { inResponseTo: REQUEST, nameId: ATTACKER, attributes, ...options });
}

/** Puts an XML text to the check, as the answer to the login. */
export function ask(xml: string, changes: Partial<SamlExpectation> = {}): SamlAnswer {
  return checkResponse({ samlResponse: base64Of(xml), expected: loginExpectationOf(idp, REQUEST, changes) });
}

/** Shows that the unchanged response is accepted and the changed one is not; the change must change something. */
export function expectAttackToFail(
  xml: string,
  attack: (xml: string) => string,
  status: 'REFUSED' | 'MALFORMED' = 'REFUSED',
  reason?: RegExp,
): void {
  expect(ask(xml)).toMatchObject({ status: 'OK', claims: { NameID: [ATTACKER] } });
  const attacked = attack(xml);
  expect(attacked).not.toBe(xml);
  const answer = ask(attacked);
  expect(answer.status).toBe(status);
  if (reason) expect(answer).toMatchObject({ reason: expect.stringMatching(reason) });
}

/** The first element of that local name, whole; elements of the name must not be nested in it. */
export function elementOf(xml: string, local: string): string {
  const found = new RegExp(`<((?:\\w+:)?${local})[\\s>].*?</\\1>`, 's').exec(xml);
  if (!found) throw new Error(`there is no ${local}`);
  return found[0];
}

/** Without its signature. */
export const unsigned = (xml: string): string => xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, '');

/** With another id. */
export const renamed = (element: string, id: string): string => element.replace(/ ID="[^"]*"/, ` ID="${id}"`);

/** As the attacker wants it: the name of somebody else. */
export const forged = (xml: string): string => xml.replaceAll(ATTACKER, VICTIM);

/** Replaces a text that must be there, and only once. */
export function swap(xml: string, what: string, by: string): string {
  const [before, after, ...more] = xml.split(what);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`${what} is not there once`);
  return before + by + after;
}
