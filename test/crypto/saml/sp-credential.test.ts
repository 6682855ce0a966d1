import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
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
