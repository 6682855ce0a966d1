import { type Address, DEFAULT_TENANT_ID } from './tenants/address.ts';
import type { Traits } from '../cdi/traits.ts';
import { type MaybePromise, whenReady } from '../store/maybe-promise.ts';
import type { Tenant } from './tenants/tenant.ts';
import type { TenantDirectory } from './tenants/directory.ts';
import { BASE_ADDRESS } from './tenants/ensure-base-tenant.ts';
import { Refusal } from './refusal.ts';

type Guard = (address: Address, traits: Traits, directory: TenantDirectory) => MaybePromise<Tenant>;

const requireTenant: Guard = (address, _traits, directory) =>
  whenReady(directory.find(address), (tenant) => {
    if (!tenant) throw new Refusal('tenant-not-found', address);
    return tenant;
  });

const requireApp: Guard = (address, traits, directory) => requireTenant({ ...address, tenantId: DEFAULT_TENANT_ID }, traits, directory);

const refuseOtherTenants = (address: Address): void => {
  if (address.tenantId !== DEFAULT_TENANT_ID) throw new Refusal('public-tenant-only');
};

/**
 * The scope guards of contract 01 section 2.10. Each answers the tenant the verb works in.
 * `app` and `app-existing-first` differ in which of the two complaints comes first.
 */
export const SCOPES = {
  tenant: requireTenant,
  /** Root endpoint: the app must exist; an unknown tenant is answered as an unknown path (contract 01 section 3.1). */
  root: (address, traits, directory) =>
    whenReady(requireApp(address, traits, directory), () =>
      whenReady(directory.find(address), (tenant) => {
        if (!tenant) throw new Refusal('not-found');
        return tenant;
      }),
    ),
  app: (address, traits, directory) => {
    if (traits.appScopeEnforced) refuseOtherTenants(address);
    return requireApp(address, traits, directory);
  },
  /** Like `app`, where an unknown app is named without a tenant (text V2 of contract 01 section 2.10). */
  'app-by-itself': (address, traits, directory) => {
    if (traits.appScopeEnforced) refuseOtherTenants(address);
    return whenReady(directory.find({ ...address, tenantId: DEFAULT_TENANT_ID }), (tenant) => {
      if (!tenant) throw new Refusal('app-not-found', address);
      return tenant;
    });
  },
  'app-existing-first': (address, traits, directory) =>
    whenReady(requireApp(address, traits, directory), (tenant) => {
      if (traits.appScopeEnforced) refuseOtherTenants(address);
      return tenant;
    }),
  /** The tenant segment is ignored; the app must exist. */
  'app-any-tenant': requireApp,
  /** Like `app-any-tenant`, with the 403 from CDI 5.6 on. */
  'app-public-from-5.6': (address, traits, directory) =>
    whenReady(requireApp(address, traits, directory), (tenant) => {
      if (traits.rotatingRefresh) refuseOtherTenants(address);
      return tenant;
    }),
  /** What belongs to the whole core: whatever is addressed, it works in the base app. */
  base: (_address, traits, directory) => requireTenant(BASE_ADDRESS, traits, directory),
} as const satisfies Record<string, Guard>;

/** `verb`: the verb guards itself, because its scope depends on its input; `none`: nothing need exist. */
export type ScopeName = keyof typeof SCOPES | 'verb' | 'none';
