import { EMPTY_OBJECT, toJsonText } from '../../json/free-form.ts';
import type { Store } from '../../store/store.ts';
import { type Address, DEFAULT_APP_ID, DEFAULT_TENANT_ID } from './address.ts';
import { markChange, newNumber } from './counters.ts';
import { tenants } from './records.ts';

/** The tenant that always exists (contract 01 section 1.1). */
export const BASE_ADDRESS: Address = { cud: '', appId: DEFAULT_APP_ID, tenantId: DEFAULT_TENANT_ID };

/** True for the address of the base tenant. */
export function isBase({ cud, appId, tenantId }: Address): boolean {
  return cud === '' && appId === DEFAULT_APP_ID && tenantId === DEFAULT_TENANT_ID;
}

/** Creates the base tenant in a new store; of several processes that start at once, one does. */
export async function ensureBaseTenant(store: Store): Promise<void> {
  const key = [BASE_ADDRESS.cud, BASE_ADDRESS.appId, BASE_ADDRESS.tenantId] as const;
  if (await store.read((reader) => reader.get(tenants, key))) return;
  await store.transact(async (tx) => {
    if (await tx.get(tenants, key)) return;
    await tx.put(tenants, {
      ...BASE_ADDRESS,
      app: await newNumber(tx),
      tenant: await newNumber(tx),
      emailPasswordEnabled: true,
      thirdPartyEnabled: true,
      passwordlessEnabled: true,
      firstFactors: null,
      requiredSecondaryFactors: null,
      providers: toJsonText([]),
      coreConfig: EMPTY_OBJECT,
    });
    await markChange(tx);
  });
}

/** True when the store answers a read of what it always holds. */
export async function isBaseTenantThere(store: Store): Promise<boolean> {
  const { cud, appId, tenantId } = BASE_ADDRESS;
  return (await store.read((reader) => reader.get(tenants, [cud, appId, tenantId]))) !== undefined;
}
