import type { Reader } from '../../store/store.ts';
import type { Tenant } from '../context.ts';
import { verifiedEmail } from '../email-verification/lookups.ts';
import type { TenantDirectory } from '../multitenancy/directory.ts';
import { mappingByExternalId, mappingByInternalId } from '../user-id-mapping/lookups.ts';
import { type LoginMethodRecord, type LoginRecipe, loginMethods } from './records.ts';

/** Members a linked group may have; groups have a handful. */
const GROUP_LIMIT = 1000;

/** A login method as answers show it; ids are external where mapped. */
export interface LoginMethod {
  readonly recipe: LoginRecipe;
  readonly recipeUserId: string;
  readonly timeJoined: number;
  readonly verified: boolean;
  readonly email: string | null;
  readonly phoneNumber: string | null;
  readonly thirdParty: { readonly id: string; readonly userId: string } | null;
  readonly tenantIds: readonly string[];
}

/** A user as answers show it: a login method that stands alone, or a primary user with its linked methods, oldest first. */
export interface User {
  readonly id: string;
  readonly isPrimaryUser: boolean;
  readonly loginMethods: readonly LoginMethod[];
  /** The internal primary id, under which activity is recorded; never shown. */
  readonly internalId: string;
}

interface Names {
  readonly external: ReadonlyMap<string, string>;
  readonly verified: ReadonlySet<string>;
}

/** Loads the whole user that a login method belongs to. */
export async function loadUser(reader: Reader, directory: TenantDirectory, method: LoginMethodRecord): Promise<User> {
  const { app, primaryUserId } = method;
  const members = method.isPrimary
    ? await reader.list(loginMethods, 'byPrimary', { prefix: [app, primaryUserId], limit: GROUP_LIMIT })
    : [method];
  return buildUser(directory, method, members, await readNames(reader, app, primaryUserId, members));
}

/** A login method by its internal id together with its user, in one round when it is neither linked nor mapped; the email is the method's. */
export async function loadMethodWithUser(
  reader: Reader,
  directory: TenantDirectory,
  { app, id, email }: { readonly app: number; readonly id: string; readonly email: string },
): Promise<{ readonly method: LoginMethodRecord; readonly user: User } | undefined> {
  const reads = [{ collection: loginMethods, key: [app, id] }, mappingByInternalId(app, id), verifiedEmail(app, id, email)] as const;
  const [method, mapping, verified] = await reader.getMany(reads);
  if (!method) return undefined;
  if (method.isPrimary || mapping) return { method, user: await loadUser(reader, directory, method) };
  const names = { external: new Map(), verified: new Set(verified ? [id] : []) };
  return { method, user: await buildUser(directory, method, [method], names) };
}

async function buildUser(
  directory: TenantDirectory,
  { primaryUserId, isPrimary }: LoginMethodRecord,
  members: readonly LoginMethodRecord[],
  names: Names,
): Promise<User> {
  const views = await Promise.all(members.map((member) => viewOf(directory, member, names)));
  views.sort((a, b) => a.timeJoined - b.timeJoined);
  return {
    id: names.external.get(primaryUserId) ?? primaryUserId,
    isPrimaryUser: isPrimary,
    loginMethods: views,
    internalId: primaryUserId,
  };
}

/** External ids and verified emails in one round; a second one only for mapped methods, whose emails are verified under the external id. */
async function readNames(reader: Reader, app: number, primaryUserId: string, members: readonly LoginMethodRecord[]): Promise<Names> {
  const ids = [...new Set([primaryUserId, ...members.map((member) => member.id)])];
  const withEmail = members.flatMap(({ id, email }) => (email === null ? [] : [{ id, email }]));
  const found = await reader.getMany([
    ...ids.map((id) => mappingByInternalId(app, id)),
    ...withEmail.map(({ id, email }) => verifiedEmail(app, id, email)),
  ]);
  const external = new Map<string, string>();
  const verified = new Set<string>();
  for (const record of found) {
    if (record && 'externalUserId' in record) external.set(record.superTokensUserId, record.externalUserId);
    else if (record && !external.has(record.userId)) verified.add(record.userId);
  }
  const mapped = withEmail.flatMap(({ id, email }) => {
    const externalId = external.get(id);
    return externalId === undefined ? [] : [{ id, read: verifiedEmail(app, externalId, email) }];
  });
  if (mapped.length > 0) {
    const rows = await reader.getMany(mapped.map(({ read }) => read));
    for (const [index, { id }] of mapped.entries()) {
      if (rows[index]) verified.add(id);
      else verified.delete(id);
    }
  }
  return { external, verified };
}

async function viewOf(directory: TenantDirectory, method: LoginMethodRecord, names: Names): Promise<LoginMethod> {
  const tenantIds = await Promise.all(method.tenants.map((tenant) => directory.tenantIdOf(method.app, tenant)));
  return {
    recipe: method.recipe,
    recipeUserId: names.external.get(method.id) ?? method.id,
    timeJoined: method.timeJoined,
    verified: method.email === null ? method.recipe === 'passwordless' : names.verified.has(method.id),
    email: method.email,
    phoneNumber: method.phoneNumber,
    thirdParty: method.thirdPartyId === null ? null : { id: method.thirdPartyId, userId: method.thirdPartyUserId ?? '' },
    tenantIds: tenantIds.filter((id) => id !== undefined),
  };
}

/** The user that an id stands for: an internal id first, then an external one (contract 03 section 1.7). */
export async function findUser(reader: Reader, directory: TenantDirectory, tenant: Tenant, id: string): Promise<User | undefined> {
  const method = (await methodOf(reader, tenant.app, id)) ?? (await methodOfExternalId(reader, tenant.app, id));
  return method && loadUser(reader, directory, method);
}

async function methodOf(reader: Reader, app: number, internalId: string): Promise<LoginMethodRecord | undefined> {
  const own = await reader.get(loginMethods, [app, internalId]);
  if (own) return own;
  const [member] = await reader.list(loginMethods, 'byPrimary', { prefix: [app, internalId], limit: 1 });
  return member;
}

async function methodOfExternalId(reader: Reader, app: number, externalId: string): Promise<LoginMethodRecord | undefined> {
  const { collection, key } = mappingByExternalId(app, externalId);
  const mapping = await reader.get(collection, key);
  return mapping && methodOf(reader, app, mapping.superTokensUserId);
}
