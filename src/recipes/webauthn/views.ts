import type { JsonValue } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../route.ts';
import { fullUserView } from '../users/views.ts';
import type { InvalidOptions } from './check-options.ts';
import type { FoundCredential } from './get-credential.ts';
import type { FoundOptions } from './get-options.ts';
import type { Recovery } from './get-recovery.ts';
import type { CredentialList } from './list-credentials.ts';
import { timeoutOf } from './options.ts';
import type { OptionsRecord } from './records.ts';
import type { RegisterCredentialResult } from './register-credential.ts';
import type { RegisterOptions } from './register-options.ts';
import type { SignInResult } from './sign-in.ts';
import type { SignInOptions } from './sign-in-options.ts';
import type { SignUpResult } from './sign-up.ts';

type Members = { readonly [name: string]: JsonValue };

/** A result whose members are the answer's. */
export const asItIs = (result: { readonly status: string }): Answer => ({ json: { ...result } });

/** Contract 07 section 2.1: `PublicKeyCredentialCreationOptionsJSON`, which SDKs hand to the browser. */
export function registerOptionsView(result: RegisterOptions | InvalidOptions): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { options, residentKey } = result;
  return {
    json: {
      webauthnGeneratedOptionsId: options.id,
      rp: { id: options.relyingPartyId, name: options.relyingPartyName },
      user: { id: Buffer.from(result.userHandle).toString('base64url'), name: options.email, displayName: result.displayName },
      email: options.email,
      timeout: timeoutOf(options),
      challenge: options.challenge,
      attestation: result.attestation,
      createdAt: options.createdAt,
      expiresAt: options.expiresAt,
      pubKeyCredParams: options.algorithms.map((alg) => ({ alg, type: 'public-key' })),
      excludeCredentials: result.excluded.map(({ id, transports }) => ({ id, type: 'public-key', transports })),
      authenticatorSelection: { requireResidentKey: residentKey === 'required', residentKey, userVerification: options.userVerification },
      status: 'OK',
    },
  };
}

/** Contract 07 section 2.2. */
export function signInOptionsView(result: SignInOptions | InvalidOptions): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { options } = result;
  return {
    json: {
      webauthnGeneratedOptionsId: options.id,
      relyingPartyId: options.relyingPartyId,
      challenge: options.challenge,
      timeout: timeoutOf(options),
      userVerification: options.userVerification,
      userPresence: options.isPresenceRequired,
      createdAt: options.createdAt,
      expiresAt: options.expiresAt,
      status: 'OK',
    },
  };
}

/** Contract 07 section 2.3. */
export function foundOptionsView(result: FoundOptions): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { options } = result;
  return {
    json: {
      webauthnGeneratedOptionsId: options.id,
      ...relyingParty(options),
      challenge: options.challenge,
      timeout: timeoutOf(options),
      origin: options.origin,
      email: options.email,
      createdAt: options.createdAt,
      expiresAt: options.expiresAt,
      userVerification: options.userVerification,
      userPresence: options.isPresenceRequired,
      status: 'OK',
    },
  };
}

const relyingParty = ({ relyingPartyId, relyingPartyName }: OptionsRecord): Members => ({ relyingPartyId, relyingPartyName });

/** Contract 07 section 3.1; whatever the version, since none older than these endpoints has a shape for such users. */
export function signedUpView(result: SignUpResult, { traits }: Context): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { user, webauthnCredentialId, recipeUserId, options } = result;
  const members = { webauthnCredentialId, ...relyingParty(options), recipeUserId };
  return { json: { status: 'OK', user: fullUserView(user, traits.webauthnInUsers), ...members } };
}

/** Contract 07 sections 3.2 and 5.2. */
export function userView(result: SignInResult | Recovery, { traits }: Context): Answer {
  if (result.status !== 'OK') return asItIs(result);
  return { json: { status: 'OK', user: fullUserView(result.user, traits.webauthnInUsers), recipeUserId: result.recipeUserId } };
}

/** Contract 07 section 4.1. */
export function registeredView(result: RegisterCredentialResult): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { webauthnCredentialId, recipeUserId, options } = result;
  return { json: { status: 'OK', webauthnCredentialId, recipeUserId, email: options.email ?? undefined, ...relyingParty(options) } };
}

/** Contract 07 section 4.2. */
export function foundCredentialView(result: FoundCredential): Answer {
  if (result.status !== 'OK') return asItIs(result);
  const { id: webauthnCredentialId, relyingPartyId, createdAt, updatedAt } = result.credential;
  return { json: { status: 'OK', webauthnCredentialId, recipeUserId: result.recipeUserId, relyingPartyId, createdAt, updatedAt } };
}

/** Contract 07 section 4.3. */
export function credentialsView({ recipeUserId, credentials }: CredentialList): Answer {
  const views = credentials.map(({ id: webauthnCredentialId, relyingPartyId, createdAt }) => ({
    webauthnCredentialId,
    recipeUserId,
    relyingPartyId,
    createdAt,
  }));
  return { json: { status: 'OK', credentials: views } };
}
