import { describe, expect, it } from 'vitest';
import type { SamlExpectation } from '../../../src/crypto/saml/saml.ts';
import type { ResponseOptions } from '../../saml-idp/response.ts';
import { ask, honest, REQUEST } from './scene.ts';

/** Responses that are signed by the right identity provider and still not for this login, this service or this moment (contract 06 sections 2.5 and 6.6). */
const now = Date.parse('2026-03-01T12:00:00.000Z');
const iso = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
const IDP_BEGAN: Partial<SamlExpectation> = { acsUrl: undefined, requestIds: [], allowsUnsolicited: true };

/** What becomes of a response: its options, what is expected besides, and the text before it is signed is out of reach. */
const statusOf = (options: ResponseOptions, changes: Partial<SamlExpectation> = {}): string =>
  ask(honest({ now, ...options }), { now, ...changes }).status;

describe('the unchanged response', () => {
  it.each(['assertion', 'response', 'both'] as const)('is accepted with signature on: %s', (sign) => expect(statusOf({ sign })).toBe('OK'));
});

describe('a response that is meant for somebody else is refused', () => {
  it.each<[string, ResponseOptions]>([
    ['another audience', { audiences: ['https://other.example.com'] }],
    ['an audience that begins like ours', { audiences: ['https://saml.supertokens.com.evil.example'] }],
    ['an audience in another case', { audiences: ['https://SAML.supertokens.com'] }],
    ['no audience', { audiences: [] }],
    ['another recipient', { recipient: 'https://other.example.com/acs' }],
    ['a recipient with a slash more', { recipient: 'https://app.example.com/acs/' }],
    ['another destination', { destination: 'https://other.example.com/acs' }],
    ['an empty destination', { destination: '' }],
    ['another issuer', { issuer: 'https://other.example.com' }],
    ['an answer to another request', { inResponseTo: '_other' }],
    ['an answer to an empty request', { inResponseTo: '' }],
    ['an answer to no request', { inResponseTo: undefined }],
    ['a failure', { status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }],
    ['a failure of authentication', { status: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed' }],
    ['a name that is too long', { nameId: 'a'.repeat(1025) }],
    ['a name with a control character', { nameId: 'ad\u007fmin' }],
  ])('%s', (_, options) => {
    for (const sign of ['assertion', 'response', 'both'] as const) expect(statusOf({ sign, ...options })).toBe('REFUSED');
  });

  it('an answer to a login where the identity provider began: it was stripped of its relay state', () => {
    expect(statusOf({}, IDP_BEGAN)).toBe('REFUSED');
    expect(statusOf({ inResponseTo: undefined }, IDP_BEGAN)).toBe('OK');
  });

  it('an answer to no request with a relay state that was stolen or forced on somebody', () => {
    const stolen = { inResponseTo: undefined } as const;
    expect(statusOf(stolen)).toBe('REFUSED');
    expect(statusOf(stolen, { allowsUnsolicited: true })).toBe('OK');
  });

  it('an unsigned InResponseTo around an assertion that names no request', () => {
    const around = (sign: 'assertion' | 'response'): string => {
      const xml = honest({ now, sign: 'none', inResponseTo: undefined });
      expect(xml).not.toContain('InResponseTo');
      return honest({ now, sign, inResponseTo: undefined }).replace(' Destination=', ` InResponseTo="${REQUEST}" Destination=`);
    };
    expect(ask(around('assertion'), { now })).toMatchObject({ reason: 'no SubjectConfirmation that holds: no signed InResponseTo' });
    expect(ask(around('response'), { now }).status).toBe('REFUSED');
  });

  it('unsigned statements of the Response can only make matters worse', () => {
    const xml = honest({ now, sign: 'assertion' });
    const worse = [
      xml.replace('status:Success', 'status:Requester'),
      xml.replace(/InResponseTo="[^"]*"/, 'InResponseTo="_other"'),
      xml.replace(/Destination="[^"]*"/, 'Destination="https://other.example.com"'),
      xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2020-01-01T00:00:00Z"'),
      xml.replace('</saml:Issuer>', 'x</saml:Issuer>'),
      xml.replace('Version="2.0"', 'Version="1.1"'),
    ];
    expect(worse.map((text) => ask(text, { now }).status)).toEqual(worse.map(() => 'REFUSED'));
    const bad = honest({ now, sign: 'assertion', audiences: ['https://other.example.com'] });
    expect(ask(bad, { now }).status).toBe('REFUSED');
  });
});

describe('times', () => {
  it.each<[string, ResponseOptions, number, string]>([
    ['issued 300 s ago', { issued: -300 }, 0, 'OK'],
    ['issued 301 s ago', { issued: -301 }, 0, 'REFUSED'],
    ['issued in 300 s', { issued: 300 }, 0, 'OK'],
    ['issued in 301 s', { issued: 301 }, 0, 'REFUSED'],
    ['valid from now on', { notBefore: 0 }, 0, 'OK'],
    ['valid in a second', { notBefore: 1 }, 0, 'REFUSED'],
    ['valid in 60 s, with that tolerance', { notBefore: 60 }, 60_000, 'OK'],
    ['valid in 61 s, with a tolerance of 60', { notBefore: 61 }, 60_000, 'REFUSED'],
    ['valid until now', { notOnOrAfter: 0 }, 0, 'OK'],
    ['valid until a second ago', { notOnOrAfter: -1 }, 0, 'REFUSED'],
    ['valid until 60 s ago, with that tolerance', { notOnOrAfter: -60 }, 60_000, 'OK'],
    ['valid until 61 s ago, with a tolerance of 60', { notOnOrAfter: -61 }, 60_000, 'REFUSED'],
    ['confirmed until now', { confirmedUntil: 0 }, 0, 'OK'],
    ['confirmed until a second ago', { confirmedUntil: -1 }, 0, 'REFUSED'],
    ['confirmed without end', { confirmedUntil: null }, 60_000, 'REFUSED'],
  ])('%s', (_, options, toleranceMs, status) => expect(statusOf(options, { toleranceMs })).toBe(status));

  it('an assertion as old as what is forgotten is refused, however long it says to hold', () => {
    const day = 86_400;
    const xml = honest({ now: now - day * 1000, sign: 'assertion', confirmedUntil: 10 * day, notOnOrAfter: 10 * day });
    const fresh = xml.replace(/IssueInstant="[^"]*"/, `IssueInstant="${iso(0)}"`);
    expect(ask(xml, { now: now - day * 1000 }).status).toBe('OK');
    expect(ask(fresh, { now })).toMatchObject({ reason: 'the Assertion was not issued just now' });
  });
});

describe('a signed statement that is not as it should be is refused', () => {
  /** Both ways to write it: the signer signs the changed text. */
  const changed = (change: (xml: string) => string): string => {
    const plain = honest({ now, sign: 'none' });
    const text = change(plain);
    expect(text).not.toBe(plain);
    return honest({ now, rewrite: change });
  };
  const END = `NotOnOrAfter="${iso(300)}"`;

  it.each<[string, (xml: string) => string]>([
    ['a time that is none', (xml) => xml.replaceAll(END, 'NotOnOrAfter="tomorrow"')],
    ['an empty time', (xml) => xml.replaceAll(END, 'NotOnOrAfter=""')],
    ['a time without zone', (xml) => xml.replaceAll(END, 'NotOnOrAfter="2026-03-01T13:00:00"')],
    ['a day that does not exist', (xml) => xml.replaceAll(END, 'NotOnOrAfter="2027-02-30T00:00:00Z"')],
    ['a year of five digits', (xml) => xml.replaceAll(END, 'NotOnOrAfter="12026-03-01T13:00:00Z"')],
    [
      'NotBefore in a confirmation',
      (xml) => xml.replace('<saml:SubjectConfirmationData', `<saml:SubjectConfirmationData NotBefore="${iso(-60)}"`),
    ],
    ['a confirmation of another method', (xml) => xml.replace('cm:bearer', 'cm:holder-of-key')],
    ['no confirmation', (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '')],
    ['a confirmation without data', (xml) => xml.replace(/<saml:SubjectConfirmationData.*<\/saml:SubjectConfirmationData>/, '')],
    ['no subject', (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, '')],
    ['no conditions', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '')],
    ['two sets of conditions', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '$&$&')],
    ['an unknown condition', (xml) => xml.replace('</saml:Conditions>', '<saml:Condition></saml:Condition></saml:Conditions>')],
    [
      'a second restriction that is not for us',
      (xml) =>
        xml.replace(
          '</saml:Conditions>',
          '<saml:AudienceRestriction><saml:Audience>urn:x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
        ),
    ],
    ['a session that is over', (xml) => xml.replace('<saml:AuthnStatement ', `<saml:AuthnStatement SessionNotOnOrAfter="${iso(-120)}" `)],
    ['two names', (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '$&$&')],
    ['a name of elements', (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, '$1<x>admin</x>')],
    [
      'an issuer of another format',
      (xml) => xml.replaceAll('<saml:Issuer', '<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"'),
    ],
    [
      'an issuer of a foreign kind',
      (xml) => xml.replace(/( Version="2.0">)<saml:Issuer>(.*?)<\/saml:Issuer>/, '$1<Issuer xmlns="urn:x">$2</Issuer>'),
    ],
    [
      'an assertion without time',
      (xml) => xml.replace(/ IssueInstant="[^"]*" Version="2.0"><saml:Issuer>/, ' Version="2.0"><saml:Issuer>'),
    ],
    ['an assertion of another version', (xml) => xml.replace('Version="2.0"><saml:Issuer>', 'Version="2.1"><saml:Issuer>')],
    ['no status', (xml) => xml.replace(/<samlp:Status>.*<\/samlp:Status>/, '')],
  ])('%s', (_, change) => expect(ask(changed(change), { now }).status).toBe('REFUSED'));

  it.each<[string, (xml: string) => string]>([
    ['a time with an offset and a long fraction', (xml) => xml.replaceAll(END, 'NotOnOrAfter="2026-03-01T14:05:00.1234567+02:00"')],
    [
      'conditions of one use and of proxies',
      (xml) =>
        xml.replace(
          '</saml:Conditions>',
          '<saml:OneTimeUse></saml:OneTimeUse><saml:ProxyRestriction></saml:ProxyRestriction></saml:Conditions>',
        ),
    ],
    [
      'one of two confirmations that holds',
      (xml) =>
        xml.replace(
          /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/,
          '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"></saml:SubjectConfirmation>$&',
        ),
    ],
    ['a session that goes on', (xml) => xml.replace('<saml:AuthnStatement ', `<saml:AuthnStatement SessionNotOnOrAfter="${iso(3600)}" `)],
  ])('but not %s', (_, change) => expect(ask(changed(change), { now }).status).toBe('OK'));
});
