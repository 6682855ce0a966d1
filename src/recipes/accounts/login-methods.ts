import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { existingTenants, tenantExists } from '../tenants/tenant-exists.ts';
import { asInternal, type InternalUserId } from './ids.ts';
import {
  type AccountInfo,
  idIn,
  type LoginMethodRecord,
  type LoginRecipe,
  loginMethods,
  RECIPE_BITS,
  type UserRecord,
  users,
} from './records.ts';
import { findConflict, releaseUnused, reserve } from './reservations.ts';

export type { AccountInfo, LoginMethodRecord, LoginRecipe };

/** Users with one account info whom an answer may show; emails of third parties are not unique. */
const SAME_INFO_LIMIT = 1000;

/** Members a linked group may have; groups have a handful. */
export const GROUP_LIMIT = 1000;

/** The internal id of the login method of a recipe that has this account info in this tenant. */
export function idByInfo(reader: Reader, tenant: Tenant, recipe: LoginRecipe, info: AccountInfo): MaybePromise<InternalUserId | undefined> {
  const prefix = [tenant.app, tenant.tenant, recipe, ...info] as const;
  return whenReady(reader.keys(loginMethods, 'accountInfo', { prefix, limit: 1 }), ([key]) => key && idIn(key));
}

/** The login method of a recipe that has this account info in this tenant. */
export function methodByInfo(
  reader: Reader,
  tenant: Tenant,
  recipe: LoginRecipe,
  info: AccountInfo,
): MaybePromise<LoginMethodRecord | undefined> {
  return reader.find(loginMethods, 'accountInfo', [tenant.app, tenant.tenant, recipe, ...info]);
}

/** Every login method of a tenant that has an account info, whatever its recipe. */
export function listByAccountInfo(reader: Reader, tenant: Tenant, info: AccountInfo): MaybePromise<LoginMethodRecord[]> {
  return reader.list(loginMethods, 'byAccountInfo', { prefix: [tenant.app, tenant.tenant, ...info], limit: SAME_INFO_LIMIT });
}

/** The login methods of an app with a passkey of this id, as clients spell it: one for each relying party at most. */
export function methodsByCredential(reader: Reader, app: AppNumber, credentialId: string): MaybePromise<LoginMethodRecord[]> {
  return reader.list(loginMethods, 'byCredential', { prefix: [app, credentialId], limit: SAME_INFO_LIMIT });
}

/** The login method with this internal id. */
export function methodById(reader: Reader, app: AppNumber, id: InternalUserId): MaybePromise<LoginMethodRecord | undefined> {
  return reader.get(loginMethods, [app, id]);
}

/** All login methods of the user with this internal primary id, in no particular order; none if there is no user. */
export function membersOf(reader: Reader, app: AppNumber, primaryUserId: InternalUserId): MaybePromise<LoginMethodRecord[]> {
  return reader.list(loginMethods, 'byPrimary', { prefix: [app, primaryUserId], limit: GROUP_LIMIT });
}

/** The login methods of each of the users with these internal primary ids, in one round for those who stand alone. */
export async function loginMethodsOf(
  reader: Reader,
  app: AppNumber,
  primaryUserIds: readonly InternalUserId[],
): Promise<LoginMethodRecord[][]> {
  const own = await reader.getMany(primaryUserIds.map((id) => ({ collection: loginMethods, key: [app, id] as const })));
  return Promise.all(
    primaryUserIds.map((id, at) => {
      const method = own[at];
      return method && !method.isPrimary ? [method] : membersOf(reader, app, id);
    }),
  );
}

/** What distinguishes a new login method; what is not given is `null`. */
export type NewLoginMethod = Pick<LoginMethodRecord, 'recipe'> &
  Partial<Pick<LoginMethodRecord, 'email' | 'phoneNumber' | 'thirdPartyId' | 'thirdPartyUserId' | 'passwordHash' | 'credentialIds'>>;

/** Where and when a login method is made. */
interface Maker {
  readonly tenant: Tenant;
  /** ms since the epoch */
  readonly now: () => number;
  readonly randomId: () => string;
}

/** A login method that joins now, alone, in the tenant of the request, with a fresh id. */
export function newLoginMethod({ tenant, now, randomId }: Maker, given: NewLoginMethod): LoginMethodRecord {
  const id = asInternal(randomId());
  return {
    app: tenant.app,
    id,
    primaryUserId: id,
    isPrimary: false,
    timeJoined: now(),
    tenants: [tenant.tenant],
    email: null,
    phoneNumber: null,
    thirdPartyId: null,
    thirdPartyUserId: null,
    passwordHash: null,
    ...given,
  };
}

/** Adds a method that stands alone; `duplicate` if its email, phone number or third-party pair is taken in a tenant. */
export async function addLoginMethod(tx: Transaction, method: LoginMethodRecord): Promise<'added' | 'duplicate'> {
  if ((await tx.insert(loginMethods, method)) !== undefined) return 'duplicate';
  await tx.insert(users, userOf(method.primaryUserId, [method], method));
  return 'added';
}

