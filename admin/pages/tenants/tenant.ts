import { answered, core, ok } from '../../app/api.ts';
import { type Place, placeQuery, PUBLIC } from '../../app/place.ts';
import { linkTo } from '../../app/route.ts';
import { can } from '../../app/session.ts';
import type { components } from '../../generated/api.ts';
import { TEXTS } from '../../texts.ts';

/** A tenant as every operator may see it: no secret. */
export type Tenant = components['schemas']['ManagementListTenantsAnswer']['tenants'][number];
/** With the secrets of its clients: only for who may change it. */
export type Provider = components['schemas']['MultitenancyTenantProvider'];

/** A tenant, and what only those get who may change it. */
export interface Known {
  readonly tenant: Tenant;
  readonly providers: readonly Provider[] | undefined;
}

const T = TEXTS.tenants;

/** The address of a tenant's page. */
export const linkToTenant = (at: Place): string =>
  linkTo('tenants', at.tenantId, { domain: undefined, app: undefined, tenant: undefined, ...placeQuery(at) });

export const isSamePlace = (a: Place, b: Place): boolean =>
  a.connectionUriDomain === b.connectionUriDomain && a.appId === b.appId && a.tenantId === b.tenantId;

export const isBase = ({ connectionUriDomain, appId, tenantId }: Place): boolean =>
  connectionUriDomain === '' && appId === PUBLIC && tenantId === PUBLIC;

/** A tenant as it is now. @throws Refused where it cannot be read, Error where there is none */
export async function readTenant(at: Place, signal?: AbortSignal): Promise<Known> {
  return can('tenants') ? readWhole(at, signal) : { tenant: await readSummary(at, signal), providers: undefined };
}

/** Both generations of the endpoint: the newer one tells the factors, the older one the recipes. */
async function readWhole(at: Place, signal?: AbortSignal): Promise<Known> {
  const init = signal ? { signal } : {};
  const [now, flags] = await Promise.all([
    answered(core(at).GET('/recipe/multitenancy/tenant/v2', init)),
    answered(core(at).GET('/recipe/multitenancy/tenant', init)),
  ]);
  if (now.status !== 'OK' || flags.status !== 'OK') throw new Error(T.noSuchTenant);
  const { firstFactors, requiredSecondaryFactors, thirdParty, coreConfig } = now;
  const tenant = {
    ...at,
    ...(firstFactors && { firstFactors }),
    ...(requiredSecondaryFactors && { requiredSecondaryFactors }),
    enabledRecipes: {
      emailPassword: flags.emailPassword?.enabled ?? false,
      thirdParty: flags.thirdParty.enabled ?? false,
      passwordless: flags.passwordless?.enabled ?? false,
    },
    providers: thirdParty.providers.map(({ thirdPartyId, name }) => ({ thirdPartyId, ...(name !== undefined && { name }) })),
    configuredOptions: Object.keys(coreConfig).toSorted(),
  };
  return { tenant, providers: thirdParty.providers };
}

/** The list finds a text in any part of a name, so that it is read on until the very one comes. */
async function readSummary(at: Place, signal?: AbortSignal): Promise<Tenant> {
  const names = [at.tenantId, at.appId, at.connectionUriDomain].filter((name) => name !== PUBLIC);
  const search = names.toSorted((a, b) => b.length - a.length)[0] ?? '';
  let paginationToken: string | undefined;
  do {
    const query = { limit: 500, ...(search !== '' && { search }), ...(paginationToken !== undefined && { paginationToken }) };
    // Each page begins where the one before ends.
    const page = await ok(core().GET('/manage/v1/tenants', { params: { query }, ...(signal && { signal }) }));
    const found = page.tenants.find((one) => isSamePlace(one, at));
    if (found) return found;
    paginationToken = page.nextPaginationToken;
  } while (paginationToken !== undefined);
  throw new Error(T.noSuchTenant);
}

/**
 * Makes sure that what is about to be replaced is still what somebody looked at.
 * @param part what the change is about @throws Error that says that somebody else changed it
 */
export async function expectUnchanged(known: Known, part: (known: Known) => unknown): Promise<void> {
  const now = await readTenant(known.tenant);
  if (JSON.stringify(part(now)) !== JSON.stringify(part(known))) throw new Error(T.changedMeanwhile);
}

/** Changes a tenant at its own address. */
export const putTenant = (at: Place, body: components['schemas']['MultitenancyPutTenantV2Input']) =>
  ok(core(at).PUT('/recipe/multitenancy/tenant/v2', { body: { tenantId: at.tenantId, ...body } }));
