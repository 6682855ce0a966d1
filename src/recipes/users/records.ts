import { defineCollection } from '../../store/collection.ts';
import type { Key } from '../../store/store.ts';

export type LoginRecipe = 'emailpassword' | 'thirdparty' | 'passwordless' | 'webauthn';

/** One login method (contract 03 section 1.1): an account of one recipe, member of any number of tenants. */
export interface LoginMethodRecord {
  readonly app: number;
  /** Internal id, uuid v4. */
  readonly id: string;
  readonly recipe: LoginRecipe;
  /** Id of the user it belongs to: its own while it stands alone. */
  readonly primaryUserId: string;
  /** True once made primary or linked. */
  readonly isPrimary: boolean;
  readonly timeJoined: number;
  /** Numbers of the tenants it is in. */
  readonly tenants: readonly number[];
  readonly email: string | null;
  readonly phoneNumber: string | null;
  readonly thirdPartyId: string | null;
  readonly thirdPartyUserId: string | null;
  readonly passwordHash: string | null;
}

/** The account infos that make a login method unique in a tenant (contract 03 section 1.1, tenant account info). */
function accountInfos(method: LoginMethodRecord): Key[] {
  if (method.recipe === 'thirdparty') return [['tparty', method.thirdPartyId ?? '', method.thirdPartyUserId ?? '']];
  const infos: Key[] = [];
  if (method.email !== null) infos.push(['email', method.email]);
  if (method.phoneNumber !== null) infos.push(['phone', method.phoneNumber]);
  return infos;
}

/** The account infos by which a login method is looked up: those that make it unique, and the email of third-party accounts. */
function searchableInfos(method: LoginMethodRecord): Key[] {
  const infos = accountInfos(method);
  return method.recipe === 'thirdparty' && method.email !== null ? [...infos, ['email', method.email]] : infos;
}

export const loginMethods = defineCollection<LoginMethodRecord>({
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
  },
  key: (m) => [m.app, m.id],
  indexes: {
    /** At most one login method of a recipe has an email, a phone number or a third-party pair in a tenant. */
    accountInfo: {
      id: 1,
      unique: true,
      keys: (m) => m.tenants.flatMap((tenant) => accountInfos(m).map((info) => [m.app, tenant, m.recipe, ...info])),
    },
    /** Everybody in a tenant with an email (whatever the recipe), a phone number or a third-party pair. */
    byAccountInfo: { id: 3, keys: (m) => m.tenants.flatMap((tenant) => searchableInfos(m).map((info) => [m.app, tenant, ...info])) },
    byPrimary: { id: 2, keys: (m) => [[m.app, m.primaryUserId]] },
  },
});
