import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';

/** The addressed tenant as stored; undefined if it does not exist, which is no error here (contract 04 section 5.2). */
export function getTenant({ store, address }: Context): MaybePromise<TenantRecord | undefined> {
  return store.read((reader) => reader.get(tenants, [address.cud, address.appId, address.tenantId]));
}
