import type { AppNumber, Store, TenantNumber, Transaction } from '../../store/store.ts';
import type { FoundId } from './find.ts';
import { type LoginMethodRecord, membersOf, writeUser } from './login-methods.ts';
import { type AccountInfo, accountInfosOf, idIn, loginMethods } from './records.ts';
import { type Conflict, findConflict, releaseUnused, reserve } from './reservations.ts';

/** How an attempt to bring a login method into a tenant ended. */
export type JoinOutcome =
  | { readonly status: 'joined' | 'member' | 'unknown' }
  /** Another login method of its recipe in the tenant has the account info. */
  | { readonly status: 'duplicate'; readonly type: AccountInfo[0] }
  /** Another primary user of the tenant has an account info of the group. */
  | { readonly status: 'not-allowed'; readonly conflict: Conflict };

/**
 * Brings a login method into a tenant (contract 04 section 6.1): its whole group's account infos must be free there,
 * and are reserved; other members do not join. Unless it answers `joined` or `member`, nothing was written.
 */
export async function joinTenant(tx: Transaction, app: AppNumber, tenant: TenantNumber, found: FoundId): Promise<JoinOutcome> {
  const { method, primaryUserId } = found;
  const group = found.isPrimary ? await membersOf(tx, app, primaryUserId) : [];
  const wanted = group.flatMap((member) => accountInfosOf(member).map((info) => ({ app, tenant, info, primaryUserId })));
  const isMember = method?.tenants.includes(tenant) === true;
  const [conflict, taken] = await Promise.all([findConflict(tx, wanted), method && !isMember ? takenInfo(tx, method, tenant) : undefined]);
  if (conflict) return { status: 'not-allowed', conflict };
  if (!method) return { status: 'unknown' };
  if (taken) return { status: 'duplicate', type: taken };
  await reserve(tx, wanted);
  if (isMember) return { status: 'member' };
  const joined = { ...method, tenants: [...method.tenants, tenant] };
  await Promise.all([tx.put(loginMethods, joined), writeUser(tx, app, primaryUserId, withChanged(group, joined))]);
  return { status: 'joined' };
}

async function takenInfo(tx: Transaction, method: LoginMethodRecord, tenant: TenantNumber): Promise<AccountInfo[0] | undefined> {
  const infos = accountInfosOf(method);
  // The email that a third party reports is not unique, and so stands in no such index.
  const owners = await Promise.all(infos.map((info) => tx.find(loginMethods, 'accountInfo', [method.app, tenant, method.recipe, ...info])));
  return infos.find((_, at) => owners[at])?.[0];
}

/** The members of a user with one of them changed; who stands alone is its only member. */
function withChanged(group: readonly LoginMethodRecord[], changed: LoginMethodRecord): readonly LoginMethodRecord[] {
  return group.length === 0 ? [changed] : group.map((member) => (member.id === changed.id ? changed : member));
}

/** Takes a method out of a tenant, with its group's reservations there if it is the last; answers if it was in it. */
export async function leaveTenant(tx: Transaction, method: LoginMethodRecord, tenant: TenantNumber): Promise<boolean> {
  const { app, primaryUserId, tenants } = method;
  if (!tenants.includes(tenant)) return false;
  const group = method.isPrimary ? await membersOf(tx, app, primaryUserId) : [];
  const left = { ...method, tenants: tenants.filter((each) => each !== tenant) };
  const members = withChanged(group, left);
  await Promise.all([
    tx.put(loginMethods, left),
    method.isPrimary ? releaseUnused(tx, app, primaryUserId, members) : undefined,
    writeUser(tx, app, primaryUserId, members),
  ]);
  return true;
}

/**
 * Takes login methods out of a removed tenant, those behind at most `limit` index entries; answers how many entries
 * there were, fewer than `limit` when nobody is left. Users stay (contract 04 section 5.9).
 */
export async function emptyTenant(store: Store, app: AppNumber, tenant: TenantNumber, limit: number): Promise<number> {
  const keys = await store.read((reader) => reader.keys(loginMethods, 'byAccountInfo', { prefix: [app, tenant], limit }));
  if (keys.length === 0) return 0;
  return store.transact(async (tx) => {
    const ids = [...new Set(keys.map(idIn))];
    const methods = await tx.getMany(ids.map((id) => ({ collection: loginMethods, key: [app, id] as const })));
    for (const method of methods) if (method) await leaveTenant(tx, method, tenant);
    return keys.length;
  });
}
