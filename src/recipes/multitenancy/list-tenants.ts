import type { Key, Store } from '../../store/store.ts';
import type { Context, Tenant } from '../context.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../scope.ts';
import { everyTenant } from './pages.ts';
import { allow } from './permission.ts';
import { type TenantRecord, tenants } from './records.ts';

const TENANTS_TEXT = 'Only the public tenantId is allowed to list all tenants associated with this app';
const APPS_TEXT = 'Only the public tenantId and public appId is allowed to list all apps associated with this connection uri domain';
const DOMAINS_TEXT =
  'Only the public tenantId, public appId and default connectionUriDomain is allowed to list all connectionUriDomains and appIds associated with this core';

/** All tenants of the addressed app (contract 04 section 5.3). @throws Refusal */
export function listTenants({ store, address }: Context): Promise<TenantRecord[]> {
  allow(address.tenantId === DEFAULT_TENANT_ID, TENANTS_TEXT);
  return tenantsUnder(store, [address.cud, address.appId]);
}

/** The ids of all tenants of an app by their numbers, whoever asks. */
export async function tenantIdsOf(store: Store, { cud, appId }: Pick<Tenant, 'cud' | 'appId'>): Promise<ReadonlyMap<number, string>> {
  const all = await tenantsUnder(store, [cud, appId]);
  return new Map(all.map(({ tenant, tenantId }) => [tenant, tenantId]));
}

/** All tenants of all apps of the addressed connection URI domain (contract 04 section 5.4). @throws Refusal */
export function listApps({ store, address }: Context): Promise<TenantRecord[]> {
  allow(address.tenantId === DEFAULT_TENANT_ID && address.appId === DEFAULT_APP_ID, APPS_TEXT);
  return tenantsUnder(store, [address.cud]);
}

/** All tenants of the core (contract 04 section 5.5). @throws Refusal */
export function listConnectionUriDomains({ store, address }: Context): Promise<TenantRecord[]> {
  allow(address.tenantId === DEFAULT_TENANT_ID && address.appId === DEFAULT_APP_ID && address.cud === '', DOMAINS_TEXT);
  return tenantsUnder(store, []);
}

/** Every connection URI domain of the core, the default one (`''`) among them, whoever asks. */
export async function listDomainIds(store: Store): Promise<string[]> {
  const all = await tenantsUnder(store, []);
  return [...new Set(all.map((tenant) => tenant.cud))];
}

/** A read for each page: other requests get their turn in between. */
function tenantsUnder(store: Store, prefix: Key): Promise<TenantRecord[]> {
  return everyTenant(prefix, (range) => store.read((reader) => reader.list(tenants, undefined, range)));
}
