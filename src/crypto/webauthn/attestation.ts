import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts';
import { readCborMap } from './cbor.ts';

/** The formats of contract 07 section 7.1; what their statements claim is not looked at. */
const FORMATS: ReadonlySet<unknown> = new Set(['none', 'packed', 'fido-u2f', 'android-key', 'android-safetynet', 'tpm', 'apple']);

export interface Attestation {
  readonly format: string;
  readonly data: AuthenticatorData;
}

/** Reads an attestation object; undefined for one that is malformed or of another format. */
export function readAttestation(bytes: Buffer): Attestation | undefined {
  const map = readCborMap(bytes);
  const [format, statement, authData] = [map?.get('fmt'), map?.get('attStmt'), map?.get('authData')];
  if (typeof format !== 'string' || !FORMATS.has(format) || !(statement instanceof Map) || !(authData instanceof Uint8Array))
    return undefined;
  const data = readAuthenticatorData(Buffer.from(authData));
  return data && { format, data };
}
