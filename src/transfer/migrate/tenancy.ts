import type { Config } from '../../config/config.ts';
import { overlay } from '../../config/core-config.ts';
import { storageOptionsIn, type StorageOptions } from '../../config/reference-storage.ts';
import {
  EMPTY_OBJECT,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonTree,
  parseJson,
  parseJsonObject,
  toJsonText,
} from '../../json/free-form.ts';
import { readProviderConfig } from '../../recipes/multitenancy/provider-config.ts';
import type { TenantRecord } from '../../recipes/tenants/records.ts';
import type { ForeignDatabase, Row } from '../../store/foreign-database.ts';
import { flagIn, type FoundTable, type Layout, textIn, wordIn } from './layout.ts';
import type { Storage, Storages } from './storages.ts';

/** What a tenant of the old core is here, but for its numbers. */
export type TenantFacts = Omit<TenantRecord, 'app' | 'tenant' | 'apiKeys' | 'keyChanges'>;

/** A tenant of the old core. */
export interface SourceTenant {
  readonly facts: TenantFacts;
  /** The configuration in force for it. */
  readonly config: Config;
  readonly storage: Storage;
  /** Whether the core reads the tables of core 12 for its users. */
  readonly readsNew: boolean;
}

/** Something about tenants that the operator should know; nothing of theirs is left behind. */
export interface Tenancy {
  readonly tenants: readonly SourceTenant[];
  readonly remarks: readonly string[];
}

/** The base configuration of the old core. */
export interface BaseOptions {
  readonly config: Config;
  readonly storage: StorageOptions;
}

const PUBLIC = 'public';
const BASE: TenantFacts = {
  cud: '',
  appId: PUBLIC,
  tenantId: PUBLIC,
  emailPasswordEnabled: true,
  thirdPartyEnabled: true,
  passwordlessEnabled: true,
  firstFactors: null,
  requiredSecondaryFactors: null,
  providers: toJsonText([]),
  coreConfig: EMPTY_OBJECT,
};

type Companions = ReadonlyMap<string, readonly Row[]>;

/** A tenant as one text. */
export const addressOf = (cud: string, app: string, tenant: string): string => JSON.stringify([cud, app, tenant]);
const addressIn = (row: Row): string => addressOf(wordIn(row, 'connection_uri_domain'), wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));

/** Reads who the tenants are, from the base storage, the sole authority on that (contract 09 section 2). */
export async function readTenancy(database: ForeignDatabase, layout: Layout, storages: Storages, base: BaseOptions): Promise<Tenancy> {
  const remarks: string[] = [];
  const rows = await all(database, layout, 'tenant_configs');
  const companions = {
    first: byTenant(await all(database, layout, 'tenant_first_factors')),
    second: byTenant(await all(database, layout, 'tenant_required_secondary_factors')),
    providers: byTenant(await all(database, layout, 'tenant_thirdparty_providers')),
    clients: byTenant(await all(database, layout, 'tenant_thirdparty_provider_clients')),
  };
  const hasFactors = layout.tables.has('tenant_first_factors');
  const knowsNull = layout.tables.get('tenant_configs')?.columns.has('is_first_factors_null') === true;
  const found = rows.map((row): TenantFacts => {
    const address = addressIn(row);
    const first = factorsIn(companions.first.get(address));
    const isNull = !hasFactors || !knowsNull || flagIn(row, 'is_first_factors_null');
    return {
      cud: wordIn(row, 'connection_uri_domain'),
      appId: wordIn(row, 'app_id'),
      tenantId: wordIn(row, 'tenant_id'),
      emailPasswordEnabled: flagIn(row, 'email_password_enabled'),
      thirdPartyEnabled: flagIn(row, 'third_party_enabled'),
      passwordlessEnabled: flagIn(row, 'passwordless_enabled'),
      firstFactors: first ?? (isNull ? null : []),
      requiredSecondaryFactors: factorsIn(companions.second.get(address)) ?? null,
      providers: providersOf(companions.providers.get(address) ?? [], companions.clients.get(address) ?? []),
      coreConfig: objectText(textIn(row, 'core_config'), `the core_config of ${address}`, remarks),
    };
  });
  const hasBase = found.some(({ cud, appId, tenantId }) => cud === '' && appId === PUBLIC && tenantId === PUBLIC);
  const facts = hasBase ? found : [BASE, ...found];
  const known = new Map(facts.map((each) => [addressOf(each.cud, each.appId, each.tenantId), each]));
  return { tenants: facts.map((each) => placed(each, known, storages, base)), remarks };
}

async function all(database: ForeignDatabase, layout: Layout, table: string): Promise<readonly Row[]> {
  const found = layout.tables.get(table);
  return found ? database.rows(`SELECT ${everyColumn(found)} FROM ${found.sql}`) : [];
}

