import { setImmediate as nextTurn } from 'node:timers/promises';
import { pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { DEFAULT_TENANT_ID } from './address.ts';
import type { TenantDirectory } from './directory.ts';
import { tenants } from './records.ts';
import type { Tenant } from './tenant.ts';

/** The public tenant of every app of the store, for periodic work that goes by the configuration of apps. */
export async function* publicTenants(store: Store, directory: TenantDirectory): AsyncGenerator<Tenant, undefined> {
  for await (const page of pagesOf((range) => store.read((reader) => reader.pageOfKeys(tenants, undefined, { prefix: [], ...range })))) {
    // There may be many, which are all in memory.
    await nextTurn();
    for (const { key } of page) {
      const [cud, appId, tenantId] = key;
      const tenant = tenantId === DEFAULT_TENANT_ID ? await directory.find({ cud, appId, tenantId }) : undefined;
      if (tenant) yield tenant;
    }
  }
}
