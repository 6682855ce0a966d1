import { availableParallelism } from 'node:os';
import { choice, keyList, nameList, nullableInt, number, type Option, optionalText, text, toggle } from './option.ts';

/** The alias of the signing key interval (contract 01 section 10.1). */
export const ALIASES: Readonly<Record<string, string>> = {
  access_token_signing_key_update_interval: 'access_token_dynamic_signing_key_update_interval',
};

/**
 * Every option of the product. The order is the contract's declaration order, in which values of level A are compared
 * (contract 04 section 4.1); ours follow the reference's. The order of validation is that of `RULES`.
 */
export const OPTIONS = {
  core_config_version: number('int', 0, { level: 'T', env: null, doc: 'Format of the configuration file.' }),
  access_token_validity: number('long', 3600, {
    level: 'A',
    dashboard: true,
    doc: 'Seconds an access token stays valid, 1 to 86400000.',
  }),
  access_token_blacklisting: toggle(false, { level: 'A', doc: 'Interfaces before 2.21: verify looks the session up in the store.' }),
  refresh_token_validity: number('double', 144_000, {
    level: 'A',
    dashboard: true,
    doc: 'Minutes a refresh token stays valid; longer than an access token.',
  }),
  refresh_token_rotation_grace_period: number('int', 30, {
    level: 'A',
    dashboard: true,
    doc: 'Seconds after a rotation in which the replaced refresh token still answers, 0 to 300.',
  }),
  access_token_validity_jitter: number('double', 0.05, {
    level: 'A',
    dashboard: true,
    doc: 'Largest fraction by which the life of an access token is shortened at random, 0 to 0.25.',
  }),
  access_token_signing_key_dynamic: toggle(true, { level: 'A', doc: 'Interfaces before 2.21: access tokens use the rotating keys.' }),
  access_token_dynamic_signing_key_update_interval: number('double', 168, {
    level: 'A',
    dashboard: true,
    doc: 'Hours between rotations of the dynamic signing key, at least 1. Also read as access_token_signing_key_update_interval.',
  }),
  api_keys: keyList({
    level: 'A',
    secret: true,
    doc: 'API keys, comma separated, each of at least 20 letters, digits, "=" or "-". None: no key is asked (see insecure_no_api_keys).',
  }),
  disable_telemetry: toggle(false, { level: 'A', idle: true, dashboard: true, doc: 'Without effect: nothing is ever reported anywhere.' }),
  password_hashing_alg: choice(['ARGON2', 'BCRYPT'], 'BCRYPT', {
    level: 'A',
    dashboard: true,
    doc: 'Algorithm of new password hashes; hashes of either kind verify.',
  }),
  firebase_password_hashing_signer_key: optionalText({
    level: 'A',
    secret: true,
    dashboard: true,
    doc: 'Signer key (standard base64) of the Firebase project that imported password hashes come from.',
  }),
  oauth_provider_public_service_url: optionalText({ level: 'A', protected: true, doc: 'Public URL of the OAuth provider service.' }),
  oauth_provider_admin_service_url: optionalText({ level: 'A', protected: true, doc: 'Admin URL of the OAuth provider service.' }),
  oauth_provider_consent_login_base_url: optionalText({ level: 'A', protected: true, doc: 'URL of the login and consent pages.' }),
  oauth_provider_url_configured_in_oauth_provider: optionalText({
    level: 'A',
    protected: true,
    doc: 'Issuer URL the OAuth provider itself is set up with; unset: its public URL.',
  }),
  supertokens_max_cdi_version: optionalText({ level: 'A', doc: 'Newest interface version spoken, also that of requests that name none.' }),
  supertokens_min_cdi_version: optionalText({ level: 'A', doc: 'Oldest interface version spoken.' }),
  saml_legacy_acs_url: optionalText({ level: 'A', protected: true, doc: 'Assertion consumer URL of the legacy SAML endpoints.' }),
  bulk_migration_parallelism: number('int', availableParallelism(), {
    level: 'A',
    dashboard: true,
    initialText: 'number of CPUs',
    doc: 'Users of the import queue prepared at once, at least 1.',
  }),
  bulk_migration_batch_size: number('int', 8000, {
    level: 'A',
    dashboard: true,
    doc: 'Users of the import queue taken in one round, at least 1.',
  }),
  bulk_migration_cron_enabled: toggle(true, {
    level: 'B',
    restart: true,
    doc: 'Whether this process imports the users of the import queues.',
  }),
  bulk_import_delay_ms: number('long', 2000, {
    level: 'B',
    restart: true,
    doc: 'Milliseconds that a user stays in the import queue at least, so that it can be looked at and taken back; 0 to 86400000.',
  }),
  bulk_migration_sleep_between_rounds_in_batch_ms: nullableInt(1000, {
    level: 'A',
    dashboard: true,
    doc: 'Milliseconds of rest between two rounds of an import; null: none.',
  }),
  webauthn_recover_account_token_lifetime: number('long', 3_600_000, {
    level: 'A',
    dashboard: true,
    doc: 'Milliseconds a WebAuthn account recovery token stays valid.',
  }),
  password_reset_token_lifetime: number('long', 3_600_000, {
    level: 'T',
    dashboard: true,
    doc: 'Milliseconds a password reset token stays valid.',
  }),
  email_verification_token_lifetime: number('long', 86_400_000, {
    level: 'T',
    dashboard: true,
    doc: 'Milliseconds an email verification token stays valid.',
  }),
  passwordless_max_code_input_attempts: number('int', 5, {
    level: 'T',
    dashboard: true,
    doc: 'Wrong codes a passwordless login survives.',
  }),
  passwordless_code_lifetime: number('long', 900_000, {
    level: 'T',
    dashboard: true,
    doc: 'Milliseconds a passwordless code stays valid.',
  }),
  totp_max_attempts: number('int', 5, {
    level: 'T',
    dashboard: true,
    doc: 'Wrong TOTP codes of a user, in all tenants of the app together, before the user is paused.',
  }),
  totp_rate_limit_cooldown_sec: number('int', 900, { level: 'T', dashboard: true, doc: 'Seconds that wrong TOTP codes pause a user.' }),
  ip_allow_regex: optionalText({
    level: 'T',
    protected: true,
    dashboard: true,
    doc: 'Regular expression; only peers whose whole address matches it are served.',
  }),
  ip_deny_regex: optionalText({
    level: 'T',
    protected: true,
    dashboard: true,
    doc: 'Regular expression; peers whose whole address matches it are refused.',
  }),
  saml_sp_entity_id: optionalText({
    level: 'T',
    dashboard: true,
    doc: 'Entity id of this SAML service provider; unset: https://saml.supertokens.com.',
  }),
  saml_claims_validity: number('long', 600_000, {
    level: 'T',
    dashboard: true,
    doc: 'Milliseconds in which the result of a SAML login must be fetched.',
  }),
  saml_relay_state_validity: number('long', 900_000, {
    level: 'T',
    dashboard: true,
    doc: 'Milliseconds in which a SAML login must come back from the identity provider.',
  }),
  recent_token_reuse_behaviour: choice(['TOKEN_THEFT', 'UNAUTHORISED'], 'TOKEN_THEFT', {
    level: 'B',
    doc: 'Answer to a refresh token that was replaced by a rotation more than the grace period ago.',
  }),
  info_log_path: optionalText({ level: 'B', doc: 'File of the log; unset or null: standard output.' }),
  error_log_path: optionalText({ level: 'B', doc: 'File of the errors of the log; unset or null: standard error.' }),
  port: number('int', 3567, {
    level: 'B',
    restart: true,
    env: 'SUPERTOKENS_PORT',
    doc: 'TCP port; 0 takes a free one, named by the ready line.',
  }),
  host: text('localhost', { level: 'B', restart: true, env: 'SUPERTOKENS_HOST', doc: 'Address to listen on.' }),
  max_server_pool_size: number('int', 10, { level: 'B', doc: 'Kept for compatibility: argon2_hashing_pool_size may not be larger.' }),
  argon2_iterations: number('int', 1, { level: 'B', doc: 'Argon2id passes.' }),
  argon2_memory_kb: number('int', 87_795, { level: 'B', doc: 'Argon2id memory in KiB.' }),
  argon2_parallelism: number('int', 2, { level: 'B', doc: 'Argon2id lanes.' }),
  argon2_hashing_pool_size: number('int', 1, {
    level: 'B',
    restart: true,
    doc: 'At most so many argon2 hashes are made or checked at a time, each in argon2_memory_kb of memory.',
  }),
  firebase_password_hashing_pool_size: number('int', 1, {
    level: 'B',
    restart: true,
    doc: 'At most so many firebase hashes are checked at a time.',
  }),
  bcrypt_log_rounds: number('int', 11, { level: 'B', doc: 'Bcrypt cost: the base 2 logarithm of its rounds, 4 to 18.' }),
  webserver_https_enabled: toggle(false, { level: 'B', idle: true, env: null, doc: 'Without effect: plain HTTP only.' }),
  base_path: text('', { level: 'B', restart: true, doc: 'Path before every endpoint.' }),
  log_level: choice(['DEBUG', 'INFO', 'WARN', 'ERROR', 'NONE'], 'INFO', {
    level: 'B',
    doc: 'The least severe kind of line that is logged.',
  }),
  oauth_client_secret_encryption_key: optionalText({
    level: 'B',
    secret: true,
    doc: 'Key under which secrets of OAuth clients are stored.',
  }),
  supertokens_saas_secret: optionalText({
    level: 'B',
    secret: true,
    doc: 'A key of at least 40 characters that opens every app and lifts the protection of protected options; needs api_keys.',
  }),
  supertokens_saas_load_only_cud: optionalText({ level: 'B', doc: 'Besides the default one, the only connection URI domain served.' }),
  otel_collector_connection_uri: optionalText({ level: 'B', idle: true, doc: 'Without effect: nothing is exported.' }),
  deadlock_logger_enable: toggle(false, { level: 'B', idle: true, doc: 'Without effect.' }),
  data_dir: text('./data', { level: 'B', restart: true, env: 'WATCHWORD_DATA_DIR', doc: 'Folder of the embedded store.' }),
  http_threads: number('int', availableParallelism(), {
    level: 'B',
    restart: true,
    initialText: 'number of CPUs',
    doc: 'Threads that serve HTTP, 1 to 128.',
  }),
  http_engine: choice(['auto', 'uws', 'node'], 'auto', {
    level: 'B',
    restart: true,
    doc: 'HTTP engine: uWebSockets.js, node:http, or the first where its binary loads.',
  }),
  store_engine: choice(['lmdb', 'memory', 'postgres'], 'lmdb', {
    level: 'B',
    restart: true,
    doc: 'Where data is kept: embedded in data_dir, in a database that speaks PostgreSQL, or in memory, which forgets at exit.',
  }),
  postgres_url: optionalText({
    level: 'B',
    restart: true,
    secret: 'with-password',
    doc: 'With store_engine postgres: URL of the database, with sslmode and the like; as a flag without its password. Several hosts, by commas: the one that takes writes.',
  }),
  postgres_password_file: optionalText({ level: 'B', restart: true, doc: 'File with the password of the database; else PGPASSWORD.' }),
  postgres_schema: text('watchword', {
    level: 'B',
    restart: true,
    doc: 'Schema in which the tables stand; it is made where it is missing.',
  }),
  postgres_connections: number('int', 32, {
    level: 'B',
    restart: true,
    doc: 'Most connections of this process to the database, 4 to 10000, divided among its threads, of which each has two at least.',
  }),
  postgres_prepared: toggle(true, {
    level: 'B',
    restart: true,
    doc: 'Whether statements are prepared by name; false behind a pooler by transactions, such as pgbouncer.',
  }),
  postgres_timeout_ms: number('int', 5000, {
    level: 'B',
    restart: true,
    doc: 'Milliseconds that the database may take to answer, 100 to 600000; then a request is answered 503.',
  }),
  postgres_listen_url: optionalText({
    level: 'B',
    restart: true,
    secret: 'with-password',
    doc: 'URL of the database itself, past any pooler, for a connection that listens for changes by other nodes; without it they are polled for, each second.',
  }),
  max_body_bytes: number('long', 8_388_608, {
    level: 'B',
    doc: 'Largest JSON body in bytes, 1024 to 67108864; bulk imports have their own limit.',
  }),
  max_bodies_in_flight_bytes: number('long', 134_217_728, {
    level: 'B',
    doc: 'Bytes of request bodies that one HTTP thread holds at a time, 67108864 to 68719476736; what comes above that is answered 503.',
  }),
  http_chunked: toggle(false, {
    level: 'B',
    restart: true,
    doc: 'Whether uWebSockets.js takes bodies in chunks (Transfer-Encoding), one a connection; otherwise they are answered 411. node:http always takes them.',
  }),
  request_log: toggle(false, { level: 'B', doc: 'One log line per request.' }),
  token_theft_revokes: choice(['user', 'session', 'reference'], 'user', {
    level: 'A',
    doc: 'What a stolen refresh token revokes: every session of its user, its session, or what the reference core revokes.',
  }),
  password_rehash_on_sign_in: toggle(false, {
    level: 'A',
    doc: 'After a sign-in, passwords with a weaker hash than configured are hashed again.',
  }),
  sign_in_failures_per_account: number('int', 0, {
    level: 'T',
    doc: 'Failed password sign-ins of one email within the window after which it is refused, with or without a user; 0: no limit.',
  }),
  sign_in_failures_per_address: number('int', 0, {
    level: 'T',
    doc: 'Failed password sign-ins from one address of end users within the window after which it is refused; 0: no limit.',
  }),
  sign_in_failure_window_ms: number('long', 900_000, {
    level: 'T',
    doc: "Milliseconds over which failed sign-ins are counted, 1000 to 86400000; for the dashboard's, that of the app's public tenant.",
  }),
  dashboard_sign_in_failures_per_account: number('int', 20, {
    level: 'A',
    doc: 'Failed dashboard sign-ins of one email within the window after which it is refused, with or without a user; 0: no limit.',
  }),
  dashboard_sign_in_failures_per_address: number('int', 10, {
    level: 'A',
    doc: 'Failed dashboard sign-ins from one address of end users within the window after which it is refused; 0: no limit.',
  }),
  sign_in_address_header: optionalText({
    level: 'B',
    doc: "Name of the request header in which back ends name the end user's address; unset: sign-ins are not counted per address.",
  }),
  role_put_replaces_permissions: toggle(false, {
    level: 'A',
    doc: 'Writing an existing role replaces its permissions instead of adding to them.',
  }),
  saml_time_tolerance_ms: number('long', 60_000, {
    level: 'T',
    doc: 'Milliseconds by which the clock of a SAML identity provider may differ where an assertion says from when and until when it holds, 0 to 300000.',
  }),
  saml_allow_custom_redirect_schemes: toggle(false, { level: 'A', doc: 'SAML redirect URIs may use schemes of native applications.' }),
  saml_sp_acs_url: optionalText({
    level: 'T',
    doc: 'Assertion consumer URL that the metadata of this SAML service provider names, and to which logins that identity providers begin must be addressed; unset: it names none.',
  }),
  saml_email_attributes: nameList(
    ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress', 'mail', 'email', 'urn:oid:0.9.2342.19200300.100.1.3'],
    {
      level: 'T',
      doc: 'SAML attributes in which the email is looked for, comma separated, the first that is there counts; after them a name id with "@".',
    },
  ),
  saml_publish_encryption_key: toggle(false, {
    level: 'T',
    doc: 'The metadata of this SAML service provider shows a key with which identity providers may encrypt assertions.',
  }),
  saml_allow_cbc: toggle(false, {
    level: 'T',
    doc: 'SAML assertions that are encrypted with AES-CBC are read, where the response is signed.',
  }),
  webauthn_enforce_algorithms: toggle(false, { level: 'T', doc: 'New passkeys must be of an algorithm that was asked for.' }),
  webauthn_exclude_credentials: toggle(false, { level: 'T', doc: 'Register options list passkeys of the email: who asks learns of them.' }),
  webauthn_strict_origin: toggle(false, { level: 'T', doc: 'The host of an origin must be the relying party id, or end with "." and it.' }),
  insecure_no_api_keys: toggle(false, {
    level: 'B',
    doc: 'The core starts without API keys on an address that is not loopback too: whoever reaches the port may do everything.',
  }),
  metadata_search_keys: nameList([], {
    level: 'A',
    initialText: 'none',
    doc: 'Names at the top level of user metadata by whose values users can be found, comma separated; an index is built in the background.',
  }),
  backup_dir: optionalText({
    level: 'B',
    restart: true,
    doc: 'Folder for backups on a schedule, best on another disk, and not in the data folder; unset: none are made.',
  }),
  backup_every: number('double', 24, {
    level: 'B',
    restart: true,
    doc: 'Hours from one backup to the next, 0.1 to 8760; one process of those on a store makes it.',
  }),
  backup_keep: number('int', 7, {
    level: 'B',
    restart: true,
    doc: 'Backups that are kept in backup_dir, at least 1; older ones are removed.',
  }),
} as const;

