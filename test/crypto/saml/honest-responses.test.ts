import { describe, expect, it } from 'vitest';
import { checkResponse } from '../../../src/crypto/saml/check-response.ts';
import type { SamlAnswer, SamlExpectation } from '../../../src/crypto/saml/saml.ts';
import { expectationOf, loginExpectationOf } from '../../saml-idp/expectation.ts';
import { base64Of, makeIdp } from '../../saml-idp/idp.ts';
import { postedResponse, type ResponseOptions, responseXml } from '../../saml-idp/response.ts';
import { SHAPES } from '../../saml-idp/shapes.ts';

/** What must be accepted: the answers of honest identity providers, in all the ways in which they are written. */
const idp = await makeIdp();
const REQUEST = '_3f1c9a52-0000-4000-8000-000000000001';

function answerTo(options: ResponseOptions, changes: Partial<SamlExpectation> = {}): SamlAnswer {
  const samlResponse = postedResponse(idp, { inResponseTo: REQUEST, ...options });
  return checkResponse({ samlResponse, expected: loginExpectationOf(idp, REQUEST, changes) });
}

describe('an honest response is accepted', () => {
  it.each(Object.entries(SHAPES))('in the shape of %s', (_, shape) => {
    const answer = answerTo(shape);
    expect(answer).toMatchObject({ status: 'OK', issuer: idp.entityId });
    const claims = answer.status === 'OK' ? answer.claims : {};
    for (const { name, values } of shape.attributes ?? []) expect(claims[name]).toEqual(values);
    expect(claims['NameID']).toEqual([shape.nameId ?? 'user-123']);
  });

  it.each<[string, ResponseOptions]>([
    ['the assertion signed', { sign: 'assertion' }],
    ['the response signed', { sign: 'response' }],
    ['both signed', { sign: 'both' }],
    ['no KeyInfo', { signing: { keyInfo: null } }],
    ['a foreign certificate in KeyInfo, which nobody reads', { signing: { keyInfo: 'AAAA' } }],
    ['an InclusiveNamespaces list', { signing: { prefixList: 'xs xsi' } }],
    ['RSA with SHA-384', { signing: { hash: 'sha384', digest: 'sha384' } }],
    ['RSA with SHA-512', { signing: { hash: 'sha512', digest: 'sha256' } }],
    ['base64 wrapped with LF', { signing: { wrap: '\n' } }],
    ['base64 wrapped with CRLF', { signing: { wrap: '\r\n' } }],
    ['base64 wrapped with a character reference', { signing: { wrap: '&#13;\n' } }],
    ['blanks between elements', { gap: '\n    ' }],
    ['CRLF between elements', { gap: '\r\n\t', sign: 'both' }],
    ['element names without prefixes', { prefixes: { protocol: '', assertion: '' }, signing: { prefix: '' } }],
    ['a declaration', { declaration: true }],
    ['no name of the subject', { nameId: null }],
    ['an answer to the relay state', { inResponseTo: 'the relay state' }],
    ['several audiences', { audiences: ['https://other.example.com', 'https://saml.supertokens.com'] }],
    ['no recipient and no destination', { recipient: null, destination: null }],
    ['no limits in its conditions', { notBefore: null, notOnOrAfter: null }],
  ])('with %s', (_, options) => expect(answerTo(options)).toMatchObject({ status: 'OK' }));

  it('with names that need escapes, in any script, and with values that are trimmed', () => {
    const attributes = [{ name: 'mail', values: [' ä&ö<>"\'@例え.jp\n', '', ' '] }];
    const answer = answerTo({ nameId: '  Ada & Bob <a@b.c>\n', attributes });
    expect(answer).toMatchObject({ claims: { NameID: ['Ada & Bob <a@b.c>'], mail: ['ä&ö<>"\'@例え.jp'] } });
  });

  it('with 300 groups, of which each counts', () => {
    const values = Array.from({ length: 300 }, (_, index) => `group ${index}`);
    expect(answerTo({ attributes: [{ name: 'groups', values, type: 'xs:string' }] })).toMatchObject({ claims: { groups: values } });
  });

  it('with an attribute of its own for each role, of which each counts in its order', () => {
    const attributes = ['b', 'a', 'b'].map((role) => ({ name: 'Role', values: [role] }));
    const others = [
      { name: 'mail', values: ['ada@example.com'] },
      { name: 'Role', values: ['', 'c', 'd'] },
      { name: '__proto__', values: ['x'] },
    ];
    const answer = answerTo({ attributes: [...attributes, ...others, ...others.slice(2)] });
    const claims = answer.status === 'OK' ? answer.claims : {};
    expect(claims).toMatchObject({ Role: ['b', 'a', 'b', 'c', 'd'], mail: ['ada@example.com'] });
    expect(Object.getOwnPropertyDescriptor(claims, '__proto__')?.value).toEqual(['x', 'x']);
  });

  it('signed by any of the configured certificates', async () => {
    const others = await Promise.all([makeIdp(), makeIdp()]);
    const certificates = [...others.map((other) => other.certificate), idp.certificate];
    expect(answerTo({}, { certificates })).toMatchObject({ status: 'OK' });
  });

  it('with a certificate that ended years ago', async () => {
    const old = await makeIdp(idp.entityId, Date.now() - 11 * 365 * 86_400_000);
    const samlResponse = postedResponse(old);
    expect(checkResponse({ samlResponse, expected: expectationOf(old) })).toMatchObject({ status: 'OK' });
  });

  it('with a byte order mark, and in base64 that is wrapped or not padded', () => {
    const xml = responseXml(idp);
    const posted = [base64Of(`\ufeff${xml}`), base64Of(xml).replace(/.{76}/g, '$&\r\n'), base64Of(xml).replace(/=+$/, '')];
    for (const samlResponse of posted)
      expect(checkResponse({ samlResponse, expected: expectationOf(idp) })).toMatchObject({ status: 'OK' });
  });

  it('begun by the identity provider, wherever it was sent', () => {
    const samlResponse = postedResponse(idp, { acsUrl: 'https://elsewhere.example.com/acs' });
    expect(checkResponse({ samlResponse, expected: expectationOf(idp) })).toMatchObject({ status: 'OK' });
    const login = loginExpectationOf(idp, REQUEST, { allowsUnsolicited: true });
    expect(checkResponse({ samlResponse: postedResponse(idp), expected: login })).toMatchObject({ status: 'OK' });
  });
});

