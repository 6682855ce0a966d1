import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, KeyOf, TenantNumber } from '../../store/store.ts';
import type { InternalUserId } from './ids.ts';

export type LoginRecipe = 'emailpassword' | 'thirdparty' | 'passwordless' | 'webauthn';

/** Recipes as bits, so that one number says which of them a user has. Part of the stored format. */
export const RECIPE_BITS: Readonly<Record<LoginRecipe, number>> = { emailpassword: 1, thirdparty: 2, passwordless: 4, webauthn: 8 };

/** One login method (contract 03 section 1.1): an account of one recipe, member of any number of tenants. */
export interface LoginMethodRecord {
  readonly app: AppNumber;
  /** Internal id, uuid v4. */
  readonly id: InternalUserId;
  readonly recipe: LoginRecipe;
  /** Id of the user it belongs to: its own while it stands alone. */
  readonly primaryUserId: InternalUserId;
  /** True once made primary or linked. */
  readonly isPrimary: boolean;
  readonly timeJoined: number;
  /** Numbers of the tenants it is in. */
  readonly tenants: readonly TenantNumber[];
  readonly email: string | null;
  readonly phoneNumber: string | null;
  readonly thirdPartyId: string | null;
  readonly thirdPartyUserId: string | null;
  readonly passwordHash: string | null;
  /** True for all login methods of a disabled user, who cannot sign in. */
  readonly isDisabled?: true | undefined;
  /** Ids of its passkeys, oldest first, written together with the records of the webauthn recipe. */
  readonly credentialIds?: readonly string[] | undefined;
}

/** What a user is known by outside: an email, a phone number or a third-party account (contract 03 section 1.1). */
export type AccountInfo = readonly ['email', string] | readonly ['phone', string] | readonly ['tparty', string, string];

/** Everything a login method is known by: what it is looked up by, and what a primary user reserves. */
export function accountInfosOf(method: LoginMethodRecord): AccountInfo[] {
  const infos: AccountInfo[] = [];
  if (method.thirdPartyId !== null) infos.push(['tparty', method.thirdPartyId, method.thirdPartyUserId ?? '']);
  if (method.email !== null) infos.push(['email', method.email]);
  if (method.phoneNumber !== null) infos.push(['phone', method.phoneNumber]);
  return infos;
}

/** What only one login method of a recipe may have in a tenant; several third-party accounts may share an email. */
export function uniqueInfosOf(method: LoginMethodRecord): AccountInfo[] {
  return accountInfosOf(method).filter(([type]) => (type === 'tparty') === (method.recipe === 'thirdparty'));
}

type SearchTerm = readonly [type: 'domain' | 'provider', text: string];

/** Lower-case terms by which searches find a method, besides the beginnings of its infos (contract 01 section 9.3). */
function searchTermsOf({ email, thirdPartyId, thirdPartyUserId }: LoginMethodRecord): SearchTerm[] {
  const terms: SearchTerm[] = [];
  if (email?.includes('@')) terms.push(['domain', email.slice(email.indexOf('@') + 1)]);
  if (thirdPartyId !== null) terms.push(['provider', `${thirdPartyId}::${thirdPartyUserId}`.toLowerCase()]);
  return terms;
}

export const loginMethods = defineCollection({
  id: 11,
  name: 'login_methods',
  scope: 'app',
  format: 1,
  fields: {
    app: 1,
    id: 2,
    recipe: 3,
    primaryUserId: 4,
    isPrimary: 5,
    timeJoined: 6,
    tenants: 7,
    email: 8,
    phoneNumber: 9,
    thirdPartyId: 10,
    thirdPartyUserId: 11,
    passwordHash: 12,
    isDisabled: 13,
    credentialIds: 14,
  },
  key: (m: LoginMethodRecord) => [m.app, m.id],
  indexes: {
    /** At most one login method of a recipe has an email, a phone number or a third-party pair in a tenant. */
    accountInfo: {
      id: 1,
      unique: true,
      keys: (m) => m.tenants.flatMap((tenant) => uniqueInfosOf(m).map((info) => [m.app, tenant, m.recipe, ...info] as const)),
    },
    /** Everybody in a tenant with an email (whatever the recipe), a phone number or a third-party pair. */
    byAccountInfo: {
      id: 3,
      keys: (m) => m.tenants.flatMap((tenant) => accountInfosOf(m).map((info) => [m.app, tenant, ...info] as const)),
    },
    byPrimary: { id: 2, keys: (m) => [[m.app, m.primaryUserId]] },
    /** Relying parties share no ids by chance, but nothing keeps two of an app from having the same. */
    byCredential: { id: 5, keys: (m) => (m.credentialIds ?? []).map((id) => [m.app, id] as const) },
    bySearch: { id: 4, keys: (m) => m.tenants.flatMap((tenant) => searchTermsOf(m).map((term) => [m.app, tenant, ...term] as const)) },
  },
});

/** The id in a login method's key. */
export const idIn = ([, id]: KeyOf<typeof loginMethods>): InternalUserId => id;

/**
 * What listing and counting need of a user: a login method that stands alone, or a primary user with all its methods.
 * Derived from the login methods and written with them, always (`settleUser`).
 */
export interface UserRecord {
  readonly app: AppNumber;
  /** Internal id of the primary user. */
  readonly id: InternalUserId;
  readonly isPrimary: boolean;
  /** Of its oldest login method. */
  readonly timeJoined: number;
  /** For each tenant that has a login method of the user: which recipes it has there, as a sum of `RECIPE_BITS`. */
  readonly recipesByTenant: readonly (readonly [tenant: TenantNumber, recipes: number])[];
  /** The same over all its login methods, also those in no tenant. */
  readonly recipes: number;
}

export const users = defineCollection({
  id: 16,
  name: 'users',
  scope: 'app',
  format: 1,
  fields: { app: 1, id: 2, isPrimary: 3, timeJoined: 4, recipesByTenant: 5, recipes: 6 },
  key: (u: UserRecord) => [u.app, u.id],
  indexes: {
    /** Each user of a tenant once, whatever recipes are asked for: one ordered run for every set of recipes. */
    inTenant: { id: 1, keys: (u) => u.recipesByTenant.map(([tenant, recipes]) => [u.app, tenant, recipes, u.timeJoined] as const) },
    inApp: { id: 2, keys: (u) => [[u.app, u.recipes]] },
    /** Those in no tenant, whom no count takes in. */
    inNoTenant: { id: 3, keys: (u) => (u.recipesByTenant.length === 0 ? [[u.app, u.recipes] as const] : []) },
  },
});

/** Says that in a tenant an account info belongs to one primary user, across recipes (contract 03 section 1.5). */
export interface ReservationRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly info: AccountInfo;
  readonly primaryUserId: InternalUserId;
}

export const reservations = defineCollection({
  id: 17,
  name: 'reservations',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, info: 3, primaryUserId: 4 },
  key: (r: ReservationRecord) => [r.app, r.tenant, ...r.info],
  indexes: { byPrimary: { id: 1, keys: (r) => [[r.app, r.primaryUserId]] } },
});