export type OptionName = keyof typeof OPTIONS;

/** The names of all options in declaration order. */
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** The row of an option without its value type. */
export function optionOf(name: OptionName): Option<unknown> {
  return OPTIONS[name];
}

/** The option a key of a file or coreConfig means, aliases resolved. */
export function optionNamed(key: string): OptionName | undefined {
  const name = ALIASES[key] ?? key;
  return isOptionName(name) ? name : undefined;
}

/** The environment variable of an option, `undefined` when it has none. */
export function environmentName(name: OptionName): string | undefined {
  const { env } = optionOf(name);
  return env === null ? undefined : (env ?? name.toUpperCase());
}

/** The command line flag of an option, without dashes in front. */
export function flagName(name: OptionName): string {
  return name.replaceAll('_', '-');
}

const STORAGE_KEY = /^(?:(?:postgresql|mysql|mongodb)_[a-z0-9_]+|migration_mode)$/;
const STORAGE_TABLE = /_table_name$|_table_names_prefix$/;

/** An option for the reference's database: accepted, kept and given back, without effect. */
export function isStorageKey(key: string): boolean {
  return STORAGE_KEY.test(key);
}

/** A storage key or option that protected mode hides and guards (contract 04 section 4.4). */
export function isProtected(key: string): boolean {
  if (isStorageKey(key)) return key !== 'migration_mode' && !STORAGE_TABLE.test(key);
  const name = optionNamed(key);
  return name !== undefined && optionOf(name).protected === true;
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}
