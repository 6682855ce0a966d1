import { describe, expect, test } from 'vitest';
import type { HashParameters } from '../../src/crypto/crypto.ts';
import { HASH_LIMITS } from '../../src/crypto/hash-limits.ts';
import {
  canMatch,
  type HashFamily,
  hashFamily,
  isForeignHash,
  isTooCostly,
  isWellFormed,
  shouldRehash,
} from '../../src/crypto/password-hashes.ts';
import { verifyPassword } from '../../src/crypto/passwords.ts';
import { signedBcrypt } from '../../src/crypto/signed-bcrypt.ts';

const hex64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const text64 = (text: string): string => Buffer.from(text).toString('base64');

const HELLO = 'Hello world!';
const LONG = 'a very much longer text to encrypt.  This one even stretches over morethan one line.';

/** Published vectors: whose they are, password, hash. Only what base64 they are written in is changed. */
const VECTORS: readonly (readonly [family: HashFamily, source: string, password: string, hash: string])[] = [
  [
    'scrypt',
    'RFC 7914',
    'password',
    `$scrypt$ln=10,r=8,p=16$${text64('NaCl')}$${hex64(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    )}`,
  ],
  [
    'scrypt',
    'RFC 7914',
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${text64('SodiumChloride')}$${hex64(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    )}`,
  ],
  ['scrypt', 'passlib', 'password', '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'],
  ['pbkdf2', 'RFC 6070', 'password', `$pbkdf2$4096$${text64('salt')}$${hex64('4b007901b765489abead49d926f721d065a429c1')}`],
  [
    'pbkdf2',
    'RFC 6070',
    'passwordPASSWORDpassword',
    `$pbkdf2-sha1$i=4096,l=25$${text64('saltSALTsaltSALTsaltSALTsaltSALTsalt')}$${hex64('3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038')}`,
  ],
  [
    'pbkdf2',
    'RFC 7914',
    'passwd',
    `$pbkdf2-sha256$i=1,l=64$${text64('salt')}$${hex64(
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
    )}`,
  ],
  ['pbkdf2', 'passlib', 'toomanysecrets', '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk'],
  ['pbkdf2', 'Django', 'l\u00e8tmein', `$pbkdf2-sha256$260000$${text64('seasalt')}$YlZ2Vggtqdc61YjArZuoApoBh9JNGYoDRBUGu6tcJQo=`],
  [
    'pbkdf2',
    'many implementations, as RFC 6070',
    'password',
    `$pbkdf2-sha512$4096$${text64('salt')}$${hex64(
      'd197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5',
    )}`,
  ],
  ['shaCrypt', 'Drepper', HELLO, '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  ['shaCrypt', 'Drepper', HELLO, '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA'],
  ['shaCrypt', 'Drepper', LONG, '$5$rounds=1400$anotherlongsalts$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1'],
  ['shaCrypt', 'musl', '', '$5$$3c2QQ0KjIU1OLtB29cl8Fplc2WN7X89bnoEjaR7tWu.'],
  ['shaCrypt', 'Drepper', HELLO, '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1'],
  [
    'shaCrypt',
    'Drepper',
    LONG,
    '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
  ],
  [
    'shaCrypt',
    'Drepper',
    'we have a short salt string but not a short password',
    '$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0',
  ],
  ['md5Crypt', 'glibc', HELLO, '$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1'],
  ['md5Crypt', 'PHP', 'rasmuslerdorf', '$1$rasmusle$rISCgZzpwk3UhDidwXvin0'],
  ['md5Crypt', 'crypt(3) of Go', 'abcdefghijk', '$1$$pL/BYSxMXs.jVuSV1lynn1'],
  // FIPS 180-2 appendix B.1: SHA-256 of "abc"; the salt is a part of it.
  [
    'saltedSha',
    'FIPS 180-2',
    'bc',
    `$salted-sha256$prefix$${text64('a')}$${hex64('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')}`,
  ],
  ['saltedSha', 'FIPS 180-2', 'ab', `$salted-sha1$suffix$${text64('c')}$${hex64('a9993e364706816aba3e25717850c26c9cd0d89d')}`],
  // RFC 4231 test case 2 and RFC 2202 test case 2 for HMAC: key "Jefe", data "what do ya want for nothing?".
  [
    'hmac',
    'RFC 4231',
    'what do ya want for nothing?',
    `$hmac-sha256$suffix$${text64('Jefe')}$$${hex64('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')}`,
  ],
  [
    'hmac',
    'RFC 2202',
    'want for nothing?',
    `$hmac-sha1$prefix$${text64('Jefe')}$${text64('what do ya ')}$${hex64('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79')}`,
  ],
];

describe('hashes of other systems', () => {
  test.each(VECTORS)('%s of %s: %j', async (family, _source, password, hash) => {
    expect(hashFamily(hash)).toBe(family);
    expect({ isForeign: isForeignHash(hash), canMatch: canMatch(hash), isCostly: isTooCostly(hash) }).toEqual({
      isForeign: true,
      canMatch: true,
      isCostly: false,
    });
    expect(await verifyPassword(password, hash, null)).toBe(true);
    expect(await verifyPassword(`${password}x`, hash, null)).toBe(false);
  });

  const DIGEST = 'A'.repeat(43);
  test.each([
    ['scrypt', '$scrypt$ln=0,r=8,p=1$$'],
    ['scrypt', `$scrypt$ln=0,r=8,p=1$c2FsdA$${DIGEST}`],
    ['scrypt', `$scrypt$ln=16,r=1,p=1$c2FsdA$${DIGEST}`],
    ['scrypt', `$scrypt$ln=14,r=0,p=1$c2FsdA$${DIGEST}`],
    ['scrypt', `$scrypt$ln=14,r=8,p=1$c2FsdA$${'A'.repeat(20)}`],
    ['pbkdf2', `$pbkdf2-sha256$0$c2FsdA$${DIGEST}`],
    ['pbkdf2', `$pbkdf2-sha256$i=1000,l=31$c2FsdA$${DIGEST}`],
    ['pbkdf2', `$pbkdf2-sha256$1000$c2FsdA$${DIGEST.slice(1)}B`],
    ['pbkdf2', '$pbkdf2-sha256$1000$c2FsdA$AAAA'],
    ['shaCrypt', `$5$rounds=999$salt$${DIGEST}`],
    ['shaCrypt', `$5$seventeenletters1$${DIGEST}`],
    ['shaCrypt', `$6$salt$${DIGEST}`],
    ['md5Crypt', `$1$ninechars$${'A'.repeat(22)}`],
    ['saltedSha', `$salted-sha1$prefix$c2FsdA$${DIGEST}`],
    ['saltedSha', `$salted-md5$prefix$c2FsdA$${'A'.repeat(22)}`],
    ['hmac', `$hmac-sha256$prefix$$c2FsdA$${DIGEST}`],
  ] as const)('a malformed %s matches nothing and is no costly one: %s', async (family, hash) => {
    expect({ isWell: isWellFormed(family, hash), canMatch: canMatch(hash), isCostly: isTooCostly(hash) }).toEqual({
      isWell: false,
      canMatch: false,
      isCostly: false,
    });
    expect(await verifyPassword('', hash, null)).toBe(false);
  });

  test.each([
    [`$scrypt$ln=20,r=8,p=1$c2FsdA$${DIGEST}`, true],
    [`$scrypt$ln=18,r=8,p=1$c2FsdA$${DIGEST}`, false],
    [`$scrypt$ln=14,r=8,p=257$c2FsdA$${DIGEST}`, true],
    [`$scrypt$ln=1,r=8,p=600000$c2FsdA$${DIGEST}`, true],
    [`$scrypt$ln=14,r=8,p=1$${'A'.repeat(172)}$${DIGEST}`, true],
    [`$pbkdf2-sha256$${HASH_LIMITS.pbkdf2Work}$c2FsdA$${DIGEST}`, false],
    [`$pbkdf2-sha256$${HASH_LIMITS.pbkdf2Work + 1}$c2FsdA$${DIGEST}`, true],
    [`$pbkdf2-sha1$${HASH_LIMITS.pbkdf2Work}$c2FsdA$${DIGEST}`, true],
    [`$5$rounds=${HASH_LIMITS.shaCryptRounds}$salt$${DIGEST}`, false],
    [`$5$rounds=${HASH_LIMITS.shaCryptRounds + 1}$salt$${DIGEST}`, true],
    [`$5$rounds=999999999$salt$${DIGEST}`, true],
  ])('%s costs too much: %s', async (hash, isCostly) => {
    expect({ isCostly: isTooCostly(hash), canMatch: canMatch(hash) }).toEqual({ isCostly, canMatch: !isCostly });
    if (isCostly) expect(await verifyPassword('x', hash, null)).toBe(false);
  });

  test('scrypt with many lanes can be computed', async () => {
    expect(await verifyPassword('x', `$scrypt$ln=4,r=8,p=1000$c2FsdA$${DIGEST}`, null)).toBe(false);
  });

  test('crypt(3) takes passwords of 512 bytes, whatever is sent', async () => {
    const hash = `$5$rounds=1000$salt$${DIGEST}`;
    for (const length of [512, 513, 8_000_000]) expect(await verifyPassword('x'.repeat(length), hash, null)).toBe(false);
  });
});

test('they are hashed anew, but for passwords that are known only up to their NULs', () => {
  const parameters: HashParameters = { algorithm: 'BCRYPT', rounds: 4 };
  for (const [, , password, hash] of VECTORS) expect(shouldRehash(hash, password, parameters)).toBe(true);
  expect(shouldRehash(`$pbkdf2$1$c2FsdA$${'A'.repeat(27)}`, 'x\0', parameters)).toBe(false);
});

test.each([
  // Published vectors of crypt_blowfish as UTF-8 can have them: the old sign extension, and the right hash under its mark.
  ['\u0451', '$2x$05$6bNw2HLQYeqHYyBfLMsv/OiwqTymGIGzFsA4hOTWebfehXHNprcAS', true],
  ['\u0451', '$2y$05$6bNw2HLQYeqHYyBfLMsv/OiwqTymGIGzFsA4hOTWebfehXHNprcAS', false],
  ['\u0452', '$2x$05$6bNw2HLQYeqHYyBfLMsv/OiwqTymGIGzFsA4hOTWebfehXHNprcAS', false],
  ['U*U', '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
])('bcrypt with signed bytes: %j for %s is %s', async (password, hash, matches) => {
  expect(await verifyPassword(password, hash, null)).toBe(matches);
});

// Published vectors whose passwords are no UTF-8, and so only for the function itself; digests in hexadecimal.
test.each([
  ['a3', '106ee09c971c43a19d8a25c595df91dff4f09b56543b98'],
  ['ffffa3', '106ee09c971c43a19d8a25c595df91dff4f09b56543b98'],
  ['31a3333435', 'a80069e3b657869f2a091716c4980012e9bad5386e6919'],
  ['ffa33334ffffffa3333435', 'a80069e3b657869f2a091716c4980012e9bad5386e6919'],
])('signed bytes %s', (key, digest) => {
  const salt = Buffer.from('05030085d5ed4c176b2ac3cbee47291c', 'hex');
  expect(signedBcrypt(Buffer.from(`${key}00`, 'hex'), salt, 5).toString('hex')).toBe(digest);
});
