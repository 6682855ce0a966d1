import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { primaryOfInternalId } from '../accounts/identity.ts';
import { tenantIdOfHandle, tenantOfApp } from './handle.ts';
import { sessionKey, type SessionRecord, sessions } from '../session-records/records.ts';

interface ByHandle {
  readonly sessionHandle: string;
}

/** A session row for reading: the row, its tenant and the primary user's id (contract 02 section 1.9, plain read). */
export interface FoundSession {
  readonly row: SessionRecord;
  readonly tenantId: string;
  readonly userId: string;
}

/** `GET /recipe/session` (contract 02 section 2.2); undefined when there is none or it has expired. */
export async function getSession(context: Context, { sessionHandle }: ByHandle): Promise<FoundSession | undefined> {
  const tenant = await tenantOfApp(context, tenantIdOfHandle(sessionHandle));
  return context.store.read(async (reader) => {
    const row = await reader.get(sessions, sessionKey(tenant, sessionHandle));
    if (!row || row.expiresAt <= context.now()) return undefined;
    const { collection, key } = primaryOfInternalId(tenant.app, row.userId);
    const method = await reader.get(collection, key);
    return { row, tenantId: tenant.tenantId, userId: method?.primaryUserId ?? row.userId };
  });
}

/** The row alone, for the two deprecated reads (contract 02 sections 2.7 and 2.9). */
export async function readSessionRow(context: Context, { sessionHandle }: ByHandle): Promise<SessionRecord | undefined> {
  const tenant = await tenantOfApp(context, tenantIdOfHandle(sessionHandle));
  const found: MaybePromise<SessionRecord | undefined> = context.store.read((reader) =>
    reader.get(sessions, sessionKey(tenant, sessionHandle)),
  );
  const row = await found;
  return row && row.expiresAt > context.now() ? row : undefined;
}
