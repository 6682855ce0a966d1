import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashDeviceId, hashLinkCode, linkCodeOf, newDeviceSecrets, newUserInputCode } from '../../src/crypto/passwordless-codes.ts';

const counting = (from: number): Buffer => Buffer.from(Array.from({ length: 32 }, (_, at) => from + at));

/** The worked examples of contract 03 section 1.4. */
const VECTORS = [
  {
    deviceId: counting(0x00),
    salt: counting(0x20),
    userInputCode: '123456',
    shownDeviceId: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    shownSalt: 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=',
    deviceIdHash: 'Yw3NKWbEM2aRElRIu7JbT_QSpJxzLbLIq8G4WBvXEN0',
    linkCode: 'GG0Ss4OqlRCeHdv7UHj5zeJmudmi8pXGJTZlfjEbW4Q',
    linkCodeHash: 'nDpoavHqv8vldu3TKssOJvqFyOknHBs1tz-eXK0LVps=',
  },
  {
    deviceId: Buffer.alloc(32, 0xfb),
    salt: Buffer.alloc(32, 0xff),
    userInputCode: '000000',
    shownDeviceId: '+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=',
    shownSalt: Buffer.alloc(32, 0xff).toString('base64'),
    deviceIdHash: 'RWoEmGwlct4ZsFjvLvILAHcBe82xWBmvBS651dm45QQ',
    linkCode: 'sdZA9YZbvMcjSg4I3wdkQHgd46Th1XmR6P6CZ4PzA0k',
    linkCodeHash: 'gGG6KjV-GTcFieC637hy_MAWv-QfZiIQCTVZ737b-4U=',
  },
];

describe('codes are those of the interface, bit for bit', () => {
  test.each(VECTORS)('code $userInputCode', (vector) => {
    const drawn = [vector.deviceId, vector.salt];
    const secrets = newDeviceSecrets(() => drawn.shift() ?? Buffer.alloc(0));
    expect(secrets.deviceId.toString('base64')).toBe(vector.shownDeviceId);
    expect(secrets.salt).toBe(vector.shownSalt);
    expect(hashDeviceId(secrets.deviceId)).toBe(vector.deviceIdHash);
    const linkCode = linkCodeOf(secrets, vector.userInputCode);
    expect(linkCode.toString('base64url')).toBe(vector.linkCode);
    expect(hashLinkCode(linkCode)).toBe(vector.linkCodeHash);
  });

  test('any text may be a code', () => {
    const secrets = newDeviceSecrets(randomBytes);
    const codes = ['', 'my code', 'MY CODE', 'ünï', '😀', '\0'].map((text) => linkCodeOf(secrets, text).toString('hex'));
    expect(new Set(codes).size).toBe(codes.length);
  });
});

describe('drawn codes', () => {
  test('have six digits, leading zeros kept', () => {
    expect(newUserInputCode(() => Buffer.from([0, 0, 7]))).toBe('000007');
    for (let round = 0; round < 500; round += 1) expect(newUserInputCode(randomBytes)).toMatch(/^\d{6}$/);
  });

  test('are equally likely: what lies beyond a whole number of rounds is drawn again', () => {
    const draws = [Buffer.from([0xff, 0xff, 0xff]), Buffer.from([0xf4, 0x24, 0x00]), Buffer.from([0xf4, 0x23, 0xff])];
    expect(newUserInputCode(() => draws.shift() ?? Buffer.alloc(3))).toBe('999999');
    expect(draws).toEqual([]);
  });
});
