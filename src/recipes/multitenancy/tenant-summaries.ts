import { withoutProtected } from '../../config/core-config.ts';
import { parseJsonObject } from '../../json/free-form.ts';
import type { KeyOf, Reader, Store } from '../../store/store.ts';
import { enabledFrom5, shownFirstFactors } from '../tenants/factors.ts';
import { factorStateOf } from '../tenants/factor-state.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';
import type { EnabledRecipes } from '../tenants/tenant.ts';
import { providersOf } from './third-party-configs.ts';

/** A tenant without anything secret: what it is called, and what is set there. */
export interface TenantSummary {
  readonly connectionUriDomain: string;
  readonly appId: string;
  readonly tenantId: string;
  /** `undefined`: not set, the SDK's own list counts. */
  readonly firstFactors: readonly string[] | undefined;
  readonly requiredSecondaryFactors: readonly string[] | undefined;
  readonly enabledRecipes: EnabledRecipes;
  readonly providers: readonly ProviderSummary[];
  /** Names of the options in its own configuration, in the order of the alphabet. */
  readonly configuredOptions: readonly string[];
}

export interface ProviderSummary {
  readonly thirdPartyId: string;
  readonly name: string | undefined;
}

/** Domain, app and tenant id: the order in which tenants are listed. */
export type TenantKey = KeyOf<typeof tenants>;

/** Which tenants are asked for. */
export interface TenantQuery {
  /** In lower case; what domain, app or tenant id must hold somewhere. */
  readonly search: string | undefined;
  /** Where the page begins; the first one where none is given. */
  readonly from: TenantKey | undefined;
  readonly limit: number;
  /** Leaves the names of protected options out (contract 04 section 4.4). */
  readonly protectedMode: boolean;
}

/** Keys that are looked at for one page, in some 7 ms: all of a large installation. */
const MOST_KEYS = 10_000;
/** Records that are read at once, and how much of them one page may parse: a tenant has up to a MiB of providers. */
const BATCH = 25;
const MOST_PROVIDERS_CHARS = 1024 * 1024;

/** Tenants of the whole core, and where the next page begins. Pages that would take long are shorter. */
export function tenantSummaries(
  store: Store,
  query: TenantQuery,
): Promise<{ readonly items: readonly TenantSummary[]; readonly next: TenantKey | undefined }> {
  return store.read(async (reader) => {
    const { keys, next } = await keysFound(reader, query);
    const items: TenantSummary[] = [];
    let chars = 0;
    for (let start = 0; start < keys.length; start += BATCH) {
      const batch = keys.slice(start, start + BATCH);
      const records = await reader.getMany(batch.map((key) => ({ collection: tenants, key })));
      for (const [at, record] of records.entries()) {
        if (!record) continue;
        if (chars > MOST_PROVIDERS_CHARS) return { items, next: batch[at] };
        chars += record.providers.length;
        items.push(summaryOf(record, query.protectedMode));
      }
    }
    return { items, next };
  });
}

/** Keys alone: they are found without reading what stands under them. */
async function keysFound(reader: Reader, { search = '', from, limit }: TenantQuery) {
  const looked = search === '' ? limit : MOST_KEYS;
  const notes = await reader.pageOfKeys(tenants, undefined, { prefix: [], ...(from && { from }), limit: looked + 1 });
  const all = notes.items.map(({ key }) => key);
  const found = all.slice(0, looked).filter((key) => key.some((id) => id.includes(search)));
  return { keys: found.slice(0, limit), next: found[limit] ?? all[looked] };
}

function summaryOf(record: TenantRecord, protectedMode: boolean): TenantSummary {
  const state = factorStateOf(record);
  const own = parseJsonObject(record.coreConfig) ?? {};
  return {
    connectionUriDomain: record.cud,
    appId: record.appId,
    tenantId: record.tenantId,
    firstFactors: shownFirstFactors(state),
    requiredSecondaryFactors: state.requiredSecondaryFactors ?? undefined,
    enabledRecipes: enabledFrom5(state),
    providers: providersOf(record).map(({ thirdPartyId, name }) => ({
      thirdPartyId,
      name: typeof name === 'string' ? name : undefined,
    })),
    configuredOptions: Object.keys(protectedMode ? withoutProtected(own) : own).toSorted(),
  };
}
