import type { AppNumber, Reader } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { verifiedEmail } from '../email-verification/lookups.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { mappingByInternalId } from '../accounts/mappings.ts';
import { findId } from '../accounts/find.ts';
import { loginMethodsOf, membersOf } from '../accounts/login-methods.ts';
import { type LoginMethodRecord, type LoginRecipe, loginMethods } from '../accounts/records.ts';
import type { InternalUserId } from '../accounts/ids.ts';

/** A login method as answers show it; ids are external where mapped. */
export interface LoginMethod {
  readonly recipe: LoginRecipe;
  readonly recipeUserId: string;
  readonly timeJoined: number;
  readonly verified: boolean;
  readonly email: string | null;
  readonly phoneNumber: string | null;
  readonly thirdParty: { readonly id: string; readonly userId: string } | null;
  /** Of its passkeys, oldest first; `null` for other recipes. */
  readonly credentialIds: readonly string[] | null;
  readonly tenantIds: readonly string[];
}

/** A user as answers show it: a login method that stands alone, or a primary user with linked methods, oldest first. */
export interface User {
  readonly id: string;
  readonly isPrimaryUser: boolean;
  readonly loginMethods: readonly LoginMethod[];
  /** The internal primary id, under which activity is recorded; never shown. */
  readonly internalId: InternalUserId;
}

/** When the oldest login method of a user joined, ms. */
export const timeJoinedOf = (user: User): number => Math.min(...user.loginMethods.map((method) => method.timeJoined));

interface Names {
  readonly external: ReadonlyMap<string, string>;
  readonly verified: ReadonlySet<string>;
}

/** Loads the whole user that a login method belongs to. */
export async function loadUser(reader: Reader, directory: TenantDirectory, method: LoginMethodRecord): Promise<User> {
  const [user] = await loadUsers(reader, directory, [method]);
  if (!user) throw new Error('a login method belongs to a user');
  return user;
}

/** The user whose login methods are all known. */
export async function loadUserOf(reader: Reader, directory: TenantDirectory, members: readonly LoginMethodRecord[]): Promise<User> {
  const [first] = members;
  if (!first) throw new Error('a user has at least one login method');
  return buildUser(reader, directory, first, members, await readNames(reader, members));
}

/** Loads the users that login methods of one app belong to: each once, in the order of the first of its methods. */
export async function loadUsers(reader: Reader, directory: TenantDirectory, methods: readonly LoginMethodRecord[]): Promise<User[]> {
  const firsts = new Map<string, LoginMethodRecord>();
  for (const method of methods) if (!firsts.has(method.primaryUserId)) firsts.set(method.primaryUserId, method);
  const groups = await Promise.all(
    [...firsts.values()].map(async (first) => (first.isPrimary ? await membersOf(reader, first.app, first.primaryUserId) : [first])),
  );
  const names = await readNames(reader, groups.flat());
  return Promise.all([...firsts.values()].map((first, at) => buildUser(reader, directory, first, groups[at] ?? [], names)));
}

/** Loads the users of an app with these internal primary ids, in their order. */
export async function loadUsersById(
  reader: Reader,
  directory: TenantDirectory,
  app: AppNumber,
  primaryUserIds: readonly InternalUserId[],
): Promise<User[]> {
  const groups = await loginMethodsOf(reader, app, primaryUserIds);
  const names = await readNames(reader, groups.flat());
  return Promise.all(groups.flatMap((group) => (group[0] ? [buildUser(reader, directory, group[0], group, names)] : [])));
}

/** The user of this internal primary id; `undefined` when there is none. */
export async function loadUserById(
  reader: Reader,
  directory: TenantDirectory,
  app: AppNumber,
  primaryUserId: InternalUserId,
): Promise<User | undefined> {
  const members = await membersOf(reader, app, primaryUserId);
  return members.length > 0 ? loadUserOf(reader, directory, members) : undefined;
}

/**
 * The user made of one login method, even a linked one, anywhere in the app: old look-ups by recipe show it so
 * (contract 03 section 2.6). `undefined` if the id is not a login method of the recipe.
 */
export async function findMethodAlone(
  reader: Reader,
  directory: TenantDirectory,
  app: AppNumber,
  wanted: { readonly id: string; readonly recipe: LoginRecipe },
): Promise<User | undefined> {
  const method = (await findId(reader, app, wanted.id))?.method;
  if (method?.recipe !== wanted.recipe) return undefined;
  const user = await buildUser(reader, directory, { ...method, primaryUserId: method.id }, [method], await readNames(reader, [method]));
  return { ...user, internalId: method.primaryUserId };
}

