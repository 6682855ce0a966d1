import type { Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { countActiveSince } from '../active-users/count.ts';
import { tenantIdsOf } from '../multitenancy/list-tenants.ts';
import { countClients } from '../saml/usage.ts';

/** Those features that the reference sells which are served here, on for everyone (contract 00, Features). */
const FEATURES = ['account_linking', 'multi_tenancy', 'dashboard_login', 'mfa', 'security', 'saml'] as const;

const DAY_MS = 86_400_000;
const DAYS = 31;

export interface FeatureFlags {
  readonly features: readonly string[];
  /** Item i: users active during the last i + 1 days. */
  readonly monthlyActiveUsers: readonly number[];
  readonly saml: SamlUsage;
}

/** How many SAML clients each tenant of an app has (contract 06 section 1.6). */
export interface SamlUsage {
  readonly connectionUriDomain: string;
  readonly appId: string;
  /** An object for each tenant that says so itself, with its numbers under its id. */
  readonly tenants: readonly { readonly [name: string]: string | { readonly numberOfSAMLClients: number } }[];
}

/** `GET /ee/featureflag` (contract 01 section 7.1) */
export async function featureFlags({ store, tenant, now }: Context): Promise<FeatureFlags> {
  const time = now();
  const since = Array.from({ length: DAYS }, (_, day) => time - (day + 1) * DAY_MS);
  const [monthlyActiveUsers, saml] = await Promise.all([countActiveSince(store, tenant.app, since), samlUsage(store, tenant)]);
  return { features: FEATURES, monthlyActiveUsers, saml };
}

async function samlUsage(store: Store, tenant: Tenant): Promise<SamlUsage> {
  const [ids, counts] = await Promise.all([tenantIdsOf(store, tenant), countClients(store, tenant.app)]);
  return {
    connectionUriDomain: tenant.cud,
    appId: tenant.appId,
    tenants: [...ids].map(([number, tenantId]) => ({ tenantId, [tenantId]: { numberOfSAMLClients: counts.get(number) ?? 0 } })),
  };
}
