import { decodeBase64 } from '../../crypto/base64.ts';
import { readCoseKey } from '../../crypto/webauthn/cose-key.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Reader, Transaction } from '../../store/store.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import { credentialsOf } from './credentials.ts';
import { type CredentialRecord, webauthnCredentials } from './records.ts';

/** A passkey as exports write it and imports bring it. */
export interface PortableCredential extends Omit<CredentialRecord, 'app' | 'userId' | 'publicKey'> {
  /** The COSE key as base64url without padding. */
  readonly publicKey: string;
}

/** The passkeys of a login method, for an export. */
export function exportCredentials(reader: Reader, { app, id: userId }: LoginMethodRecord): MaybePromise<PortableCredential[]> {
  return whenReady(credentialsOf(reader, app, userId), (all) => all.map(portable));
}

const portable = (credential: CredentialRecord): PortableCredential => ({
  id: credential.id,
  relyingPartyId: credential.relyingPartyId,
  publicKey: Buffer.from(credential.publicKey).toString('base64url'),
  aaguid: credential.aaguid,
  counter: credential.counter,
  transports: credential.transports,
  createdAt: credential.createdAt,
  updatedAt: credential.updatedAt,
  isBackupEligible: credential.isBackupEligible,
  isBackedUp: credential.isBackedUp,
});

/** Whether a text is a COSE key in base64url with which signatures can be checked. */
export function isPublicKey(text: string): boolean {
  const decoded = decodeBase64(text, 'url');
  return 'bytes' in decoded && readCoseKey(decoded.bytes) !== undefined;
}

/** The passkeys that an import brings to a login method. */
export function importedCredentials(
  { app, id: userId }: LoginMethodRecord,
  credentials: readonly PortableCredential[],
): readonly CredentialRecord[] {
  return credentials.map(({ publicKey, ...members }) => ({ ...members, app, userId, publicKey: Buffer.from(publicKey, 'base64url') }));
}

/** Whether one of these new passkeys is kept already, or stands among them twice. All reads are in one round. */
export function areCredentialsTaken(reader: Reader, credentials: readonly CredentialRecord[]): MaybePromise<boolean> {
  const keys = credentials.map((credential) => webauthnCredentials.key(credential));
  if (new Set(keys.map((key) => JSON.stringify(key))).size < keys.length) return true;
  if (keys.length === 0) return false;
  const found = reader.getMany(keys.map((key) => ({ collection: webauthnCredentials, key })));
  return whenReady(found, (known) => known.some((credential) => credential !== undefined));
}

/** Keeps passkeys that are not taken, whose login methods name them already. */
export function keepCredentials(tx: Transaction, credentials: readonly CredentialRecord[]): MaybePromise<unknown> {
  return allReady(credentials.map((credential) => tx.insert(webauthnCredentials, credential)));
}
