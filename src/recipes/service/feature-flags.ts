import type { Context } from '../context.ts';
import { countActiveSince } from '../active-users/count.ts';

/** Every feature of the product; all are on for everyone (contract 00, Features). */
const FEATURES = ['account_linking', 'multi_tenancy', 'test', 'dashboard_login', 'mfa', 'security', 'oauth', 'saml'] as const;

const DAY_MS = 86_400_000;
const DAYS = 31;

export interface FeatureFlags {
  readonly features: readonly string[];
  /** Item i: users active during the last i + 1 days. */
  readonly monthlyActiveUsers: readonly number[];
}

/** `GET /ee/featureflag` (contract 01 section 7.1) */
export async function featureFlags({ store, tenant, now }: Context): Promise<FeatureFlags> {
  const time = now();
  const since = Array.from({ length: DAYS }, (_, day) => time - (day + 1) * DAY_MS);
  return { features: FEATURES, monthlyActiveUsers: await countActiveSince(store, tenant.app, since) };
}
