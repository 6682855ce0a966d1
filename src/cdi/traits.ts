import { CDI_VERSIONS, type CdiVersion, compareVersions } from './versions.ts';

export type AccessTokenVersion = '1' | '2' | '3' | '4' | '5';

/**
 * What one CDI version means, as named facts (contract 01 section 13, contract 02 section 1.16).
 * Nothing outside `src/cdi` compares version numbers: it asks these.
 */
export interface Traits {
  readonly version: string;
  /** Version of the access tokens minted by create and refresh. */
  readonly accessTokenVersion: AccessTokenVersion;
  /** < 2.21: `jwtSigningPublicKey…` and `idRefreshToken` in answers; handshake; the config decides the key kind. */
  readonly legacySessions: boolean;
  /** 2.9 to 2.20: legacy key info includes `jwtSigningPublicKeyList`. */
  readonly legacyKeyList: boolean;
  /** >= 2.21: callers choose the key kind (create, `/recipe/jwt`); verify requires `checkDatabase`, checks claims. */
  readonly modernSessions: boolean;
  /** >= 3.0: tenant segments in paths, `tenantIds` in users, `tenantId` in sessions. */
  readonly tenants: boolean;
  /** Whether refresh reads `useDynamicSigningKey`: not below 3.0, optional up to 4.0, required from 5.0. */
  readonly keyChoiceOnRefresh: 'unread' | 'optional' | 'required';
  /** The two booleans behind `keyChoiceOnRefresh`, for the schemas. */
  readonly readsKeyChoiceOnRefresh: boolean;
  readonly requiresKeyChoiceOnRefresh: boolean;
  /** >= 4.0: full user JSON and `recipeUserId`. */
  readonly accountLinking: boolean;
  /** < 4.0: a user is one login method, and `userId` is what `PUT /recipe/user` calls it. */
  readonly legacyUsers: boolean;
  /** >= 2.12: the reset of a password by one call answers with the user's id. */
  readonly resetTellsUser: boolean;
  /** >= 3.0: verifying a dashboard session answers with the email of its user. */
  readonly dashboardSessionEmail: boolean;
  /** >= 5.0: a refused TOTP code's answer has the number of failures and the number allowed. */
  readonly totpAttemptCounts: boolean;
  /** 2.7 and >= 4.0: `/recipe/signinup` takes `email.isVerified`, and must get it. */
  readonly verifiedByThirdParty: boolean;
  /** 2.7: `/recipe/signinup` does not ask whether the tenant has third-party logins. */
  readonly thirdPartyUnchecked: boolean;
  /** >= 4.0: who signs in with a passwordless code sent to an email has verified it. */
  readonly passwordlessVerifiesEmail: boolean;
  /** >= 5.0: consuming a passwordless code tells its device, and a device can be removed by `preAuthSessionId`. */
  readonly passwordlessDevices: boolean;
  /** >= 5.0: app-specific endpoints refuse a non-public tenant in the path. */
  readonly appScopeEnforced: boolean;
  /** Which generation of the tenant factor rules v1 tenant endpoints follow (contract 04 section 3). */
  readonly tenantGeneration: '4' | '5';
  /** Which rule decides whether a recipe may be used in a tenant (contract 04 section 3.8). */
  readonly loginRule: 'flags-4' | 'flags-5' | 'always';
  /** >= 5.3: `webauthn` members in user JSON. */
  readonly webauthnInUsers: boolean;
  /** >= 5.5: a sign-in with a passkey uses up the options that it answers. */
  readonly webauthnOptionsUsedUp: boolean;
  /** >= 5.6: stateless verify, rotation within refresh with a grace window, `accessTokenValidity` override. */
  readonly rotatingRefresh: boolean;
  /** >= 5.6: `/users/count` reads `allowApproximate`. */
  readonly approximateCounts: boolean;
}

/** The boolean traits, by which rows and schema fields are switched on. */
export type TraitName = { [K in keyof Traits]: Traits[K] extends boolean ? K : never }[keyof Traits];

function traitsOf(version: string): Traits {
  const from = (first: CdiVersion): boolean => compareVersions(version, first) >= 0;
  const keyChoiceOnRefresh = from('5.0') ? 'required' : from('3.0') ? 'optional' : 'unread';
  return Object.freeze({
    version,
    accessTokenVersion: from('4.0') ? '5' : from('3.0') ? '4' : from('2.21') ? '3' : '2',
    legacySessions: !from('2.21'),
    legacyKeyList: from('2.9') && !from('2.21'),
    modernSessions: from('2.21'),
    tenants: from('3.0'),
    keyChoiceOnRefresh,
    readsKeyChoiceOnRefresh: keyChoiceOnRefresh !== 'unread',
    requiresKeyChoiceOnRefresh: keyChoiceOnRefresh === 'required',
    accountLinking: from('4.0'),
    legacyUsers: !from('4.0'),
    resetTellsUser: from('2.12'),
    dashboardSessionEmail: from('3.0'),
    totpAttemptCounts: from('5.0'),
    verifiedByThirdParty: !from('2.8') || from('4.0'),
    thirdPartyUnchecked: !from('2.8'),
    passwordlessVerifiesEmail: from('4.0'),
    passwordlessDevices: from('5.0'),
    appScopeEnforced: from('5.0'),
    tenantGeneration: from('5.0') ? '5' : '4',
    loginRule: from('5.1') ? 'always' : from('5.0') ? 'flags-5' : 'flags-4',
    webauthnInUsers: from('5.3'),
    webauthnOptionsUsedUp: from('5.5'),
    rotatingRefresh: from('5.6'),
    approximateCounts: from('5.6'),
  });
}

const SUPPORTED_TRAITS: ReadonlyMap<string, Traits> = new Map(CDI_VERSIONS.map((version) => [version, traitsOf(version)]));

/** The traits of a version; those of well-formed but unsupported versions (legal on `/hello`) are not kept. */
export function traitsFor(version: string): Traits {
  return SUPPORTED_TRAITS.get(version) ?? traitsOf(version);
}
