import { verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readAttestation } from '../../../src/crypto/webauthn/attestation.ts';
import { readAuthenticatorData } from '../../../src/crypto/webauthn/authenticator-data.ts';
import { readClientData } from '../../../src/crypto/webauthn/client-data.ts';
import { readCoseKey } from '../../../src/crypto/webauthn/cose-key.ts';
import { sha256 } from '../../software-authenticator.ts';
import { VECTORS } from './vectors.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe.each(VECTORS)('the example $name of the standard', ({ algorithm, registration, assertion }) => {
  const attestation = readAttestation(bytes(registration.attestationObject));
  const key = readCoseKey(attestation?.data.attested?.publicKey ?? Buffer.alloc(0));

  test('registers', () => {
    const clientData = readClientData(bytes(registration.clientData));
    expect(clientData).toEqual({
      type: 'webauthn.create',
      challenge: bytes(registration.challenge),
      origin: 'https://example.org',
      isCrossOrigin: false,
    });
    expect(attestation?.data.relyingPartyIdHash).toEqual(sha256('example.org'));
    expect(attestation?.data.isUserPresent).toBe(true);
    expect(key?.algorithm).toBe(algorithm);
  });

  test('signs in', () => {
    const clientData = bytes(assertion.clientData);
    expect(readClientData(clientData)).toMatchObject({ type: 'webauthn.get', challenge: bytes(assertion.challenge) });
    const data = bytes(assertion.authenticatorData);
    expect(readAuthenticatorData(data)).toMatchObject({ counter: 0, attested: undefined });
    if (!key) throw new Error('no key');
    const signed = Buffer.concat([data, sha256(clientData)]);
    expect(verify(key.digest, signed, key.key, bytes(assertion.signature))).toBe(true);
    signed.writeUInt8(signed.readUInt8(0) ^ 1, 0);
    expect(verify(key.digest, signed, key.key, bytes(assertion.signature))).toBe(false);
  });
});
