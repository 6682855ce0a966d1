import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import { changeLoginMethod, type LoginMethodRecord } from '../accounts/login-methods.ts';
import { LIMITS } from '../../config/limits.ts';
import { Refusal } from '../refusal.ts';
import type { JudgedRegistration } from './judge-registration.ts';
import { type CredentialRecord, webauthnCredentials } from './records.ts';

export type { CredentialRecord };

/** The passkeys of a login method, oldest first. */
export function credentialsOf(reader: Reader, app: AppNumber, userId: InternalUserId): MaybePromise<CredentialRecord[]> {
  const found = reader.list(webauthnCredentials, 'byUser', { prefix: [app, userId], limit: LIMITS.credentialsOfMethod });
  return whenReady(found, (credentials) => credentials.toSorted((a, b) => a.createdAt - b.createdAt));
}

/** The passkey of a login method with this id; the older of two of different relying parties. */
export function credentialOf(
  reader: Reader,
  app: AppNumber,
  userId: InternalUserId,
  id: string,
): MaybePromise<CredentialRecord | undefined> {
  return whenReady(credentialsOf(reader, app, userId), (all) => all.find((credential) => credential.id === id));
}

const UUID_GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** 16 bytes as a UUID in lower case. */
const uuidOf = (bytes: Buffer): string => bytes.toString('hex').replace(UUID_GROUPS, '$1-$2-$3-$4-$5');

/** The passkey that a registration brings to a login method. `now`: ms since the epoch. */
export function newCredential(
  { registration, attested, options }: JudgedRegistration,
  userId: InternalUserId,
  now: number,
): CredentialRecord {
  const { data } = registration.attestation;
  return {
    app: options.app,
    relyingPartyId: options.relyingPartyId,
    id: registration.id,
    userId,
    publicKey: attested.publicKey,
    aaguid: uuidOf(attested.aaguid),
    counter: data.counter,
    transports: registration.transports,
    createdAt: now,
    updatedAt: now,
    isBackupEligible: data.isBackupEligible,
    isBackedUp: data.isBackedUp,
  };
}

/** Whether a passkey with this id is kept for this relying party. */
export function isCredentialTaken(reader: Reader, { app, relyingPartyId, id }: CredentialRecord): MaybePromise<boolean> {
  return whenReady(reader.get(webauthnCredentials, [app, relyingPartyId, id]), (known) => known !== undefined);
}

/** Adds a passkey, which is not taken, to a login method. @throws Refusal for too many */
export async function addCredential(tx: Transaction, method: LoginMethodRecord, credential: CredentialRecord): Promise<void> {
  const { credentialIds = [] } = method;
  if (credentialIds.length >= LIMITS.credentialsOfMethod) {
    throw new Refusal('bad-input', { text: `A login method can have at most ${LIMITS.credentialsOfMethod} passkeys` });
  }
  await Promise.all([
    tx.put(webauthnCredentials, credential),
    changeLoginMethod(tx, method, { credentialIds: [...credentialIds, credential.id] }),
  ]);
}

/** Removes a passkey of a login method, which stays, even without any. */
export async function removeCredentialOf(tx: Transaction, method: LoginMethodRecord, credential: CredentialRecord): Promise<void> {
  const { credentialIds = [] } = method;
  const at = credentialIds.indexOf(credential.id);
  await Promise.all([
    tx.delete(webauthnCredentials, webauthnCredentials.key(credential)),
    changeLoginMethod(tx, method, { credentialIds: credentialIds.toSpliced(at, at < 0 ? 0 : 1) }),
  ]);
}
