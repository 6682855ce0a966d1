import { createHash } from 'node:crypto';
import { secretBytesEqual } from '../../crypto/constant-time.ts';
import type { AuthenticatorData } from '../../crypto/webauthn/authenticator-data.ts';
import type { ClientData } from '../../crypto/webauthn/client-data.ts';
import { isSameOrigin, shownOrigin } from '../../crypto/webauthn/origin.ts';
import type { Assertion, Registration } from './read-credential.ts';
import type { OptionsRecord } from './records.ts';

/** What an authenticator can be blamed for, and in which words. */
interface Check<T> {
  readonly isBroken: (answer: T, options: OptionsRecord) => boolean;
  readonly reason: string | ((answer: T) => string);
}

/** What both kinds of answers have. */
interface Answer {
  readonly clientData: ClientData;
  readonly data: AuthenticatorData;
}

/** The longest credential id of the standard, in bytes. */
const MOST_ID_BYTES = 1023;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const CHALLENGE_AND_ORIGIN: readonly Check<Answer>[] = [
  {
    isBroken: ({ clientData }, { challenge }) => !secretBytesEqual(clientData.challenge, Buffer.from(challenge, 'base64url')),
    reason: 'The actual challenge does not match the expected challenge',
  },
  {
    isBroken: ({ clientData }, { origin }) => !isSameOrigin(clientData.origin, origin),
    reason: ({ clientData }) =>
      `The collectedClientData '${shownOrigin(clientData.origin)}' origin doesn't match any of the preconfigured server origin.`,
  },
];

const AUTHENTICATOR: readonly Check<Answer>[] = [
  {
    isBroken: ({ data }, { relyingPartyId }) => !data.relyingPartyIdHash.equals(sha256(relyingPartyId)),
    reason: "rpIdHash doesn't match the hash of preconfigured rpId.",
  },
  {
    isBroken: ({ data }, { isPresenceRequired }) => isPresenceRequired && !data.isUserPresent,
    reason: 'Verifier is configured to check user present, but UP flag in authenticatorData is not set.',
  },
  {
    isBroken: ({ data }, { userVerification }) => userVerification === 'required' && !data.isUserVerified,
    reason: 'Verifier is configured to check user verified, but UV flag in authenticatorData is not set.',
  },
  {
    isBroken: ({ data }) => data.isBackedUp && !data.isBackupEligible,
    reason: 'Backup state bit must not be set if backup eligibility bit is not set',
  },
];

interface RegistrationAnswer extends Answer {
  readonly registration: Registration;
}

/** Contract 07 section 7.2, in its order. */
const REGISTRATION: readonly Check<RegistrationAnswer>[] = [
  { isBroken: ({ data }) => data.attested === undefined, reason: 'attestedCredentialData must not be null on registration' },
  {
    isBroken: ({ clientData }) => clientData.type !== 'webauthn.create',
    reason: "ClientData.type must be 'create' on registration, but it isn't.",
  },
  ...CHALLENGE_AND_ORIGIN,
  ...AUTHENTICATOR,
  {
    isBroken: ({ registration, data }) =>
      registration.attestation.format === 'fido-u2f' && data.attested?.aaguid.every((byte) => byte === 0) === false,
    reason: "AAGUID is expected to be zero filled in U2F attestation, but it isn't.",
  },
  {
    isBroken: ({ registration, data }) =>
      Math.max(data.attested?.credentialId.length ?? 0, Buffer.byteLength(registration.id, 'base64url')) > MOST_ID_BYTES,
    reason: `credentialId exceeds maxCredentialIdSize(${MOST_ID_BYTES} bytes)`,
  },
];

/** Ours, where it is switched on. */
const ALGORITHM: Check<RegistrationAnswer> = {
  isBroken: ({ registration: { key } }, { algorithms }) => key !== undefined && !algorithms.includes(key.algorithm),
  reason: 'alg not listed in options.pubKeyCredParams is used.',
};

/** Contract 07 section 7.3 up to the signature, in its order. */
const ASSERTION: readonly Check<Answer>[] = [
  { isBroken: ({ data }) => data.attested !== undefined, reason: 'attestedCredentialData must be null on authentication' },
  {
    isBroken: ({ clientData }) => clientData.type !== 'webauthn.get',
    reason: "ClientData.type must be 'get' on authentication, but it isn't.",
  },
  ...CHALLENGE_AND_ORIGIN,
  {
    isBroken: ({ clientData }) => clientData.isCrossOrigin,
    reason: 'Cross-origin request is prohibited. Relax AuthenticationDataVerifier config if necessary.',
  },
  ...AUTHENTICATOR,
];

function firstBroken<T>(checks: readonly Check<T>[], answer: T, options: OptionsRecord): string | undefined {
  const broken = checks.find((check) => check.isBroken(answer, options));
  return typeof broken?.reason === 'function' ? broken.reason(answer) : broken?.reason;
}

/** What is wrong with a new passkey; undefined for one that can be kept. */
export function faultOfRegistration(registration: Registration, options: OptionsRecord, enforcesAlgorithms: boolean): string | undefined {
  const { clientData, attestation } = registration;
  const checks = enforcesAlgorithms ? [...REGISTRATION, ALGORITHM] : REGISTRATION;
  return firstBroken(checks, { registration, clientData, data: attestation.data }, options);
}

/** What is wrong with a sign-in, but for its signature and counter. */
export function faultOfAssertion(assertion: Assertion, options: OptionsRecord): string | undefined {
  return firstBroken(ASSERTION, assertion, options);
}

export const WRONG_SIGNATURE = 'Assertion signature is not valid.';

/** What the signature of a sign-in is made over. */
export function signedBytes({ dataBytes, clientDataBytes }: Assertion): Buffer {
  return Buffer.concat([dataBytes, createHash('sha256').update(clientDataBytes).digest()]);
}

export const CLONED = 'Malicious counter value is detected. Cloned authenticators exist in parallel.';

/** Whether a presented counter may follow the stored one; authenticators that do not count present 0. */
export const isCounterRight = (presented: number, stored: number): boolean => presented > stored || (presented === 0 && stored === 0);
