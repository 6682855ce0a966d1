import type { Reader } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { InternalUserId } from './ids.ts';
import { type AccountInfo, listByAccountInfo } from './login-methods.ts';
import { users } from './records.ts';

/** The internal primary id of the oldest user who has an account info in a tenant, by whatever recipe. */
export async function oldestUserWith(reader: Reader, tenant: Tenant, info: AccountInfo): Promise<InternalUserId | undefined> {
  const methods = await listByAccountInfo(reader, tenant, info);
  const ids = [...new Set(methods.map((method) => method.primaryUserId))];
  if (ids.length < 2) return ids[0];
  const found = await reader.getMany(ids.map((id) => ({ collection: users, key: [tenant.app, id] as const })));
  const byAge = found.flatMap((user) => user ?? []).toSorted((a, b) => a.timeJoined - b.timeJoined);
  return byAge[0]?.id;
}
