import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { signRequest } from '../../../src/crypto/saml/sign-request.ts';
import { newSpCredential } from '../../../src/crypto/saml/sp-credential.ts';

describe('the credential of a service provider', () => {
  it('is an RSA-2048 key with a self-signed certificate for ten years', async () => {
    const now = Date.parse('2026-02-03T04:05:06.789Z');
    const made = await newSpCredential(now);
    const certificate = new X509Certificate(Buffer.from(made.certificate, 'base64'));
    expect(certificate.subject).toBe('CN=SAML-SP\nO=SuperTokens\nC=US');
    expect(certificate.issuer).toBe(certificate.subject);
    expect(Date.parse(certificate.validFrom)).toBe(Date.parse('2026-02-03T04:05:06Z'));
    expect(Date.parse(certificate.validTo)).toBe(made.notAfter);
    expect(made.notAfter - Date.parse(certificate.validFrom)).toBe(10 * 365 * 86_400_000);
    expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n });
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    const key = createPrivateKey({ key: Buffer.from(made.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    expect(certificate.checkPrivateKey(key)).toBe(true);
    const der = Buffer.from(made.certificate, 'base64').toString('hex');
    expect(der).toContain('0603551d0f0101ff0404030205a0');
    expect(der).toContain('0603551d130101ff04023000');
  });

  it('has a serial number of its own, and a year of four digits from 2050 on', async () => {
    const [first, second] = await Promise.all([newSpCredential(Date.parse('2045-01-01T00:00:00Z')), newSpCredential(Date.now())]);
    const [late, usual] = [first, second].map(({ certificate }) => new X509Certificate(Buffer.from(certificate, 'base64')));
    expect(Date.parse(late?.validTo ?? '')).toBe(first.notAfter);
    expect(late?.serialNumber).toMatch(/^[0-9A-F]{1,32}$/);
    expect(late?.serialNumber).not.toBe(usual?.serialNumber);
  });
});

describe('an AuthnRequest', () => {
  const REQUEST =
    '<?xml version="1.0" encoding="UTF-8"?><saml2p:AuthnRequest xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_one" Version="2.0">' +
    '<saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion">https://sp.example.com?a&amp;b</saml2:Issuer>' +
    '<saml2p:NameIDPolicy AllowCreate="true"/></saml2p:AuthnRequest>';

  it('is signed behind its issuer, and the signature holds', async () => {
    const key = await newSpCredential(Date.now());
    const signed = signRequest(REQUEST, key);
    expect(signed).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?><saml2p:AuthnRequest/);
    expect(signed).toMatch(/<\/saml2:Issuer><ds:Signature .*<\/ds:Signature><saml2p:NameIDPolicy/);
    expect(signed).toContain('<ds:Reference URI="#_one">');
    expect(signed).toContain(`<ds:X509Certificate>${key.certificate}</ds:X509Certificate>`);
    const checker = new SignedXml({ publicCert: new X509Certificate(Buffer.from(key.certificate, 'base64')).publicKey });
    checker.loadSignature(/<ds:Signature .*<\/ds:Signature>/.exec(signed)?.[0] ?? '');
    expect(checker.checkSignature(signed)).toBe(true);
  });

  it('is not signed with a key that is none, and the text does not tell it', () => {
    expect(() => signRequest(REQUEST, { privateKey: 'c2VjcmV0', certificate: '' })).toThrow(/^(?!.*c2VjcmV0)/);
  });
});
