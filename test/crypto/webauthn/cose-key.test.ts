import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readCoseKey } from '../../../src/crypto/webauthn/cose-key.ts';
import { cbor, KINDS } from '../../software-authenticator.ts';

type Cose = ReadonlyMap<string | number, string | number | Uint8Array>;

/** A right key of an algorithm. */
function cose(algorithm: number): Cose {
  const kind = KINDS[String(algorithm)];
  if (!kind) throw new Error('no such algorithm');
  return kind.coseOf(kind.make().publicKey.export({ format: 'jwk' }));
}

const read = (map: Cose) => readCoseKey(cbor(map));
const changed = (map: Cose, label: number, value: number | Uint8Array): Cose => new Map([...map, [label, value]]);

function rsa(modulusLength: number): Cose {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  const bytes = (text: unknown) => new Uint8Array(Buffer.from(String(text), 'base64url'));
  return new Map<number, number | Uint8Array>([
    [1, 3],
    [3, -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ]);
}

describe('COSE keys', () => {
  test.each(Object.keys(KINDS).map(Number))('of algorithm %i', (algorithm) => {
    expect(read(cose(algorithm))?.algorithm).toBe(algorithm);
  });

  test.each([-7, -35, -36])('%i with a point that is not on the curve, or of another curve', (algorithm) => {
    const key = cose(algorithm);
    const y = Buffer.from(key.get(-3) as Uint8Array);
    y.writeUInt8(y.readUInt8(y.length - 1) ^ 1, y.length - 1);
    const size = y.length;
    for (const [label, value] of [
      [-3, new Uint8Array(y)],
      [-3, new Uint8Array(size)],
      [-3, new Uint8Array(size + 1)],
      [-2, new Uint8Array(0)],
      [-2, new Uint8Array(size).fill(255)],
      [-1, 6],
      [-1, 1 + (Number(key.get(-1)) % 3)],
      [1, 1],
      [3, -257],
      [3, -47],
    ] as const)
      expect(read(changed(key, label, value)), `${label}`).toBeUndefined();
  });

  test('Ed25519 of another length, curve or type', () => {
    const key = cose(-8);
    for (const [label, value] of [
      [-2, new Uint8Array(31)],
      [-2, new Uint8Array(33)],
      [-1, 7],
      [1, 2],
    ] as const)
      expect(read(changed(key, label, value))).toBeUndefined();
  });

  test.each([
    [512, false],
    [1024, false],
    [2048, true],
    [4096, true],
  ])('RSA of %i bits: %s', (bits, isTaken) => {
    expect(read(rsa(bits)) !== undefined).toBe(isTaken);
  });

  test('RSA of 16384 bits, with leading zeros, and with exponents that cost time or protect nothing', () => {
    const key = rsa(2048);
    const n = key.get(-1) as Uint8Array;
    const large = new Uint8Array(2048).fill(255);
    expect(read(changed(key, -1, large))).toBeUndefined();
    expect(read(changed(key, -1, new Uint8Array([0, ...n])))).toBeDefined();
    expect(read(changed(key, -1, new Uint8Array([...n.slice(0, -1), 0])))).toBeUndefined();
    expect(read(changed(key, -1, new Uint8Array([...new Uint8Array(300), ...n.slice(0, 64)])))).toBeUndefined();
    for (const exponent of [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]])
      expect(read(changed(key, -2, new Uint8Array(exponent)))).toBeUndefined();
    expect(read(changed(key, -2, new Uint8Array([3])))).toBeDefined();
  });

  test('what is no key', () => {
    for (const value of [new Map(), [], 5, new Map([[3, -7]]), new Map([[3, 'ES256']])]) expect(readCoseKey(cbor(value))).toBeUndefined();
    expect(readCoseKey(Buffer.concat([cbor(cose(-7)), Buffer.of(0)]))).toBeUndefined();
  });
});
