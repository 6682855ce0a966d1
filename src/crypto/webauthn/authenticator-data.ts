import { endOfCbor, readCborMap } from './cbor.ts';

/** A key that an authenticator has made, as it tells of it. */
export interface AttestedCredential {
  /** 16 bytes. */
  readonly aaguid: Buffer;
  readonly credentialId: Buffer;
  /** A COSE key; only its bounds have been looked at. */
  readonly publicKey: Buffer;
}

/** What an authenticator says of itself and of what its user did (contract 07 section 7.1). */
export interface AuthenticatorData {
  /** SHA-256 of the id of the relying party that it was asked by. */
  readonly relyingPartyIdHash: Buffer;
  readonly isUserPresent: boolean;
  readonly isUserVerified: boolean;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  /** 0 to 2^32 - 1. */
  readonly counter: number;
  readonly attested: AttestedCredential | undefined;
}

const FLAG = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40, extensions: 0x80 } as const;

/** Hash, flags and counter. */
const FIXED_BYTES = 37;
const AAGUID_BYTES = 16;
const LENGTH_BYTES = 2;

/** Reads authenticator data; undefined where something is missing, malformed, or left over. */
export function readAuthenticatorData(bytes: Buffer): AuthenticatorData | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const flags = bytes.readUInt8(32);
  const has = (flag: number): boolean => (flags & flag) !== 0;
  // A flag with nothing behind it counts as no credential.
  const isAttested = has(FLAG.attested) && bytes.length > FIXED_BYTES;
  const attested = isAttested ? attestedAt(bytes, FIXED_BYTES) : undefined;
  if (isAttested && !attested) return undefined;
  const rest = bytes.subarray(attested?.end ?? FIXED_BYTES);
  if (has(FLAG.extensions) ? readCborMap(rest) === undefined : rest.length > 0) return undefined;
  return {
    relyingPartyIdHash: bytes.subarray(0, 32),
    isUserPresent: has(FLAG.present),
    isUserVerified: has(FLAG.verified),
    isBackupEligible: has(FLAG.eligible),
    isBackedUp: has(FLAG.backedUp),
    counter: bytes.readUInt32BE(33),
    attested: attested?.credential,
  };
}

function attestedAt(bytes: Buffer, at: number): { readonly credential: AttestedCredential; readonly end: number } | undefined {
  const lengthAt = at + AAGUID_BYTES;
  const idAt = lengthAt + LENGTH_BYTES;
  if (idAt > bytes.length) return undefined;
  const keyAt = idAt + bytes.readUInt16BE(lengthAt);
  const end = keyAt < bytes.length ? endOfCbor(bytes, keyAt) : undefined;
  if (end === undefined) return undefined;
  const credential = {
    aaguid: bytes.subarray(at, lengthAt),
    credentialId: bytes.subarray(idAt, keyAt),
    publicKey: bytes.subarray(keyAt, end),
  };
  return { credential, end };
}
