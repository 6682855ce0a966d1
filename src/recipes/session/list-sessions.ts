import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { SCOPES } from '../scope.ts';
import { linkedUserIds } from '../users/identity.ts';
import { sessionPages } from './revoke.ts';

/** `GET /recipe/session/user` (contract 02 section 2.6): handles of the sessions of a user that have not expired. */
export async function listSessions(context: Context, command: Commands['session/list-sessions']): Promise<readonly string[]> {
  const { address, traits, directory, store } = context;
  const acrossTenants = command.fetchAcrossAllTenants ?? true;
  const tenant = await SCOPES[acrossTenants ? 'app' : 'tenant'](address, traits, directory);
  const withLinked = command.fetchSessionsForAllLinkedAccounts ?? true;
  const userIds = withLinked ? await store.read((reader) => linkedUserIds(reader, tenant.app, command.userId)) : [command.userId];
  const handles: string[] = [];
  for (const userId of userIds) {
    const prefix = acrossTenants ? [tenant.app, userId] : [tenant.app, userId, tenant.tenant];
    for await (const page of sessionPages(store, prefix)) {
      for (const session of page) {
        const isLive = session.expiresAt >= context.now() && (await directory.tenantIdOf(session.app, session.tenant)) !== undefined;
        if (isLive) handles.push(session.handle);
      }
    }
  }
  return handles;
}
