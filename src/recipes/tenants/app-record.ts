import type { Transaction } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from './address.ts';
import { markChange } from './counters.ts';
import { type TenantRecord, tenants } from './records.ts';
import type { Tenant } from './tenant.ts';

/** What may be changed of an app by others than those who configure its tenants. */
type Changeable = Pick<TenantRecord, 'apiKeys' | 'keyChanges'>;

/**
 * Changes what the record of an app's public tenant holds for the app; call `directory.changed()` once it is kept.
 * @param change given the record, answers what becomes of it
 * @throws Refusal where the app was removed meanwhile
 */
export async function changeApp(tx: Transaction, tenant: Tenant, change: (record: TenantRecord) => Changeable): Promise<void> {
  const record = await tx.get(tenants, [tenant.cud, tenant.appId, DEFAULT_TENANT_ID]);
  if (record?.app !== tenant.app) throw new Refusal('tenant-not-found', { ...tenant, tenantId: DEFAULT_TENANT_ID });
  await tx.put(tenants, { ...record, ...change(record) });
  await markChange(tx);
}