/** A login method by internal id with its user, in one round if neither linked nor mapped; `email` is the method's. */
export async function loadMethodWithUser(
  reader: Reader,
  directory: TenantDirectory,
  { app, id, email }: { readonly app: AppNumber; readonly id: InternalUserId; readonly email: string },
): Promise<{ readonly method: LoginMethodRecord; readonly user: User } | undefined> {
  const reads = [{ collection: loginMethods, key: [app, id] }, mappingByInternalId(app, id), verifiedEmail(app, id, email)] as const;
  const [method, mapping, verified] = await reader.getMany(reads);
  if (!method) return undefined;
  if (method.isPrimary || mapping) return { method, user: await loadUser(reader, directory, method) };
  const names = { external: new Map(), verified: new Set(verified ? [id] : []) };
  return { method, user: await buildUser(reader, directory, method, [method], names) };
}

async function buildUser(
  reader: Reader,
  directory: TenantDirectory,
  { primaryUserId, isPrimary }: LoginMethodRecord,
  members: readonly LoginMethodRecord[],
  names: Names,
): Promise<User> {
  const views = await Promise.all(members.map((member) => viewOf(reader, directory, member, names)));
  views.sort((a, b) => a.timeJoined - b.timeJoined);
  return {
    id: names.external.get(primaryUserId) ?? primaryUserId,
    isPrimaryUser: isPrimary,
    loginMethods: views,
    internalId: primaryUserId,
  };
}

/** External ids and verified emails of an app's methods; mapped ones, verified by external id, need a second round. */
async function readNames(reader: Reader, members: readonly LoginMethodRecord[]): Promise<Names> {
  const app = members[0]?.app;
  if (app === undefined) return { external: new Map(), verified: new Set() };
  const ids = [...new Set(members.flatMap((member) => [member.primaryUserId, member.id]))];
  const withEmail = members.flatMap(({ id, email }) => (email === null ? [] : [{ id, email }]));
  const found = await reader.getMany([
    ...ids.map((id) => mappingByInternalId(app, id)),
    ...withEmail.map(({ id, email }) => verifiedEmail(app, id, email)),
  ]);
  const external = new Map<string, string>();
  const verified = new Set<string>();
  // The email of a login with passkeys counts as verified under either id (contract 07 section 1).
  const byEitherId = new Set<string>(members.flatMap(({ id, recipe }) => (recipe === 'webauthn' ? [id] : [])));
  for (const record of found) {
    if (record && 'externalUserId' in record) external.set(record.superTokensUserId, record.externalUserId);
    else if (record && (byEitherId.has(record.userId) || !external.has(record.userId))) verified.add(record.userId);
  }
  const mapped = withEmail.flatMap(({ id, email }) => {
    const externalId = external.get(id);
    return externalId === undefined ? [] : [{ id, read: verifiedEmail(app, externalId, email) }];
  });
  if (mapped.length > 0) {
    const rows = await reader.getMany(mapped.map(({ read }) => read));
    for (const [index, { id }] of mapped.entries()) {
      if (rows[index]) verified.add(id);
      else if (!byEitherId.has(id)) verified.delete(id);
    }
  }
  return { external, verified };
}

async function viewOf(reader: Reader, directory: TenantDirectory, method: LoginMethodRecord, names: Names): Promise<LoginMethod> {
  const tenantIds = await Promise.all(method.tenants.map((tenant) => directory.tenantIdOf(reader, method.app, tenant)));
  return {
    recipe: method.recipe,
    recipeUserId: names.external.get(method.id) ?? method.id,
    timeJoined: method.timeJoined,
    verified: method.email === null ? method.recipe === 'passwordless' : names.verified.has(method.id),
    email: method.email,
    phoneNumber: method.phoneNumber,
    thirdParty: method.thirdPartyId === null ? null : { id: method.thirdPartyId, userId: method.thirdPartyUserId ?? '' },
    credentialIds: method.recipe === 'webauthn' ? (method.credentialIds ?? []) : null,
    tenantIds: tenantIds.filter((id) => id !== undefined),
  };
}

/** The user that an id stands for: an internal id first, then an external one (contract 03 section 1.7). */
export async function findUser(reader: Reader, directory: TenantDirectory, { app }: Tenant, id: string): Promise<User | undefined> {
  const found = await findId(reader, app, id);
  if (!found) return undefined;
  return found.method ? loadUser(reader, directory, found.method) : loadUserById(reader, directory, app, found.primaryUserId);
}
