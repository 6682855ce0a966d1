import { withoutProtected } from '../../config/core-config.ts';
import { asObjectText, type JsonText, type JsonValue, parseJsonObject, RawJson, toJsonText } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import type { EnabledRecipes } from '../tenants/tenant.ts';
import { listAnswer, type Level } from '../list-answer.ts';
import type { Answer } from '../route.ts';
import { factorStateOf } from '../tenants/factor-state.ts';
import { enabledBelow5, enabledFrom5, type FactorGeneration, type FactorState, shownFirstFactors } from '../tenants/factors.ts';
import type { TenantPages } from './list-tenants.ts';
import type { TenantRecord } from '../tenants/records.ts';
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

const APP: Level<TenantRecord> = { id: ({ appId }) => appId, member: 'appId', list: 'tenants' };
const DOMAIN: Level<TenantRecord> = { id: ({ cud }) => cud, member: 'connectionUriDomain', list: 'apps' };

/** What lists of tenants are called, and how their tenants are grouped. */
const LISTS = { tenants: [], apps: [APP], connectionUriDomains: [DOMAIN, APP] } as const;

/** The tenants of an app, the apps of a connection URI domain with their tenants, or all domains with their apps. */
export function tenantsAnswer(name: keyof typeof LISTS, pages: TenantPages, reading: Reading): Answer {
  return listAnswer(name, pages, (record) => tenantJson(record, reading), LISTS[name]);
}
