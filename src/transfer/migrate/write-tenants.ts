import { allOf, pagesOf } from '../../store/pages.ts';
import type { AppNumber, Store, TenantNumber, Transaction } from '../../store/store.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../../recipes/tenants/address.ts';
import { markChange, newNumber } from '../../recipes/tenants/counters.ts';
import { type TenantRecord, tenants } from '../../recipes/tenants/records.ts';
import { addressOf, type SourceTenant } from './tenancy.ts';

/** A tenant of the old core, with its numbers in the store. */
export interface MovedTenant extends SourceTenant {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
}

const TENANTS_AT_ONCE = 500;

/** Apps and domains come before what is in them. */
function parentsFirst({ facts: a }: SourceTenant, { facts: b }: SourceTenant): number {
  const depth = ({ appId, tenantId }: SourceTenant['facts']): number =>
    tenantId === DEFAULT_TENANT_ID ? (appId === DEFAULT_APP_ID ? 0 : 1) : 2;
  return Number(b.cud === '') - Number(a.cud === '') || depth(a) - depth(b);
}

/**
 * Brings the tenants of the store in line with those of the old core; numbers stay. Tenants of an app or domain that
 * does not exist are left out, for nobody can reach them.
 */
export async function writeTenants(store: Store, found: readonly SourceTenant[]): Promise<readonly MovedTenant[]> {
  const sorted = found.toSorted(parentsFirst);
  const apps = new Map<string, AppNumber>();
  const moved: MovedTenant[] = [];
  for (let at = 0; at < sorted.length; at += TENANTS_AT_ONCE) {
    const some = sorted.slice(at, at + TENANTS_AT_ONCE);
    moved.push(...(await store.transact((tx) => putTenants(tx, some, apps))));
  }
  await removeOthers(store, new Set(moved.map(({ facts }) => addressOf(facts.cud, facts.appId, facts.tenantId))));
  return moved;
}

async function putTenants(tx: Transaction, some: readonly SourceTenant[], apps: Map<string, AppNumber>): Promise<MovedTenant[]> {
  const moved: MovedTenant[] = [];
  for (const tenant of some) {
    const { cud, appId, tenantId } = tenant.facts;
    const stored = await tx.get(tenants, [cud, appId, tenantId]);
    const isApp = tenantId === DEFAULT_TENANT_ID;
    const app = apps.get(addressOf(cud, appId, '')) ?? stored?.app ?? (isApp ? await newNumber(tx) : undefined);
    if (app === undefined) continue;
    apps.set(addressOf(cud, appId, ''), app);
    const record: TenantRecord = { ...tenant.facts, app, tenant: stored?.tenant ?? (await newNumber(tx)) };
    await tx.put(tenants, record);
    moved.push({ ...tenant, app, tenant: record.tenant });
  }
  await markChange(tx);
  return moved;
}

async function removeOthers(store: Store, known: ReadonlySet<string>): Promise<void> {
  const stored = await allOf(pagesOf((page) => store.read((reader) => reader.pageOfKeys(tenants, undefined, { prefix: [], ...page }))));
  const gone = stored.filter(({ key: [cud, appId, tenantId] }) => !known.has(addressOf(cud, appId, tenantId)));
  if (gone.length === 0) return;
  await store.transact(async (tx) => {
    for (const { key } of gone) await tx.delete(tenants, key);
    await markChange(tx);
  });
}
