import { createCipheriv, scryptSync } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argon2Engine, wasmEngine } from '../../src/crypto/argon2.ts';
import { secretBytesEqual, secretsEqual } from '../../src/crypto/constant-time.ts';
import type { HashParameters } from '../../src/crypto/crypto.ts';
import { HASH_LIMITS } from '../../src/crypto/hash-limits.ts';
import {
  canMatch,
  hashFamily,
  isFirebaseHash,
  isTooCostly,
  isVerifiable,
  parseArgon2,
  parseFirebase,
  shouldRehash,
  unknownUserHash,
} from '../../src/crypto/password-hashes.ts';
import { hashPassword, verifyPassword } from '../../src/crypto/passwords.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

const SIGNER_KEY = 'gRhC3eDeQOdyEn4bMd9c6kxguWVmcIVq/SKa0JDPFeM6TcEevkaW56sIWfx88OHbJKnCXdWscZx0l2WbCJ1wbg==';
const SALT = '/cj0jC1br5o4+w==';
const M14R8 = 'qZM035es5AXYqavsKD6/rhtxg7t5PhcyRgv5blc3doYbChX8keMfQLq1ra96O2Pf2TP/eZrR5xtPCYN6mX3ESA==';
const firebase = (digest: string, settings: string, salt = SALT): string => `$f_scrypt$${digest}$${salt}$${settings}`;
const GOOD_FIREBASE = firebase(M14R8, 'm=14$r=8$s=Bw==');
const BCRYPT_4: HashParameters = { algorithm: 'BCRYPT', rounds: 4 };
const ARGON2_SMALL: HashParameters = { algorithm: 'ARGON2', iterations: 1, memoryKb: 64, parallelism: 2 };

