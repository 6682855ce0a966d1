import { pagesOf } from '../../store/pages.ts';
import type { KeyOf, Leading, Pages, Store, TenantNumber } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { everyTenant } from '../tenants/pages.ts';
import { allow } from './permission.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';

const TENANTS_TEXT = 'Only the public tenantId is allowed to list all tenants associated with this app';
const APPS_TEXT = 'Only the public tenantId and public appId is allowed to list all apps associated with this connection uri domain';
const DOMAINS_TEXT =
  'Only the public tenantId, public appId and default connectionUriDomain is allowed to list all connectionUriDomains and appIds associated with this core';

/** Tenants that are in memory at once while they are listed; each may have the providers of `LIMITS.providersBytes`. */
const PAGE = 25;

/** Tenants in the order of their domains, in it of their apps, and in it of their ids. */
export type TenantPages = Pages<readonly TenantRecord[]>;

/** All tenants of the addressed app (contract 04 section 5.3). @throws Refusal */
export function listTenants({ store, address }: Context): Promise<TenantPages> {
  allow(address.tenantId === DEFAULT_TENANT_ID, TENANTS_TEXT);
  return tenantPages(store, [address.cud, address.appId]);
}

/** The ids of all tenants of an app by their numbers, whoever asks. */
export async function tenantIdsOf(store: Store, { cud, appId }: Pick<Tenant, 'cud' | 'appId'>): Promise<ReadonlyMap<TenantNumber, string>> {
  const all = await tenantsUnder(store, [cud, appId]);
  return new Map(all.map(({ tenant, tenantId }) => [tenant, tenantId]));
}

/** All tenants of all apps of the addressed connection URI domain (contract 04 section 5.4). @throws Refusal */
export function listApps({ store, address }: Context): Promise<TenantPages> {
  allow(address.tenantId === DEFAULT_TENANT_ID && address.appId === DEFAULT_APP_ID, APPS_TEXT);
  return tenantPages(store, [address.cud]);
}

/** All tenants of the core (contract 04 section 5.5). @throws Refusal */
export function listConnectionUriDomains({ store, address }: Context): Promise<TenantPages> {
  allow(address.tenantId === DEFAULT_TENANT_ID && address.appId === DEFAULT_APP_ID && address.cud === '', DOMAINS_TEXT);
  return tenantPages(store, []);
}

/** Every connection URI domain of the core, the default one (`''`) among them, whoever asks. */
export async function listDomainIds(store: Store): Promise<string[]> {
  const all = await tenantsUnder(store, []);
  return [...new Set(all.map((tenant) => tenant.cud))];
}

function tenantPages(store: Store, prefix: Leading<KeyOf<typeof tenants>>): Promise<TenantPages> {
  return store.readPages((reader, hold) => hold(pagesOf((page) => reader.page(tenants, undefined, { prefix, ...page }), PAGE)));
}

/** A read for each page: other requests get their turn in between. */
function tenantsUnder(store: Store, prefix: Leading<KeyOf<typeof tenants>>): Promise<TenantRecord[]> {
  return everyTenant((page) => store.read((reader) => reader.page(tenants, undefined, { prefix, ...page })));
}
