import type { Commands } from '../../generated/commands.ts';
import type { AttestedCredential } from '../../crypto/webauthn/authenticator-data.ts';
import type { Context } from '../context.ts';
import { faultOfRegistration } from './judge.ts';
import { hasExpired } from './options.ts';
import { type Failure, invalidAuthenticator, OPTIONS_EXPIRED, OPTIONS_NOT_FOUND } from './outcomes.ts';
import { type Registration, readRegistration } from './read-credential.ts';
import type { OptionsRecord } from './records.ts';

/** A registration that may be kept. */
export interface JudgedRegistration {
  readonly options: OptionsRecord;
  readonly registration: Registration;
  readonly attested: AttestedCredential;
}

/** What the two endpoints that take a new passkey are given. */
export type RegistrationCommand = Pick<Commands['webauthn/sign-up'], 'webauthnGeneratedOptionsId' | 'credential'>;

/** Shape, expiry and checks of a registration, in the order of contract 07 section 3.1. */
export function judgeRegistration(
  { tenant, now }: Context,
  { credential }: RegistrationCommand,
  options: OptionsRecord | undefined,
): Failure | JudgedRegistration {
  if (!options) return OPTIONS_NOT_FOUND;
  const read = readRegistration(credential);
  if ('failure' in read) return read.failure;
  if (hasExpired(options, now())) return OPTIONS_EXPIRED;
  const registration = read.credential;
  const { attested } = registration.attestation.data;
  const fault = faultOfRegistration(registration, options, tenant.config.webauthn_enforce_algorithms);
  if (fault !== undefined) return invalidAuthenticator(fault);
  if (!attested) throw new Error('a registration without a key was found right');
  return { options, registration, attested };
}