describe('hashes of the reference', () => {
  it.each([
    ['testPass123', '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm'],
    ['testPass123', '$2y$10$lib5x4nbosKuK31FI8gG1OPVi/EuVHRVM7qmg1EiGADYYcIxTMJfa'],
    ['testPass123', '$argon2id$v=19$m=16,t=2,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A'],
    ['testing123', '$argon2i$v=19$m=16,t=2,p=1$alJQU1VpOG9VWXlqV0dlYw$mThT4E5LULSyn/XhCZc9Hw'],
    ['testing123', '$argon2d$v=19$m=16,t=2,p=1$alJQU1VpOG9VWXlqV0dlYw$Ktlqf9xi1Toyx1XcbCwVUQ'],
    ['password', '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY'],
    ['testPass123', GOOD_FIREBASE],
    ['testPass123', firebase(M14R8, 's=Bw==$r=8$m=14')],
    ['testPass123', firebase(M14R8, 'm=+14$r=08$s=Bw', '_cj0jC1br5o4-w')],
    [
      'testPass123',
      firebase('9Y8ICWcqbzmI42DxV1jpyEjbrJPG8EQ6nI6oC32JYz+/dd7aEjI/R7jG9P5kYh8v9gyqFKaXMDzMg7eLCypbOA==', 'm=14$r=9$s=Bw=='),
    ],
    [
      'testPass123',
      firebase('LalFtzCxLIl14+ol6e/3cjHoa2B73ULiMN+Mjm+nJJEfQqtsXPpDX1VU4s9XyiuwGrQ5RN69PWL5DrHuNUH+RA==', 'm=15$r=8$s=Bw=='),
    ],
    // Published vector of crypt_blowfish: a hash that was made by the version which took bytes for signed numbers.
    ['\u0451', '$2x$05$6bNw2HLQYeqHYyBfLMsv/OiwqTymGIGzFsA4hOTWebfehXHNprcAS'],
    // Published jBCrypt vector of the empty password.
    ['', '$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.'],
  ])('%j matches %s', async (password, hash) => {
    expect(await verifyPassword(password, hash, SIGNER_KEY)).toBe(true);
    expect(await verifyPassword(`${password}x`, hash, SIGNER_KEY)).toBe(false);
    expect(canMatch(hash)).toBe(true);
  });

  it('needs the signer key for firebase hashes', async () => {
    expect(await verifyPassword('testPass123', GOOD_FIREBASE, null)).toBe(false);
    expect(await verifyPassword('testPass123', GOOD_FIREBASE, 'AAAA')).toBe(false);
  });

  it('reads passwords of firebase hashes as ASCII, one question mark for each code point beyond', async () => {
    const salt = Buffer.concat([Buffer.from(SALT, 'base64'), Buffer.from('Bw==', 'base64')]);
    const key = scryptSync('a??', salt, 64, { N: 2 ** 10, r: 8, p: 1 }).subarray(0, 32);
    const digest = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.from(SIGNER_KEY, 'base64')).toString('base64');
    const matches = (password: string): Promise<boolean> => verifyPassword(password, firebase(digest, 'm=10$r=8$s=Bw=='), SIGNER_KEY);
    expect(await Promise.all(['a??', 'a\u00e9\u{1f600}', 'a\u20ac\u00df', 'a???', 'ab?'].map(matches))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('malformed and absurd hashes match nothing, at once', () => {
  const argon2 = (settings: string, salt = 'c29tZXNhbHQ', digest = '/U3YPXYsSb3q9XxH'): string => `$argon2id$${settings}$${salt}$${digest}`;
  it.each([
    '',
    'plain',
    '$2aZZ',
    '$2a$10$short',
    '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkm!',
    '$2a$03$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm',
    '$2a$31$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm',
    '$2c$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm',
    '$argon2x$v=19$m=16,t=2,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A',
    argon2('v=17$m=64,t=1,p=1'),
    argon2('v=19$m=1073741824,t=1,p=1'),
    argon2('v=19$m=64,t=1000000000,p=1'),
    argon2('v=19$m=7,t=1,p=1'),
    argon2('v=19$m=64,t=0,p=1'),
    argon2('v=19$m=64,t=1,p=0'),
    argon2('v=19$m=64,t=1,p=9'),
    argon2('v=19$t=1,m=64,p=1'),
    argon2('v=19$m=64,t=1,p=1', 'c2FsdA'),
    argon2('v=19$m=64,t=1,p=1', 'c29tZXNhbHQ', 'AAA'),
    argon2('v=19$m=64,t=1,p=1', 'c29tZXNhbHQ='),
    argon2('v=19$m=64,t=1,p=1', 'c29tZXNhbHR'),
    argon2('v=19$m=64,t=1,p=1', 'A'.repeat(5000)),
    firebase(M14R8, 'm=14$r=8'),
    firebase(M14R8, 'm=14$r=8$s='),
    firebase(M14R8, 'm=14$r=x$s=Bw=='),
    firebase(M14R8, 'm=14$x=8$s=Bw=='),
    firebase(M14R8, 'm=30$r=8$s=Bw=='),
    firebase(M14R8, 'm=14$r=1000000$s=Bw=='),
    firebase(M14R8, 'm=1$r=2097151$s=Bw=='),
    firebase(M14R8, 'm=1$r=2147483647$s=Bw=='),
    firebase(M14R8, 'm=2147483647$r=1$s=Bw=='),
    firebase(M14R8, 'm=16$r=1$s=Bw=='),
    firebase(M14R8, 'm=14$r=8$s=Bw==', 'A'.repeat(1000)),
    firebase(M14R8, 'm=-1$r=8$s=Bw=='),
    firebase(M14R8, 'm=0$r=8$s=Bw=='),
    firebase(M14R8, 'm=14$r=8$s=Bw==$x=1'),
  ])('%j', async (hash) => {
    expect(await verifyPassword('testPass123', hash, SIGNER_KEY)).toBe(false);
    expect(canMatch(hash)).toBe(false);
  });

  it('whatever stands behind a known prefix', async () => {
    const prefixes = fc.constantFrom('$2a$04$', '$2b$', '$argon2id$', '$argon2i$m=16,t=1,p=1$', '$f_scrypt$');
    const property = fc.asyncProperty(prefixes, fc.string({ unit: 'binary' }), async (prefix, rest) => {
      expect(await verifyPassword('x', prefix + rest, SIGNER_KEY)).toBe(false);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('scrypt', () => {
  const rowsOf = (cost: number): number => Math.floor(HASH_LIMITS.scryptBytes / 128 / (cost + 3));
  it.each([1, 8, 15, 18])('may have 512 MiB for 2^%i rows', (memory) => {
    const blockSize = rowsOf(2 ** memory);
    const [full, more] = [blockSize, blockSize + 1].map((size) => firebase(M14R8, `m=${memory}$r=${size}$s=Bw==`));
    expect([canMatch(full ?? ''), isTooCostly(full ?? '')]).toEqual([true, false]);
    expect([canMatch(more ?? ''), isTooCostly(more ?? '')]).toEqual([false, true]);
  });

  it.each([
    [1, 1],
    [1, 20_000],
    [15, 1],
    [10, 100],
  ])('with 2^%i rows of %i blocks is given the memory it takes', async (memory, blockSize) => {
    expect(await verifyPassword('testPass123', firebase(M14R8, `m=${memory}$r=${blockSize}$s=Bw==`), SIGNER_KEY)).toBe(false);
  });

  it('a password of eight megabytes is as good as any', async () => {
    const small = firebase(M14R8, 'm=1$r=1$s=Bw==');
    expect(await verifyPassword('\u20ac'.repeat(8_000_000), small, SIGNER_KEY)).toBe(false);
  });
});

describe('what costs too much, and what is only malformed', () => {
  it.each([
    ['$2a$19$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm', true],
    ['$2y$31$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm', true],
    ['$2a$32$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm', false],
    ['$2a$18$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm', false],
    ['$2a$31$', false],
    ['$argon2id$v=19$m=4294967295,t=1000000,p=255$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A', true],
    ['$argon2i$m=8,t=4294967295,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A', true],
    ['$argon2id$v=19$m=4096,t=1,p=256$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A', true],
    ['$argon2id$v=19$m=4294967295,t=1000000,p=255$x', false],
    [firebase(M14R8, 'm=1$r=2097151$s=Bw=='), true],
    [firebase(M14R8, 'm=30$r=8$s=Bw=='), true],
    [firebase(M14R8, 'm=16$r=1$s=Bw=='), false],
    [firebase(M14R8, 'm=0$r=8$s=Bw=='), false],
    ['plain', false],
  ])('%s', (hash, expected) => expect(isTooCostly(hash)).toBe(expected));
});

describe('new hashes', () => {
  it.each([
    [BCRYPT_4, /^\$2a\$04\$[./A-Za-z0-9]{53}$/],
    [ARGON2_SMALL, /^\$argon2id\$v=19\$m=64,t=1,p=2\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/],
  ])('are made and verified: %j', async (parameters, form) => {
    const [first, second] = await Promise.all([hashPassword('pässword', parameters), hashPassword('pässword', parameters)]);
    expect(first).toMatch(form);
    expect(first).not.toBe(second);
    expect(await verifyPassword('pässword', first, null)).toBe(true);
    expect(await verifyPassword('password', first, null)).toBe(false);
  });

  it('refuses costs that could not be verified', async () => {
    for (const parameters of [
      { ...BCRYPT_4, rounds: 3 },
      { ...BCRYPT_4, rounds: 31 },
      { ...ARGON2_SMALL, memoryKb: 15 },
    ] as HashParameters[]) {
      await expect(hashPassword('x', parameters)).rejects.toThrow(RangeError);
      expect(isVerifiable(parameters)).toBe(false);
    }
  });

  it('sees 72 bytes of a password with bcrypt, cut also inside a character', async () => {
    const hash = await hashPassword('x'.repeat(72), BCRYPT_4);
    expect(await verifyPassword('x'.repeat(500), hash, null)).toBe(true);
    expect(await verifyPassword('x'.repeat(71), hash, null)).toBe(false);
    const cut = await hashPassword(`${'x'.repeat(71)}\u00e9`, BCRYPT_4);
    expect(await verifyPassword(`${'x'.repeat(71)}\u00e8`, cut, null)).toBe(true);
  });

  it('takes an empty password, and a NUL for what it is', async () => {
    for (const parameters of [BCRYPT_4, ARGON2_SMALL]) {
      const hash = await hashPassword('', parameters);
      expect(await verifyPassword('', hash, null)).toBe(true);
      expect(await verifyPassword('a', hash, null)).toBe(false);
      expect(await verifyPassword('a\0b', await hashPassword('a\0c', parameters), null)).toBe(false);
    }
  });

  it.each(['b', 'x', 'y'])('verifies $2%s like $2a', async (letter) => {
    const hash = await hashPassword('\u00ff\u00ff', BCRYPT_4);
    expect(await verifyPassword('\u00ff\u00ff', `$2${letter}${hash.slice(3)}`, null)).toBe(true);
  });
});

describe('unknown users', () => {
  it.each([BCRYPT_4, ARGON2_SMALL])('have a hash of the same cost that no password matches: %j', async (parameters) => {
    const hash = unknownUserHash(parameters);
    expect(hashFamily(hash)).toBe(parameters.algorithm === 'BCRYPT' ? 'bcrypt' : 'argon2');
    expect(hash).toHaveLength((await hashPassword('x', parameters)).length);
    for (const password of ['', 'x']) expect(await verifyPassword(password, hash, null)).toBe(false);
  });
});

describe('hashing again', () => {
  const bcryptOf = (rounds: string): string => `$2y$${rounds}$${'.'.repeat(53)}`;
  const argon2 = (head: string): string => `$${head}$c29tZXNhbHQ$/U3YPXYsSb3q9XxH`;
  const ARGON2: HashParameters = { algorithm: 'ARGON2', iterations: 2, memoryKb: 64, parallelism: 1 };
  const BCRYPT_11: HashParameters = { algorithm: 'BCRYPT', rounds: 11 };
  it.each<[hash: string, parameters: HashParameters, password: string, again: boolean]>([
    [bcryptOf('10'), BCRYPT_11, 'x', true],
    [bcryptOf('11'), BCRYPT_11, 'x', false],
    [bcryptOf('12'), BCRYPT_11, 'x', false],
    [bcryptOf('10'), BCRYPT_11, 'x'.repeat(100), true],
    [bcryptOf('12'), ARGON2, 'x'.repeat(71), true],
    [bcryptOf('12'), ARGON2, 'x'.repeat(72), false],
    [bcryptOf('12'), ARGON2, 'é'.repeat(36), false],
    ['$2aZZ', BCRYPT_11, 'x', false],
    [argon2('argon2id$v=19$m=64,t=2,p=1'), ARGON2, 'x', false],
    [argon2('argon2id$v=19$m=32,t=4,p=2'), ARGON2, 'x', false],
    [argon2('argon2id$v=19$m=64,t=1,p=1'), ARGON2, 'x', true],
    [argon2('argon2i$v=19$m=640,t=2,p=1'), ARGON2, 'x', true],
    [argon2('argon2id$m=640,t=2,p=1'), ARGON2, 'x', true],
    [argon2('argon2id$v=19$m=8,t=1,p=1'), BCRYPT_11, 'x', false],
    [argon2('argon2id$v=20$m=8,t=1,p=1'), ARGON2, 'x', false],
    [GOOD_FIREBASE, BCRYPT_11, 'x', true],
    [GOOD_FIREBASE, BCRYPT_11, 'é', false],
    ['nonsense', BCRYPT_11, 'x', false],
  ])('%s with %j: %s', (hash, parameters, password, again) => {
    expect(shouldRehash(hash, password, parameters)).toBe(again);
  });
});

describe('parsing', () => {
  it.each([
    [GOOD_FIREBASE, true],
    [firebase(M14R8, 'm=30$r=8$s=Bw=='), true],
    [firebase(M14R8, 'm=2147483648$r=8$s=Bw=='), false],
    [firebase(M14R8, 'm=14$r=8'), false],
    ['$2a$10$x', false],
  ])('%s is a firebase hash: %s', (hash, is) => expect(isFirebaseHash(hash)).toBe(is));

  it('reads argon2 parameters', () => {
    expect(parseArgon2(unknownUserHash(ARGON2_SMALL))).toMatchObject({ type: 'argon2id', version: 19, memoryKb: 64, parallelism: 2 });
    expect(parseArgon2('$argon2d$m=16,t=1,p=1$c29tZXNhbHQ$AAAAAA')).toMatchObject({ type: 'argon2d', version: 16 });
  });

  it('cuts a firebase setting at the next occurrence of its prefix', () => {
    expect(parseFirebase(firebase('x', 'm=14$r=8$s=Bws=='))?.salt.toString('base64')).toBe('/cj0jC1br5o4+wc=');
  });
});

describe('engines', () => {
  it('agree on version 19', async () => {
    const input = {
      type: 'argon2id',
      version: 19,
      iterations: 2,
      memoryKb: 64,
      parallelism: 2,
      salt: Buffer.alloc(16, 1),
      digestBytes: 24,
    } as const;
    for (const type of ['argon2d', 'argon2i', 'argon2id'] as const) {
      expect(await wasmEngine(Buffer.from('x'), { ...input, type })).toEqual(await argon2Engine()(Buffer.from('x'), { ...input, type }));
    }
    await expect(wasmEngine(Buffer.from('x'), { ...input, version: 16 })).rejects.toThrow(/native build/);
    expect(await wasmEngine(Buffer.alloc(0), input)).toHaveLength(0);
  });
});

describe('constant-time equality', () => {
  it.each([
    ['', '', true],
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'abcd', false],
  ])('%j and %j: %s', (a, b, equal) => {
    expect(secretsEqual(a, b)).toBe(equal);
    expect(secretBytesEqual(Buffer.from(a), Buffer.from(b))).toBe(equal);
  });
});