describe('the claims', () => {
  it('are those of the subject and of all attributes of a name', () => {
    const attributes = [
      { name: 'mail', values: ['first@example.com'] },
      { name: 'mail', values: ['second@example.com', 'third@example.com'] },
      { name: 'mail', values: [''] },
      { name: 'NameID', values: ['somebody else'] },
      { name: 'NameIDFormat', values: ['something else'] },
      { name: 'empty', values: [] },
      { name: '__proto__', values: ['kept'] },
    ];
    const answer = answerTo({ attributes, nameIdFormat: null });
    const claims = answer.status === 'OK' ? answer.claims : {};
    expect(Object.keys(claims)).toEqual(['NameID', 'mail', '__proto__']);
    expect(claims['mail']).toEqual(['first@example.com', 'second@example.com', 'third@example.com']);
    expect(Object.getOwnPropertyDescriptor(claims, '__proto__')?.value).toEqual(['kept']);
  });

  it('say nothing of a name that is empty', () => {
    expect(answerTo({ nameId: ' ' })).toMatchObject({ status: 'OK', claims: {} });
  });
});

describe('an assertion is remembered', () => {
  const now = Date.now();
  const kept = (options: ResponseOptions): number => {
    const answer = answerTo({ now, ...options }, { now });
    return answer.status === 'OK' ? answer.keepUntil - now : Number.NaN;
  };

  it('until nothing in it holds any more, with the tolerance and a minute, and no longer than a day', () => {
    expect(kept({ confirmedUntil: 1000, notOnOrAfter: 400 })).toBe(1_120_000);
    expect(kept({ confirmedUntil: 400, notOnOrAfter: 1000 })).toBe(1_120_000);
    expect(kept({ confirmedUntil: 100, notOnOrAfter: 100 })).toBe(420_000);
    expect(kept({ confirmedUntil: 10_000_000 })).toBe(86_400_000);
  });

  it('by the id in the signed bytes', () => {
    expect(answerTo({ assertionId: '_this-one' })).toMatchObject({ assertionId: '_this-one' });
  });
});

describe('asked without expectation', () => {
  it('tells the unproven issuer, if there is one', () => {
    const samlResponse = postedResponse(idp, { sign: 'none' });
    expect(checkResponse({ samlResponse })).toEqual({ status: 'READABLE', issuer: idp.entityId, inResponseTo: undefined });
    const nameless = responseXml(idp, { sign: 'none' }).replaceAll(/<saml:Issuer.*?<\/saml:Issuer>/g, '');
    expect(checkResponse({ samlResponse: base64Of(nameless) })).toEqual({ status: 'READABLE', issuer: undefined, inResponseTo: undefined });
    expect(checkResponse({ samlResponse: postedResponse(idp, { inResponseTo: REQUEST }) })).toMatchObject({ inResponseTo: REQUEST });
  });

  it.each([
    ['nothing', ''],
    ['no base64', 'a!b'],
    ['base64 of one digit too many', 'AAAAA'],
    ['bytes that are no text', Buffer.from([0x3c, 0xff, 0xfe]).toString('base64')],
    ['no XML', base64Of('hello')],
    ['XML that does not end', base64Of('<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">')],
    ['another root', base64Of('<Response/>')],
    ['an assertion as root', base64Of('<a:Assertion xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"/>')],
  ])('refuses %s', (_, samlResponse) => expect(checkResponse({ samlResponse })).toEqual({ status: 'MALFORMED' }));
});
