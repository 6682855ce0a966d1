import type { Commands } from '../../generated/commands.ts';
import { allReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { activityIdOf, linkedUserIds } from '../accounts/identity.ts';
import { handleIn, sessionKey, type SessionKey, tenantIn } from '../session-records/records.ts';
import { tenantIdOfHandle, tenantOfApp } from './handle.ts';
import { deleteSessions, revokeSessionsOfUsers, type Told } from './revoke.ts';
import { tellEnded } from './tell-ended.ts';

type Command = Commands['session/remove-sessions'];

/** Which fields go together (contract 02 section 2.5). */
export function checkRemoveCommand(command: Command): void {
  const refuse = (text: string): never => {
    throw new Refusal('bad-input', { text: `Invalid JSON input - ${text}` });
  };
  const byUser = command.userId !== undefined;
  if (byUser === (command.sessionHandles !== undefined)) refuse('use one of userId or sessionHandles array');
  if (!byUser && command.revokeAcrossAllTenants !== undefined) refuse('revokeAcrossAllTenants can only be set if userId is set');
  if (!byUser && command.revokeSessionsForLinkedAccounts !== undefined) {
    refuse('revokeSessionsForLinkedAccounts can only be set if userId is set');
  }
}

/**
 * `POST /recipe/session/remove` (contract 02 section 2.5): the handles that this call really deleted. Users sign out by
 * it all day; what an operator ends is told.
 */
export async function removeSessions(context: Context, command: Command): Promise<readonly string[]> {
  const { address, traits, directory, signedIn } = context;
  const told = signedIn && tellEnded(context, await SCOPES['app-any-tenant'](address, traits, directory));
  if (command.userId !== undefined) return removeOfUser(context, command.userId, command, told);
  return removeByHandle(context, command.sessionHandles ?? [], told);
}

async function removeOfUser(context: Context, userId: string, command: Command, told: Told | undefined): Promise<string[]> {
  const { address, traits, directory, store, activity } = context;
  const acrossTenants = command.revokeAcrossAllTenants ?? true;
  const tenant = await SCOPES[acrossTenants ? 'app' : 'tenant'](address, traits, directory);
  const withLinked = command.revokeSessionsForLinkedAccounts ?? true;
  const userIds = withLinked ? await store.read((reader) => linkedUserIds(reader, tenant.app, userId)) : [userId];
  const filter = acrossTenants ? { liveAt: context.now() } : { tenant: tenant.tenant, liveAt: context.now() };
  const revoked = await revokeSessionsOfUsers(store, tenant.app, userIds, filter, told);
  const activeId = await store.read((reader) => activityIdOf(reader, tenant.app, userId));
  await activity.touch(store, tenant.app, activeId, context.now());
  const tenantIds = await store.read((reader) => allReady(revoked.map((key) => directory.tenantIdOf(reader, tenant.app, tenantIn(key)))));
  // Sessions of a removed tenant, which wait for the clean-up, are gone for callers already.
  return revoked.filter((_, at) => tenantIds[at] !== undefined).map(handleIn);
}

/** Ends sessions by their handles. Expired rows that still exist count too; a handle named twice is answered twice. */
export async function removeByHandle(context: Context, handles: readonly string[], told?: Told): Promise<string[]> {
  await SCOPES['app-any-tenant'](context.address, context.traits, context.directory);
  const tenants = new Map<string, Tenant>();
  const keys: SessionKey[] = [];
  for (const handle of handles) {
    const tenantId = tenantIdOfHandle(handle);
    // One after the other: the first unknown tenant ends the call, however many follow.
    const tenant = tenants.get(tenantId) ?? (await tenantOfApp(context, tenantId));
    tenants.set(tenantId, tenant);
    keys.push(sessionKey(tenant, handle));
  }
  // A handle names its tenant, so it is the same session wherever it stands in the list.
  const removed = new Set<string>((await deleteSessions(context.store, keys, told)).map(handleIn));
  return handles.filter((handle) => removed.has(handle));
}
