import type { JsonText } from '../json/free-form.ts';
import type { AppNumber, Reader, TenantNumber, Transaction } from '../store/store.ts';
import type { InternalUserId } from './accounts/ids.ts';
import type { LoginMethodRecord } from './accounts/login-methods.ts';
import type { TenantDirectory } from './tenants/directory.ts';
import type { Tenant } from './tenants/tenant.ts';

/** A recipe whose data under an id stand in the way of a mapping, as refusals name it (contract 01 section 4). */
export type UserDataName = 'Session' | 'UserMetadata' | 'UserRoles' | 'EmailVerification' | 'TOTP';

/** What an import cannot take of what recipes keep. */
export type UserDataLoss = 'unverified-device' | 'role-elsewhere';

/** What an export carries of what a recipe keeps of a user (contract 05 section 6.2). */
export interface Exported {
  /** Members of the user as imports take it, as JSON text by their names. */
  readonly members: Readonly<Record<string, JsonText>>;
  /** What is left out, a name for each piece. */
  readonly losses: readonly UserDataLoss[];
}

/** Whence a user is exported. */
export interface Origin {
  /** The app's public tenant. */
  readonly tenant: Tenant;
  readonly directory: TenantDirectory;
  /** Tenants that the user is in. */
  readonly tenantIds: ReadonlySet<string>;
}

/** What a recipe keeps of users. All of it is called in the caller's transaction. */
export interface UserData {
  /** What it keeps under ids without asking whose they are: external ids of mapped users, and any other text. */
  readonly byId?: {
    /** Whether that may be used; none where nobody asks. */
    readonly use?: {
      readonly name: UserDataName;
      /** Whether it keeps anything under the id, in any tenant of the app. `now`: ms since the epoch. */
      readonly isUsed: (reader: Reader, app: AppNumber, userId: string, now: number) => Promise<boolean>;
    };
    /** Removes all that it keeps under the id, in all tenants. */
    readonly remove: (tx: Transaction, app: AppNumber, userId: string) => Promise<void>;
    /** Removes what it keeps for one tenant; answers whether there was any. None where nothing is kept by tenant. */
    readonly removeInTenant?: (tx: Transaction, app: AppNumber, tenant: TenantNumber, userId: string) => Promise<boolean>;
    /** What exports carry of it; undefined where it keeps nothing under the id. */
    readonly export?: (reader: Reader, origin: Origin, userId: string) => Promise<Exported | undefined>;
  };
  /** Removes what it keeps for a login method alone. @param method none where only its id is left */
  readonly removeOfMethod?: (tx: Transaction, app: AppNumber, id: InternalUserId, method: LoginMethodRecord | undefined) => Promise<void>;
}

/** The recipes that keep data under a user id, in the order of contract 01 section 4. */
export async function recipesUsing(
  all: readonly UserData[],
  reader: Reader,
  app: AppNumber,
  userId: string,
  now: number,
): Promise<UserDataName[]> {
  const uses = all.flatMap(({ byId }) => byId?.use ?? []);
  const used = await Promise.all(uses.map(({ isUsed }) => isUsed(reader, app, userId, now)));
  return uses.filter((_, at) => used[at]).map(({ name }) => name);
}

/** Removes what the recipes keep under a user id. */
export async function removeDataOfId(all: readonly UserData[], tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await Promise.all(all.map(({ byId }) => byId?.remove(tx, app, userId)));
}

/** Removes what recipes keep under a user id for a tenant (contract 04 section 6.2); answers whether there was any. */
export async function removeDataInTenant(
  all: readonly UserData[],
  tx: Transaction,
  app: AppNumber,
  tenant: TenantNumber,
  userId: string,
): Promise<boolean> {
  const found = await Promise.all(all.map(({ byId }) => byId?.removeInTenant?.(tx, app, tenant, userId)));
  return found.includes(true);
}

/** Removes what the recipes keep for a login method alone. */
export async function removeDataOfMethod(
  all: readonly UserData[],
  tx: Transaction,
  app: AppNumber,
  id: InternalUserId,
  method: LoginMethodRecord | undefined,
): Promise<void> {
  await Promise.all(all.map(({ removeOfMethod }) => removeOfMethod?.(tx, app, id, method)));
}
