import { availableParallelism } from 'node:os';
import { choice, keyList, nullableInt, number, optionalText, text, toggle } from './option.ts';

/**
 * The options of the reference core, with a few of ours in their midst, in the contract's declaration order, in which
 * values of level A are compared (contract 04 section 4.1).
 */
export const REFERENCE_OPTIONS = {
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
  otel_collector_connection_uri: optionalText({
    level: 'B',
    restart: true,
    doc: 'OpenTelemetry collector that traces are sent to (OTLP over HTTP), such as http://localhost:4318; unset or empty: none are made.',
  }),
  deadlock_logger_enable: toggle(false, { level: 'B', idle: true, doc: 'Without effect.' }),
} as const;