/** All columns of a table; lists of texts as JSON. */
function everyColumn({ columns }: FoundTable): string {
  return [...columns].map(([name, type]) => (type.endsWith('[]') ? `array_to_json("${name}")::text AS "${name}"` : `"${name}"`)).join(', ');
}

function byTenant(rows: readonly Row[]): Companions {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const address = addressIn(row);
    const group = groups.get(address);
    if (group) group.push(row);
    else groups.set(address, [row]);
  }
  return groups;
}

function factorsIn(rows: readonly Row[] | undefined): readonly string[] | undefined {
  return rows?.map((row) => wordIn(row, 'factor_id')).toSorted();
}

function objectText(text: string | undefined, what: string, remarks: string[]): JsonText {
  const object = text === undefined ? {} : parseJsonObject(text);
  if (object === undefined) remarks.push(`${what} is no JSON object, and counts as {}`);
  return toJsonText(object ?? {});
}

/** Columns of providers by the members of their configuration (contract 09 section 3). */
const PROVIDER_TEXTS = {
  name: 'name',
  authorizationEndpoint: 'authorization_endpoint',
  tokenEndpoint: 'token_endpoint',
  userInfoEndpoint: 'user_info_endpoint',
  jwksURI: 'jwks_uri',
  oidcDiscoveryEndpoint: 'oidc_discovery_endpoint',
};
const PROVIDER_OBJECTS = {
  authorizationEndpointQueryParams: 'authorization_endpoint_query_params',
  tokenEndpointBodyParams: 'token_endpoint_body_params',
  userInfoEndpointQueryParams: 'user_info_endpoint_query_params',
  userInfoEndpointHeaders: 'user_info_endpoint_headers',
};
const USER_INFO = { userId: 'user_id', email: 'email', emailVerified: 'email_verified' };

function providersOf(providers: readonly Row[], clients: readonly Row[]): JsonText {
  const configs = providers
    .map((row) => {
      const own = clients.filter((client) => client['third_party_id'] === row['third_party_id']);
      return readProviderConfig({
        thirdPartyId: wordIn(row, 'third_party_id'),
        ...texts(row, PROVIDER_TEXTS),
        ...objects(row, PROVIDER_OBJECTS),
        ...(typeof row['require_email'] === 'boolean' && { requireEmail: row['require_email'] }),
        clients: own.map(clientOf),
        userInfoMap: {
          fromIdTokenPayload: texts(row, prefixed(USER_INFO, 'user_info_map_from_id_token_payload_')),
          fromUserInfoAPI: texts(row, prefixed(USER_INFO, 'user_info_map_from_user_info_endpoint_')),
        },
      });
    })
    .toSorted((a, b) => (a.thirdPartyId < b.thirdPartyId ? -1 : 1));
  return toJsonText(configs);
}

function clientOf(row: Row): JsonObject {
  const scope = jsonIn(textIn(row, 'scope'));
  return {
    ...texts(row, { clientType: 'client_type', clientId: 'client_id', clientSecret: 'client_secret' }),
    ...(Array.isArray(scope) && { scope }),
    ...(typeof row['force_pkce'] === 'boolean' && { forcePKCE: row['force_pkce'] }),
    ...objects(row, { additionalConfig: 'additional_config' }),
  };
}

const prefixed = (columns: Readonly<Record<string, string>>, prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([member, column]) => [member, prefix + column]));

function texts(row: Row, columns: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([member, column]) => {
      const value = textIn(row, column);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}

function objects(row: Row, columns: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([member, column]) => {
      const value = jsonIn(textIn(row, column));
      return isJsonObject(value) ? [[member, value]] : [];
    }),
  );
}

function jsonIn(text: string | undefined): JsonTree | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Puts a tenant where its configuration says, which it inherits in part (contract 09 section 2). */
function placed(facts: TenantFacts, known: ReadonlyMap<string, TenantFacts>, storages: Storages, base: BaseOptions): SourceTenant {
  const { cud, appId } = facts;
  const lineage = new Set([facts, known.get(addressOf(cud, appId, PUBLIC)), known.get(addressOf(cud, PUBLIC, PUBLIC))]);
  const layers = [...lineage].flatMap((each) => (each ? [parseJsonObject(each.coreConfig) ?? {}] : []));
  const mode = [...layers.map(storageOptionsIn), base.storage].find((options) => options['migration_mode'] !== undefined)?.[
    'migration_mode'
  ];
  return {
    facts,
    config: overlay(base.config, ...layers),
    storage: storages.at(layers.map(storageOptionsIn)),
    readsNew: mode === 'MIGRATED' || mode === 'DUAL_WRITE_READ_NEW',
  };
}
