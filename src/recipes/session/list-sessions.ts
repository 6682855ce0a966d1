import type { Commands } from '../../generated/commands.ts';
import type { Pages, Reader, TenantNumber } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { SCOPES } from '../scope.ts';
import { linkedUserIds } from '../accounts/identity.ts';
import { handleIn, tenantIn } from '../session-records/records.ts';
import { liveKeys, type Owner, sessionPages } from './sessions-of-id.ts';

/** `GET /recipe/session/user` (contract 02 section 2.6): handles of the sessions of a user that have not expired. */
export async function listSessions(context: Context, command: Commands['session/list-sessions']): Promise<Pages<readonly string[]>> {
  const { address, traits, directory, store } = context;
  const acrossTenants = command.fetchAcrossAllTenants ?? true;
  const { app, tenant } = await SCOPES[acrossTenants ? 'app' : 'tenant'](address, traits, directory);
  const withLinked = command.fetchSessionsForAllLinkedAccounts ?? true;
  return store.readPages(async (reader, hold) => {
    const userIds = withLinked ? await linkedUserIds(reader, app, command.userId) : [command.userId];
    const owners = userIds.map((userId) => ({ app, userId, tenant: acrossTenants ? undefined : tenant }));
    return hold(handlesOf(reader, directory, owners, context.now()));
  });
}

async function* handlesOf(
  reader: Reader,
  directory: TenantDirectory,
  owners: readonly Owner[],
  now: number,
): AsyncGenerator<readonly string[], undefined> {
  const tenants = new Map<TenantNumber, boolean>();
  for (const owner of owners) {
    for await (const page of sessionPages(owner, (body) => body(reader))) {
      const keys = await liveKeys(reader, page, now);
      for (const tenant of new Set(keys.map(tenantIn)))
        if (!tenants.has(tenant)) tenants.set(tenant, (await directory.tenantIdOf(reader, owner.app, tenant)) !== undefined);
      // Sessions of a removed tenant, which wait for the clean-up, are gone for callers already.
      yield keys.filter((key) => tenants.get(tenantIn(key))).map(handleIn);
    }
  }
}
