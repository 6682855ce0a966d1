import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { type TenantKey, type TenantSummary, tenantSummaries } from '../multitenancy/tenant-summaries.ts';
import { Refusal } from '../refusal.ts';
import { pageRange } from './page.ts';

/** Some tenants of the core. */
export interface TenantList {
  readonly tenants: readonly TenantSummary[];
  readonly nextPaginationToken: string | undefined;
}

/** Stands in no domain, app or tenant id. */
const SEPARATOR = '/';

/**
 * `GET /manage/v1/tenants`: the tenants of all apps, whatever is addressed, in the order of domain, app and id; with
 * `search` those whose domain, app or id holds that text. @throws Refusal
 */
export async function listTenantsOfCore(context: Context, command: Commands['management/list-tenants']): Promise<TenantList> {
  const { store, protectedMode } = context;
  const { limit } = pageRange({ limit: command.limit });
  const from = command.paginationToken === undefined ? undefined : keyIn(command.paginationToken);
  const { items, next } = await tenantSummaries(store, { search: command.search?.toLowerCase(), from, limit, protectedMode });
  return { tenants: items, nextPaginationToken: next && Buffer.from(next.join(SEPARATOR)).toString('base64url') };
}

function keyIn(token: string): TenantKey {
  const [cud, appId, tenantId, ...more] = Buffer.from(token, 'base64url').toString().split(SEPARATOR);
  if (cud === undefined || appId === undefined || tenantId === undefined || more.length > 0)
    throw new Refusal('bad-input', { text: 'paginationToken is not one that was given out' });
  return [cud, appId, tenantId];
}
