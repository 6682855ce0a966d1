import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../src/crypto/base64.ts';
import {
  hash1,
  hash2,
  newRefreshTokenMasterKey,
  openRefreshToken,
  type RefreshTokenPayload,
  refreshTokenNonce,
  sealRefreshToken,
} from '../../src/crypto/refresh-token.ts';
import { MASTER, REFRESH_TOKEN, REFRESH_TOKEN_H1, REFRESH_TOKEN_H2 } from './vectors.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

const FORMAT = 'io.supertokens.session.refreshToken.RefreshToken$InvalidRefreshTokenFormatException: ';
const PAYLOAD: RefreshTokenPayload = {
  sessionHandle: '6b2f0b9e-3f5e-4a4a-9a0e-0d6f3c2b1a00_t1',
  userId: "ext=<u>'1",
  parentRefreshTokenHash1: null,
  nonce: refreshTokenNonce('11111111-2222-4333-8444-555555555555'),
  antiCsrfToken: null,
  tenantId: 't1',
};
const refusal = (message: string): object => ({ status: 'UNAUTHORISED', message });

describe('refresh tokens', () => {
  it('makes the master key of vector R', () => {
    const blocks = [0x00, 0x40].map((first) => Buffer.from(Array.from({ length: 64 }, (_, index) => first + index)));
    expect(newRefreshTokenMasterKey(() => blocks.shift() ?? Buffer.alloc(0))).toBe(MASTER);
  });

  it('opens vector R and hashes it', () => {
    expect(openRefreshToken(REFRESH_TOKEN, MASTER)).toEqual({ status: 'OK', payload: PAYLOAD });
    expect(hash1(REFRESH_TOKEN)).toBe(REFRESH_TOKEN_H1);
    expect(hash2(REFRESH_TOKEN_H1)).toBe(REFRESH_TOKEN_H2);
  });

  it('seals with the layout of vector R', () => {
    const iv = Buffer.from(Array.from({ length: 12 }, (_, index) => index));
    const [sealed = '', nonce, type] = sealRefreshToken(PAYLOAD, MASTER, () => iv).split('.');
    // Up to the first escaped character the plaintext, and so the ciphertext, is that of the vector.
    expect(sealed.slice(0, 100)).toBe(REFRESH_TOKEN.slice(0, 100));
    expect([nonce, type]).toEqual([PAYLOAD.nonce, 'V2']);
  });

  it('opens what it seals', () => {
    const text = fc.string({ unit: 'grapheme' });
    const optional = fc.option(text);
    const payloads = fc.record({
      sessionHandle: text,
      userId: text,
      parentRefreshTokenHash1: optional,
      nonce: fc.stringMatching(/^[0-9a-f]{64}$/),
      antiCsrfToken: optional,
      tenantId: text,
    });
    fc.assert(
      fc.property(payloads, (payload) => {
        expect(openRefreshToken(sealRefreshToken(payload, MASTER, randomBytes), MASTER)).toEqual({ status: 'OK', payload });
      }),
    );
  });

  const [sealed = '', nonce = ''] = REFRESH_TOKEN.split('.');
  it.each([
    ['', `${FORMAT}version of refresh token not recognised`],
    ['....', `${FORMAT}version of refresh token not recognised`],
    ['a.b.V3', `${FORMAT}version of refresh token not recognised`],
    ['V2', `${FORMAT}Refresh token split with dot yielded an array of length: 1`],
    ['a.b.v1.', `${FORMAT}version of refresh token not recognised`],
    [`${'A'.repeat(400 * 1024)}.b.v1`, 'Invalid refresh token'],
    ['a.b.c.v1', `${FORMAT}Refresh token split with dot yielded an array of length: 4`],
    ['ab*d.n.V2', 'java.lang.IllegalArgumentException: Illegal base64 character 2a'],
    ['ab-d.n.V2', 'java.lang.IllegalArgumentException: Illegal base64 character 2d'],
    ['AAAA.n.V2', 'javax.crypto.AEADBadTagException: Tag mismatch'],
    ['.n.V2', 'javax.crypto.AEADBadTagException: Tag mismatch'],
    [`B${sealed.slice(1)}.${nonce}.V2`, 'javax.crypto.AEADBadTagException: Tag mismatch'],
    [`${sealed}.${nonce.replace('c', 'd')}.V2`, 'Invalid refresh token'],
  ])('refuses %j', (token, message) => expect(openRefreshToken(token, MASTER)).toEqual(refusal(message)));

  it('refuses a token of another app', () => {
    expect(openRefreshToken(REFRESH_TOKEN, newRefreshTokenMasterKey(randomBytes))).toEqual(
      refusal('javax.crypto.AEADBadTagException: Tag mismatch'),
    );
  });

  it.each(['v0', 'V1', 'v2'])('takes the type %s alike', (type) => {
    expect(openRefreshToken(`${sealed}.${nonce}.${type}`, MASTER).status).toBe('OK');
  });

  it('never throws on rubbish', () => {
    const pieces = fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 });
    fc.assert(fc.property(pieces, (parts) => openRefreshToken([...parts, 'V2'].join('.'), MASTER).status === 'UNAUTHORISED'));
  });
});

describe('strict base64', () => {
  it.each([
    ['', ''],
    ['YQ', '61'],
    ['YQ==', '61'],
    ['YR==', '61'],
    ['YWI', '6162'],
    ['YWI=', '6162'],
    ['+/+/', 'fbffbf'],
  ])('%j is %s', (text, hex) => expect(decodeBase64(text, 'standard')).toEqual({ bytes: Buffer.from(hex, 'hex') }));

  it.each([
    ['A', 'Input byte[] should at least have 2 bytes for base64 bytes'],
    ['AAAAA', 'Last unit does not have enough valid bits'],
    ['A===', 'Last unit does not have enough valid bits'],
    ['====', 'Input byte array has wrong 4-byte ending unit'],
    ['YQ=', 'Input byte array has wrong 4-byte ending unit'],
    ['YQ=a', 'Input byte array has wrong 4-byte ending unit'],
    ['YWI==', 'Input byte array has incorrect ending byte at 4'],
    ['YQ==YQ==', 'Input byte array has incorrect ending byte at 4'],
    ['YQ \n', 'Illegal base64 character 20'],
    ['YQé', 'Illegal base64 character -17'],
    ['YQ\u20ac', 'Illegal base64 character 3f'],
    ['_-_-', 'Illegal base64 character 5f'],
  ])('refuses %j', (text, error) => expect(decodeBase64(text, 'standard')).toEqual({ error }));

  it('keeps the two alphabets apart', () => {
    expect(decodeBase64('_-_-', 'url')).toEqual({ bytes: Buffer.from('ffeffe', 'hex') });
    expect(decodeBase64('+/+/', 'url')).toEqual({ error: 'Illegal base64 character 2b' });
  });

  it('agrees with the encoder', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(decodeBase64(buffer.toString('base64'), 'standard')).toEqual({ bytes: buffer });
        expect(decodeBase64(buffer.toString('base64url'), 'url')).toEqual({ bytes: buffer });
      }),
    );
  });
});
