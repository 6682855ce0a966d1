import type { ForeignDatabase, Row } from '../../store/foreign-database.ts';
import { MigrateFault } from './fault.ts';

/** How the tables of a storage are called (contract 09 section 1). */
export interface TableNames {
  readonly schema: string;
  readonly prefix: string;
  /** Names that replace one table's, without the prefix. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** One table as it is there. */
export interface FoundTable {
  /** Schema and name, quoted. */
  readonly sql: string;
  /** Its columns with their types, as `information_schema` calls these. */
  readonly columns: ReadonlyMap<string, string>;
  /** The columns of its indexes, as far as they are plain ones. */
  readonly indexes: readonly (readonly string[])[];
}

/** What a server can make hashes of 64 bits of; the oldest have only such of 32 bits, of which two make one. */
export type Hashing = 'records' | 'texts' | 'texts of 32 bits';

/** What a storage holds, by the names that tables have in the newest layout. */
export interface Layout {
  readonly tables: ReadonlyMap<string, FoundTable>;
  /** Tables of the schema that no version known here has. */
  readonly unknown: readonly string[];
  /** Tables that are known, and of no use here. */
  readonly unread: readonly string[];
  /** Columns that no version known here has, as `table.column`. */
  readonly unknownColumns: readonly string[];
  /** Whether the bytes of texts may be anything: the database does not say what they are. */
  readonly isRaw: boolean;
  readonly hashing: Hashing;
}

/** Every table of core 6.0 to 12.1 with its columns (contract 09). */
export const KNOWN_TABLES: Readonly<Record<string, string>> = {
  tenant_configs:
    'connection_uri_domain app_id tenant_id core_config email_password_enabled passwordless_enabled third_party_enabled is_first_factors_null',
  tenant_first_factors: 'connection_uri_domain app_id tenant_id factor_id',
  tenant_required_secondary_factors: 'connection_uri_domain app_id tenant_id factor_id',
  tenant_thirdparty_providers:
    'connection_uri_domain app_id tenant_id third_party_id name authorization_endpoint authorization_endpoint_query_params token_endpoint token_endpoint_body_params user_info_endpoint user_info_endpoint_query_params user_info_endpoint_headers jwks_uri oidc_discovery_endpoint require_email user_info_map_from_id_token_payload_user_id user_info_map_from_id_token_payload_email user_info_map_from_id_token_payload_email_verified user_info_map_from_user_info_endpoint_user_id user_info_map_from_user_info_endpoint_email user_info_map_from_user_info_endpoint_email_verified',
  tenant_thirdparty_provider_clients:
    'connection_uri_domain app_id tenant_id third_party_id client_type client_id client_secret scope force_pkce additional_config',
  apps: 'app_id created_at_time',
  tenants: 'app_id tenant_id created_at_time',
  key_value: 'app_id tenant_id name value created_at_time',
  session_access_token_signing_keys: 'app_id created_at_time value',
  jwt_signing_keys: 'app_id key_id key_string algorithm created_at',
  app_id_to_user_id:
    'app_id user_id recipe_id primary_or_recipe_user_id is_linked_or_is_a_primary_user time_joined primary_or_recipe_user_time_joined',
  all_auth_recipe_users:
    'app_id tenant_id user_id primary_or_recipe_user_id is_linked_or_is_a_primary_user recipe_id time_joined primary_or_recipe_user_time_joined',
  emailpassword_users: 'app_id user_id email password_hash time_joined',
  thirdparty_users: 'app_id third_party_id third_party_user_id user_id email time_joined',
  passwordless_users: 'app_id user_id email phone_number time_joined',
  webauthn_users: 'app_id user_id email rp_id time_joined',
  emailpassword_user_to_tenant: 'app_id tenant_id user_id email',
  thirdparty_user_to_tenant: 'app_id tenant_id user_id third_party_id third_party_user_id',
  passwordless_user_to_tenant: 'app_id tenant_id user_id email phone_number',
  webauthn_user_to_tenant: 'app_id tenant_id user_id email',
  recipe_user_account_infos:
    'app_id recipe_user_id recipe_id account_info_type account_info_value third_party_id third_party_user_id primary_user_id',
  recipe_user_tenants: 'app_id recipe_user_id tenant_id recipe_id account_info_type account_info_value third_party_id third_party_user_id',
  primary_user_tenants: 'app_id tenant_id account_info_type account_info_value primary_user_id',
  userid_mapping: 'app_id supertokens_user_id external_user_id external_user_id_info',
  user_last_active: 'app_id user_id last_active_time',
  session_info:
    'app_id tenant_id session_handle user_id refresh_token_hash_2 session_data expires_at created_at_time jwt_user_payload use_static_key prev_refresh_token_hash_2 refresh_token_rotated_at',
  emailpassword_pswd_reset_tokens: 'app_id user_id token email token_expiry',
  emailverification_tokens: 'app_id tenant_id user_id email token token_expiry',
  emailverification_verified_emails: 'app_id user_id email',
  passwordless_devices: 'app_id tenant_id device_id_hash email phone_number link_code_salt failed_attempts',
  passwordless_codes: 'app_id tenant_id code_id device_id_hash link_code_hash created_at',
  webauthn_account_recovery_tokens: 'app_id tenant_id user_id email token expires_at',
  webauthn_generated_options:
    'app_id tenant_id id challenge email rp_id rp_name origin expires_at created_at user_presence_required user_verification',
  webauthn_credentials: 'app_id id rp_id user_id counter public_key transports created_at updated_at',
  saml_clients:
    'app_id tenant_id client_id client_secret sso_login_url redirect_uris default_redirect_uri idp_entity_id idp_signing_certificate allow_idp_initiated_login enable_request_signing created_at updated_at',
  saml_relay_state: 'app_id tenant_id relay_state client_id state redirect_uri created_at expires_at',
  saml_claims: 'app_id tenant_id client_id code claims created_at expires_at',
  user_metadata: 'app_id user_id user_metadata',
  roles: 'app_id role',
  role_permissions: 'app_id role permission',
  user_roles: 'app_id tenant_id user_id role',
  totp_users: 'app_id user_id',
  totp_user_devices: 'app_id user_id device_name secret_key period skew verified created_at',
  totp_used_codes: 'app_id tenant_id user_id code is_valid expiry_time_ms created_time_ms',
  dashboard_users: 'app_id user_id email password_hash time_joined',
  dashboard_user_sessions: 'app_id session_id user_id time_created expiry',
  bulk_import_users: 'app_id id primary_user_id raw_data status error_msg created_at updated_at',
  oauth_clients: 'app_id client_id client_secret enable_refresh_token_rotation is_client_credentials_only',
  oauth_sessions: 'gid app_id client_id session_handle external_refresh_token internal_refresh_token jti exp',
  oauth_logout_challenges: 'app_id challenge client_id post_logout_redirect_uri session_handle state time_created',
  oauth_m2m_tokens: 'app_id client_id iat exp',
};

/** Of newer cores, and of no use here whatever their columns are. */
const UNREAD_TABLES = /^(?:activity_log(?:_default|_p\d{6})?|oauth_m2m_token_stats)$/;

const PARTITION = /_(?:default|p\d{6})$/;

/** What core 6.0 and every later one has. */
const LEAST: readonly (readonly [table: string, column: string])[] = [
  ['apps', 'app_id'],
  ['tenants', 'tenant_id'],
  ['tenant_configs', 'connection_uri_domain'],
  ['key_value', 'app_id'],
  ['app_id_to_user_id', 'recipe_id'],
  ['all_auth_recipe_users', 'tenant_id'],
  ['emailpassword_users', 'app_id'],
  ['session_info', 'use_static_key'],
];

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The core writes names without quotes, so that the server folds them. */
const folded = (name: string): string => name.toLowerCase();

/** The name that a table has in a database, without its schema. */
export function nameOf(table: string, { prefix, replaced }: TableNames): string {
  return folded(replaced[table] ?? (prefix === '' ? table : `${prefix}_${table}`));
}

/** Looks at what a database holds. @throws MigrateFault where that cannot be moved, ForeignFault */
export async function readLayout(database: ForeignDatabase, names: TableNames, place: string): Promise<Layout> {
  const schema = folded(names.schema);
  const [server] = await database.rows(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version",
  );
  const columns = await columnsOf(database, schema);
  const indexes = await indexesOf(database, schema);
  const tables = new Map<string, FoundTable>();
  const known = new Set<string>();
  for (const table of Object.keys(KNOWN_TABLES)) {
    const name = nameOf(table, names);
    known.add(name);
    const found = columns.get(name);
    if (found) tables.set(table, { sql: `${quoted(schema)}.${quoted(name)}`, columns: found, indexes: indexes.get(name) ?? [] });
  }
  refuseStranger(tables, columns, place, schema);
  await refuseUnreadable(database, tables, place);
  const ownPrefix = names.prefix === '' ? '' : `${folded(names.prefix)}_`;
  const isUnread = (name: string): boolean => UNREAD_TABLES.test(name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name);
  return {
    tables,
    unknown: [...columns.keys()].filter((name) => !known.has(name) && name.startsWith(ownPrefix) && !isUnread(name)),
    // Partitions stand for their table.
    unread: [...columns.keys()].filter((name) => isUnread(name) && !PARTITION.test(name)),
    unknownColumns: [...tables].flatMap(([table, { columns: found }]) => strangeColumns(table, found)),
    isRaw: server?.['encoding'] === 'SQL_ASCII',
    hashing: hashingOf(Number(server?.['version'])),
  };
}

function hashingOf(version: number): Hashing {
  if (version >= 140_000) return 'records';
  return version >= 110_000 ? 'texts' : 'texts of 32 bits';
}

async function columnsOf(database: ForeignDatabase, schema: string): Promise<Map<string, Map<string, string>>> {
  // The catalogue shows tables that the role may not read as well, unlike information_schema.
  const rows = await database.rows(
    `SELECT c.relname AS name, a.attname AS column, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
    [schema],
  );
  const tables = new Map<string, Map<string, string>>();
  for (const row of rows) {
    const name = String(row['name']);
    const columns = tables.get(name) ?? new Map<string, string>();
    tables.set(name, columns.set(String(row['column']), String(row['type'])));
  }
  return tables;
}

async function indexesOf(database: ForeignDatabase, schema: string): Promise<ReadonlyMap<string, string[][]>> {
  const rows = await database.rows(
    `SELECT c.relname AS name, string_agg(a.attname, ' ' ORDER BY k.at) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at) ON true
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
     WHERE n.nspname = $1 AND i.indisvalid AND i.indpred IS NULL AND NOT (0 = ANY (i.indkey::int2[]))
     GROUP BY i.indexrelid, c.relname`,
    [schema],
  );
  const indexes = new Map<string, string[][]>();
  for (const row of rows) {
    const name = wordIn(row, 'name');
    indexes.set(name, [...(indexes.get(name) ?? []), wordIn(row, 'columns').split(' ')]);
  }
  return indexes;
}

function refuseStranger(tables: Layout['tables'], all: ReadonlyMap<string, unknown>, place: string, schema: string): void {
  const where = `${place}, schema ${schema}`;
  if (all.size === 0) throw new MigrateFault(`There is no table in ${where}`);
  if (!tables.has('session_info') && !tables.has('key_value'))
    throw new MigrateFault(
      `What is in ${where} is no SuperTokens database; are the name of the schema and the prefix of the tables right?`,
    );
  if (tables.has('session_info') && !tables.has('apps'))
    throw new MigrateFault(`The database in ${where} was left by a SuperTokens core before 6.0: start core 6.0 or a later one on it once`);
  const missing = LEAST.find(([table, column]) => !tables.get(table)?.columns.has(column));
  if (missing)
    throw new MigrateFault(`The database in ${where} was written by no core that is known here: ${missing[0]}.${missing[1]} is missing`);
}

/** Better now than in the middle of the night. */
async function refuseUnreadable(database: ForeignDatabase, tables: Layout['tables'], place: string): Promise<void> {
  const names = [...tables.values()].map(({ sql }) => sql);
  const [row] = await database.rows(
    "SELECT name, current_user AS role FROM unnest($1::text[]) AS t(name) WHERE NOT has_table_privilege(name, 'SELECT') LIMIT 1",
    [names],
  );
  if (row)
    throw new MigrateFault(`The role ${String(row['role'])} may not read the table ${String(row['name'])} of ${place}: grant it SELECT`);
}

function strangeColumns(table: string, found: ReadonlyMap<string, string>): readonly string[] {
  const known = new Set(KNOWN_TABLES[table]?.split(' '));
  return [...found.keys()].filter((column) => !known.has(column)).map((column) => `${table}.${column}`);
}

/** The text in a column; undefined for null and for columns that are not there. */
export function textIn(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

/** The text in a column that is never null. */
export const wordIn = (row: Row, column: string): string => textIn(row, column) ?? '';

/** The number in a column of integers. */
export function numberIn(row: Row, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : Number(value);
}

export const flagIn = (row: Row, column: string): boolean => row[column] === true;
