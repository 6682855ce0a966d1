import { withoutProtected } from '../../config/core-config.ts';
import { asObjectText, type JsonText, type JsonValue, parseJsonObject, RawJson, toJsonText } from '../../json/free-form.ts';
import type { Context, EnabledRecipes } from '../context.ts';
import { factorStateOf } from './factor-state.ts';
import { enabledBelow5, enabledFrom5, type FactorGeneration, type FactorState, shownFirstFactors } from './factors.ts';
import { grouped } from './pages.ts';
import type { TenantRecord } from './records.ts';
import { providersText } from './third-party-configs.ts';

type JsonMembers = { readonly [name: string]: JsonValue };

/** How a caller is shown tenants. */
export interface Reading {
  readonly generation: FactorGeneration;
  /** Leaves protected values out (contract 04 section 4.4). */
  readonly protectedMode: boolean;
}

/** The reading of a request: by its path for `/v2`, else by its CDI version. */
export function readingOf({ traits, protectedMode }: Context, isV2: boolean): Reading {
  return { generation: isV2 ? 'v2' : traits.tenantGeneration, protectedMode };
}

/** A tenant's JSON (contract 04 section 3.7). */
export function tenantJson(record: TenantRecord, { generation, protectedMode }: Reading): JsonMembers {
  const providers = new RawJson(providersText(record));
  return {
    tenantId: record.tenantId,
    ...SHAPES[generation](factorStateOf(record), providers),
    coreConfig: new RawJson(protectedMode ? shownCoreConfig(record.coreConfig) : asObjectText(record.coreConfig)),
  };
}

const SHAPES: Readonly<Record<FactorGeneration, (state: FactorState, providers: RawJson) => JsonMembers>> = {
  '4': (state, providers) => recipesJson(enabledBelow5(state), providers),
  '5': (state, providers) => ({
    ...recipesJson(enabledFrom5(state), providers),
    firstFactors: state.firstFactors?.length ? state.firstFactors : undefined,
    requiredSecondaryFactors: state.requiredSecondaryFactors ?? undefined,
  }),
  v2: (state, providers) => ({
    thirdParty: { providers },
    firstFactors: shownFirstFactors(state),
    requiredSecondaryFactors: state.requiredSecondaryFactors ?? undefined,
  }),
};

function recipesJson(enabled: EnabledRecipes, providers: RawJson): JsonMembers {
  return {
    emailPassword: { enabled: enabled.emailPassword },
    thirdParty: { enabled: enabled.thirdParty, providers },
    passwordless: { enabled: enabled.passwordless },
  };
}

function shownCoreConfig(coreConfig: JsonText): JsonText {
  return toJsonText(withoutProtected(parseJsonObject(coreConfig) ?? {}));
}

/** The tenants of one app. */
export function tenantsJson(records: readonly TenantRecord[], reading: Reading): JsonValue {
  return records.map((record) => tenantJson(record, reading));
}

/** The apps of one connection URI domain, each with its tenants. */
export function appsJson(records: readonly TenantRecord[], reading: Reading): JsonValue {
  const apps = grouped(records, (record) => record.appId);
  return [...apps].map(([appId, members]) => ({ appId, tenants: tenantsJson(members, reading) }));
}

/** All connection URI domains, each with its apps. */
export function connectionUriDomainsJson(records: readonly TenantRecord[], reading: Reading): JsonValue {
  const domains = grouped(records, (record) => record.cud);
  return [...domains].map(([connectionUriDomain, members]) => ({ connectionUriDomain, apps: appsJson(members, reading) }));
}
