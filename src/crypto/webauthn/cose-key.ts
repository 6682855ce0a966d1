import { createPublicKey, type JsonWebKeyInput, type KeyObject, type PublicKeyInput } from 'node:crypto';
import { type Cbor, readCborMap } from './cbor.ts';

/** A public key with the algorithm that its signatures are made by. */
export interface CoseKey {
  /** COSE number. */
  readonly algorithm: number;
  /** The digest of `node:crypto`; null for algorithms that bring their own. */
  readonly digest: string | null;
  /** Whether a check takes more than 0.2 ms. */
  readonly isSlow: boolean;
  readonly key: KeyObject;
}

type CoseMap = ReadonlyMap<string | number, Cbor>;

type KeyInput = JsonWebKeyInput | PublicKeyInput;

/** What a COSE algorithm is here: the digest of `node:crypto` (null: its own), and the keys that it takes. */
interface Algorithm {
  readonly digest: string | null;
  readonly keyOf: (map: CoseMap) => KeyInput | undefined;
  /** True where a check takes more than 0.2 ms, for which an event loop is not held. */
  readonly isSlow?: true;
}

/** Labels of COSE keys (RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4). */
const LABEL = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 } as const;
const TYPE = { okp: 1, ec2: 2, rsa: 3 } as const;
const ED25519 = 6;
const ED25519_BYTES = 32;

/** RSA keys of authenticators have 2048 bits, those of the standard's examples 3482; larger ones only cost time. */
const RSA_BYTES = { least: 256, most: 512 } as const;
/** 65537 has three; a longer one would make a check as slow as a signature. */
const MOST_EXPONENT_BYTES = 4;

const bytesOf = (map: CoseMap, label: number): Buffer | undefined => {
  const value = map.get(label);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : undefined;
};

/** A curve, as the standard of WebAuthn binds it to an algorithm. */
interface Curve {
  readonly label: number;
  readonly coordinateBytes: number;
  readonly input: (x: Buffer, y: Buffer) => KeyInput;
}

const jwk = (key: JsonWebKeyInput['key']): KeyInput => ({ key, format: 'jwk' });

const P256: Curve = {
  label: 1,
  coordinateBytes: 32,
  input: (x, y) => jwk({ kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') }),
};

/**
 * A large curve, by the DER that stands before its points: reading a JWK would multiply the point by the order, for
 * 0.3 to 0.7 ms. What these curves need is checked either way: that the point lies on them.
 */
const largeCurve = (label: number, coordinateBytes: number, der: string): Curve => ({
  label,
  coordinateBytes,
  input: (x, y) => ({ key: Buffer.concat([Buffer.from(der, 'hex'), x, y]), format: 'der', type: 'spki' }),
});

const P384 = largeCurve(2, 48, '3076301006072a8648ce3d020106052b8104002203620004');
const P521 = largeCurve(3, 66, '30819b301006072a8648ce3d020106052b810400230381860004');

/** Compressed points are not allowed. */
const ecKeys =
  (curve: Curve) =>
  (map: CoseMap): KeyInput | undefined => {
    if (map.get(LABEL.type) !== TYPE.ec2 || map.get(LABEL.curve) !== curve.label) return undefined;
    const [x, y] = [bytesOf(map, LABEL.x), bytesOf(map, LABEL.y)];
    return x?.length === curve.coordinateBytes && y?.length === curve.coordinateBytes ? curve.input(x, y) : undefined;
  };

function edKeys(map: CoseMap): KeyInput | undefined {
  const x = bytesOf(map, LABEL.x);
  if (map.get(LABEL.type) !== TYPE.okp || map.get(LABEL.curve) !== ED25519 || x?.length !== ED25519_BYTES) return undefined;
  return jwk({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') });
}

function rsaKeys(map: CoseMap): KeyInput | undefined {
  const [n, e] = [bytesOf(map, LABEL.modulus), bytesOf(map, LABEL.exponent)];
  if (map.get(LABEL.type) !== TYPE.rsa || !n || !e || e.length === 0 || e.length > MOST_EXPONENT_BYTES) return undefined;
  const isOdd = ((n.at(-1) ?? 0) & (e.at(-1) ?? 0) & 1) === 1;
  const size =
    n.length -
    Math.max(
      n.findIndex((byte) => byte !== 0),
      0,
    );
  if (!isOdd || size < RSA_BYTES.least || size > RSA_BYTES.most || e.readUIntBE(0, e.length) < 3) return undefined;
  return jwk({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') });
}

/** The algorithms of contract 07 section 7.3, by their COSE numbers. */
const ALGORITHMS: ReadonlyMap<number, Algorithm> = new Map<number, Algorithm>([
  [-7, { digest: 'sha256', keyOf: ecKeys(P256) }],
  [-35, { digest: 'sha384', keyOf: ecKeys(P384), isSlow: true }],
  [-36, { digest: 'sha512', keyOf: ecKeys(P521), isSlow: true }],
  [-8, { digest: null, keyOf: edKeys }],
  [-257, { digest: 'sha256', keyOf: rsaKeys }],
  [-258, { digest: 'sha384', keyOf: rsaKeys }],
  [-259, { digest: 'sha512', keyOf: rsaKeys }],
  [-65535, { digest: 'sha1', keyOf: rsaKeys }],
]);

/** COSE numbers of all algorithms that a key may have here. */
export const KEY_ALGORITHMS: readonly number[] = [...ALGORITHMS.keys()];

/** The key that a COSE key is; undefined for one that no signature could be checked with, or at what cost. */
export function readCoseKey(bytes: Buffer): CoseKey | undefined {
  const map = readCborMap(bytes);
  const algorithm = map?.get(LABEL.algorithm);
  if (!map || typeof algorithm !== 'number') return undefined;
  const known = ALGORITHMS.get(algorithm);
  const input = known?.keyOf(map);
  if (!known || !input) return undefined;
  try {
    return { algorithm, digest: known.digest, isSlow: known.isSlow === true, key: createPublicKey(input) };
  } catch {
    // Not a point of the curve.
    return undefined;
  }
}
