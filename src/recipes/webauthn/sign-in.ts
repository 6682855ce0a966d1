import type { Commands } from '../../generated/commands.ts';
import { readCoseKey } from '../../crypto/webauthn/cose-key.ts';
import type { Reader, Seen, Transaction } from '../../store/store.ts';
import { externalIds } from '../accounts/find.ts';
import { type LoginMethodRecord, methodById, methodsByCredential } from '../accounts/login-methods.ts';
import type { Activity } from '../active-users/touch.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { loadUser, type User } from '../users/user.ts';
import { credentialOf } from './credentials.ts';
import { CLONED, faultOfAssertion, isCounterRight, signedBytes, WRONG_SIGNATURE } from './judge.ts';
import { hasExpired, optionsInApp } from './options.ts';
import { type Failure, invalidAuthenticator, invalidCredentials, OPTIONS_EXPIRED, OPTIONS_NOT_FOUND } from './outcomes.ts';
import { type Assertion, readAssertion } from './read-credential.ts';
import { type CredentialRecord, type OptionsRecord, webauthnCredentials, webauthnOptions } from './records.ts';

export type SignInResult = Failure | typeof NOT_FOUND | { readonly status: 'OK'; readonly user: User; readonly recipeUserId: string };

const NOT_FOUND = { status: 'CREDENTIAL_NOT_FOUND_ERROR' } as const;
/** Told to nobody but who has the passkey. */
const DISABLED = invalidCredentials('This user is disabled.');

/** A sign-in whose signature is right. */
interface Proven {
  readonly assertion: Assertion;
  readonly options: Seen<OptionsRecord>;
  readonly credential: Seen<CredentialRecord>;
}

/**
 * `POST /recipe/webauthn/signin` (contract 07 section 3.2). The signature is checked between a read and a transaction,
 * which asks again for all that may have changed: of several sign-ins with one counter, one succeeds.
 */
export async function signIn(context: Context, command: Commands['webauthn/sign-in']): Promise<SignInResult> {
  const { store, activity, now } = context;
  const proven = await prove(context, command);
  if ('status' in proven) return proven;
  const time = now();
  const { result, active } = await store.transact((tx) => settle(tx, context, proven, time));
  activity.written(active);
  return result;
}

async function prove(context: Context, command: Commands['webauthn/sign-in']): Promise<Failure | typeof NOT_FOUND | Proven> {
  const { store, tenant, crypto, now } = context;
  const options = await store.read((reader) => optionsInApp(reader, tenant, command.webauthnGeneratedOptionsId));
  if (!options) return OPTIONS_NOT_FOUND;
  const read = readAssertion(command.credential);
  if ('failure' in read) return read.failure;
  const assertion = read.credential;
  const credential = await store.read((reader) => findCredential(reader, tenant, assertion.id, options.record));
  if (!credential) return NOT_FOUND;
  if (hasExpired(options.record, now())) return OPTIONS_EXPIRED;
  const fault = faultOfAssertion(assertion, options.record);
  if (fault !== undefined) return invalidAuthenticator(fault);
  const key = readCoseKey(Buffer.from(credential.record.publicKey));
  const isRight = key && (await crypto.verifySignature(key, signedBytes(assertion), assertion.signature));
  return isRight ? { assertion, options, credential } : invalidAuthenticator(WRONG_SIGNATURE);
}

/**
 * The passkey with an id: that of the relying party that is asked for, else of another of the app, since the interface
 * does not compare them. Its login method has to be in the tenant.
 */
async function findCredential(
  reader: Reader,
  { app, tenant }: Tenant,
  id: string,
  { relyingPartyId }: OptionsRecord,
): Promise<Seen<CredentialRecord> | undefined> {
  const own = await reader.getSeen(webauthnCredentials, [app, relyingPartyId, id]);
  const seen = own ?? (await ofAnotherParty(reader, app, id));
  if (!seen) return undefined;
  const method = await methodById(reader, app, seen.record.userId);
  return method?.tenants.includes(tenant) ? seen : undefined;
}

async function ofAnotherParty(reader: Reader, app: Tenant['app'], id: string): Promise<Seen<CredentialRecord> | undefined> {
  const [method] = await methodsByCredential(reader, app, id);
  const credential = method && (await credentialOf(reader, app, method.id, id));
  return credential && reader.getSeen(webauthnCredentials, webauthnCredentials.key(credential));
}

interface Outcome {
  readonly result: SignInResult;
  readonly active?: Activity | undefined;
}

/** Steps 5 (the counter) to 8 of contract 07 section 3.2, in one transaction. */
async function settle(tx: Transaction, context: Context, { assertion, options, credential }: Proven, now: number): Promise<Outcome> {
  const { tenant, traits, directory, activity } = context;
  const { app, userId } = credential.record;
  const [isThere, current, method] = await Promise.all([
    tx.recall(webauthnOptions, webauthnOptions.key(options.record), options),
    tx.recall(webauthnCredentials, webauthnCredentials.key(credential.record), credential),
    methodById(tx, app, userId),
  ]);
  if (!isThere) return { result: OPTIONS_NOT_FOUND };
  if (!current || !isSamePasskey(current, credential.record) || !method?.tenants.includes(tenant.tenant)) return { result: NOT_FOUND };
  const { counter, isBackupEligible, isBackedUp } = assertion.data;
  if (!isCounterRight(counter, current.counter)) return { result: invalidAuthenticator(CLONED) };
  if (method.isDisabled) return { result: DISABLED };
  const isUsedUp = traits.webauthnOptionsUsedUp && options.record.tenant === tenant.tenant;
  const [user, recipeUserId, active] = await Promise.all([
    loadUser(tx, directory, method),
    shownId(tx, method),
    activity.recordIfDue(tx, app, method.primaryUserId, now),
    tx.put(webauthnCredentials, { ...current, counter, isBackupEligible, isBackedUp, updatedAt: now }),
    isUsedUp ? tx.delete(webauthnOptions, webauthnOptions.key(options.record)) : undefined,
  ]);
  return { result: { status: 'OK', user, recipeUserId }, active };
}

/** False where a passkey was removed meanwhile, and another registered under its id. */
function isSamePasskey(current: CredentialRecord, { userId, publicKey }: CredentialRecord): boolean {
  return current.userId === userId && Buffer.compare(current.publicKey, publicKey) === 0;
}

async function shownId(reader: Reader, { app, id }: LoginMethodRecord): Promise<string> {
  return (await externalIds(reader, app, [id])).get(id) ?? id;
}