export type LoginMethodChange = Partial<Pick<LoginMethodRecord, 'email' | 'phoneNumber' | 'passwordHash' | 'credentialIds'>>;

/** `duplicate`: another method of the recipe has it; `not-allowed`: a linked user may not (contract 03 section 1.5). */
export type ChangeOutcome =
  | { readonly status: 'changed'; readonly method: LoginMethodRecord }
  | { readonly status: 'duplicate' | 'not-allowed'; readonly type: 'email' | 'phone' };

/**
 * Changes email, phone number, password hash or passkeys of a login method, the former two by the rules of
 * contract 03 section 1.5. Unless it answers `changed`, nothing was written.
 */
export async function changeLoginMethod(tx: Transaction, method: LoginMethodRecord, change: LoginMethodChange): Promise<ChangeOutcome> {
  let next: LoginMethodRecord = { ...method, ...change };
  const changed = CONTACTS.filter(({ field }) => next[field] !== method[field]);
  for (const { type, field } of changed) {
    const value = next[field];
    if (value === null) continue;
    const status = await contactObstacle(tx, method, [type, value]);
    if (status) return { status, type };
  }
  // Whatever is in the way now is in a removed tenant, which the method leaves a little earlier than everybody else.
  if ((await tx.put(loginMethods, next)) !== undefined) next = await outOfRemovedTenants(tx, next);
  if (next.isPrimary && changed.length > 0) await moveReservations(tx, next);
  return { status: 'changed', method: next };
}

const CONTACTS = [
  { type: 'email', field: 'email' },
  { type: 'phone', field: 'phoneNumber' },
] as const;

async function contactObstacle(
  tx: Transaction,
  { app, id, recipe, tenants, isPrimary, primaryUserId }: LoginMethodRecord,
  info: readonly ['email' | 'phone', string],
): Promise<'duplicate' | 'not-allowed' | undefined> {
  const isTaken = async (tenant: TenantNumber): Promise<boolean> => {
    const owner = await tx.find(loginMethods, 'accountInfo', [app, tenant, recipe, ...info]);
    return owner !== undefined && owner.id !== id && (await tenantExists(tx, app, tenant));
  };
  const [taken, conflict] = await Promise.all([
    Promise.all((recipe === 'thirdparty' ? [] : tenants).map(isTaken)),
    isPrimary
      ? findConflict(
          tx,
          tenants.map((tenant) => ({ app, tenant, info, primaryUserId })),
        )
      : undefined,
  ]);
  if (taken.includes(true)) return isPrimary ? 'not-allowed' : 'duplicate';
  return conflict && 'not-allowed';
}

/** Writes a login method without the tenants that were removed; answers it. */
async function outOfRemovedTenants(tx: Transaction, method: LoginMethodRecord): Promise<LoginMethodRecord> {
  const { app, tenants, primaryUserId } = method;
  const exist = await existingTenants(tx, app, tenants);
  const left = { ...method, tenants: tenants.filter((tenant) => exist.has(tenant)) };
  await tx.put(loginMethods, left);
  await settleUser(tx, app, primaryUserId);
  return left;
}

/** Only the changed method's tenants reserve its new contacts, not those of others (contract 03 section 1.5). */
async function moveReservations(tx: Transaction, changed: LoginMethodRecord): Promise<void> {
  const { app, primaryUserId } = changed;
  await releaseUnused(tx, app, primaryUserId, await membersOf(tx, app, primaryUserId));
  await reserve(
    tx,
    CONTACTS.flatMap(({ type, field }) => {
      const value = changed[field];
      return value === null ? [] : changed.tenants.map((tenant) => ({ app, tenant, info: [type, value] as const, primaryUserId }));
    }),
  );
}

/** Writes what listing needs of a user anew from its login methods, or removes it with the last of them. */
export async function settleUser(tx: Transaction, app: AppNumber, primaryUserId: InternalUserId): Promise<void> {
  await writeUser(tx, app, primaryUserId, await membersOf(tx, app, primaryUserId));
}

/** The same where the caller knows all login methods that the user has now. */
export async function writeUser(
  tx: Transaction,
  app: AppNumber,
  primaryUserId: InternalUserId,
  members: readonly LoginMethodRecord[],
): Promise<void> {
  const [first] = members;
  if (first) await tx.put(users, userOf(primaryUserId, members, first));
  else await tx.delete(users, [app, primaryUserId]);
}

/** What listing needs of a user, from all its login methods, of which the last argument is one. */
export function userOf(id: InternalUserId, members: readonly LoginMethodRecord[], { app, isPrimary }: LoginMethodRecord): UserRecord {
  const byTenant = new Map<TenantNumber, number>();
  let recipes = 0;
  for (const { recipe, tenants } of members) {
    const bit = RECIPE_BITS[recipe];
    recipes |= bit;
    for (const tenant of tenants) byTenant.set(tenant, (byTenant.get(tenant) ?? 0) | bit);
  }
  const timeJoined = Math.min(...members.map((member) => member.timeJoined));
  return { app, id, isPrimary, timeJoined, recipesByTenant: [...byTenant], recipes };
}
