import { sep } from 'node:path';
import { isLaterVersion, isSupportedVersion, isVersionText } from '../cdi/versions.ts';
import { collectorHeaders, collectorUrl } from './collector.ts';
import { isAddressRange } from './address-ranges.ts';
import { normaliseConnectionUriDomain } from './connection-uri-domain.ts';
import { HEADER_NAME } from './header-name.ts';
import { isIpRule } from './ip-rule.ts';
import { isLoopback } from './loopback.ts';
import { OPTION_NAMES, optionOf } from './options.ts';
import type { Candidate, Config } from './values.ts';

/** One thing that may be wrong with a configuration whose types are right. */
interface Rule {
  readonly broken: (candidate: Candidate) => boolean;
  readonly text: string;
  /** In the base configuration the text goes on with the place of the file (contract 01 section 10.2). */
  readonly file?: true;
  /** Not checked in test mode, where intervals of seconds are wanted (contract 02 section 1.12). */
  readonly liftedInTestMode?: true;
  /** Checked of the base configuration of a process that listens, and of nothing else. */
  readonly ofServing?: true;
}

type NumberName = { [K in keyof Candidate]: Candidate[K] extends number ? K : never }[keyof Candidate];
type TextName = { [K in keyof Candidate]: string extends Candidate[K] ? K : never }[keyof Candidate];

const KEY_LENGTH = 20;
const SECRET_LENGTH = 40;
const KEY_TEXT = /^[A-Za-z0-9=-]*$/;
/** What can stand in metadata and be compared character by character. */
const WEB_ADDRESS = /^https?:\/\/[^/?#][!"$-~]*$/i;
const MOST_ATTRIBUTES = 32;
const LONGEST_ATTRIBUTE = 256;
const MOST_SEARCH_KEYS = 20;
const LONGEST_SEARCH_KEY = 128;
const MOST_PROXIES = 100;
const TOGETHER = [
  'oauth_provider_public_service_url',
  'oauth_provider_admin_service_url',
  'oauth_provider_consent_login_base_url',
] as const;

const outside = (name: NumberName, least: number, most: number) => (c: Candidate) => !(c[name] >= least && c[name] <= most);
const below = (name: NumberName, least: number) => (c: Candidate) => c[name] < least;
const unknown = (name: TextName) => (c: Candidate) => {
  const value = c[name];
  return value !== null && optionOf(name).values?.includes(value) !== true;
};
const badPattern = (name: 'ip_allow_regex' | 'ip_deny_regex') => (c: Candidate) => {
  const pattern = c[name];
  return pattern !== null && !isIpRule(pattern);
};
const withArgon2 = (broken: Rule['broken']) => (c: Candidate) => c.password_hashing_alg === 'ARGON2' && broken(c);
const enumText = (name: TextName) => `${name} property is not set correctly. It must be one of [${optionOf(name).values?.join(', ')}]`;
const someKey = (wrong: (key: string) => boolean) => (c: Candidate) => c.api_keys?.some(wrong) === true;

/** Hash costs that take seconds; higher ones would fail at the first sign-up. As `HASH_LIMITS` of crypto. */
const HASH_COSTS = { bcryptLeast: 4, bcryptMost: 18, argon2MemoryKb: 2 ** 20, argon2WorkKb: 2 ** 25, argon2Parallelism: 255 } as const;
/** Blocks of 1 KiB that each lane of argon2 needs (RFC 9106 section 3.1). */
const ARGON2_BLOCKS_PER_LANE = 8;

const HASH_COST_RULES: readonly Rule[] = [
  {
    broken: (c) =>
      c.password_hashing_alg === 'BCRYPT' &&
      c.bcrypt_log_rounds >= 1 &&
      outside('bcrypt_log_rounds', HASH_COSTS.bcryptLeast, HASH_COSTS.bcryptMost)(c),
    text: `'bcrypt_log_rounds' must be between ${HASH_COSTS.bcryptLeast} and ${HASH_COSTS.bcryptMost}`,
  },
  {
    broken: withArgon2((c) => c.argon2_memory_kb >= 1 && c.argon2_memory_kb < ARGON2_BLOCKS_PER_LANE * c.argon2_parallelism),
    text: `'argon2_memory_kb' must be >= ${ARGON2_BLOCKS_PER_LANE} * 'argon2_parallelism'`,
  },
  {
    broken: withArgon2((c) => c.argon2_memory_kb > HASH_COSTS.argon2MemoryKb),
    text: `'argon2_memory_kb' must be <= ${HASH_COSTS.argon2MemoryKb}`,
  },
  {
    broken: withArgon2((c) => c.argon2_memory_kb * c.argon2_iterations > HASH_COSTS.argon2WorkKb),
    text: `'argon2_memory_kb' * 'argon2_iterations' must be <= ${HASH_COSTS.argon2WorkKb}`,
  },
  {
    broken: withArgon2((c) => c.argon2_parallelism > HASH_COSTS.argon2Parallelism),
    text: `'argon2_parallelism' must be <= ${HASH_COSTS.argon2Parallelism}`,
  },
];

function versionRules(name: 'supertokens_max_cdi_version' | 'supertokens_min_cdi_version'): readonly Rule[] {
  const isText = (c: Candidate) => c[name] === null || isVersionText(c[name]);
  return [
    { broken: (c) => !isText(c), text: `${name} is not a valid semantic version` },
    { broken: (c) => isText(c) && c[name] !== null && !isSupportedVersion(c[name]), text: `${name} is not a supported version` },
  ];
}

const isUrl = (text: string | null) => text === null || URL.canParse(text);
const urlRule = (name: (typeof TOGETHER)[number] | 'oauth_provider_url_configured_in_oauth_provider'): Rule => ({
  broken: (c) => !isUrl(c[name]),
  text: `${name} is not a valid URL`,
});

/** What the contract checks, in its order (contract 04 section 4.3 item 6, contract 01 section 10.2 for level B). */
const CONTRACT_RULES: readonly Rule[] = [
  {
    broken: (c) => c.core_config_version === -1,
    text: "'core_config_version' is not set in the config.yaml file. Please redownload and install SuperTokens",
  },
  {
    broken: outside('access_token_validity', 1, 86_400_000),
    text: "'access_token_validity' must be between 1 and 86400000 seconds inclusive.",
    file: true,
  },
  {
    broken: (c) => !(c.refresh_token_validity * 60 > c.access_token_validity),
    text: "'refresh_token_validity' must be strictly greater than 'access_token_validity'.",
    file: true,
    liftedInTestMode: true,
  },
  {
    broken: below('access_token_dynamic_signing_key_update_interval', 1),
    text: "'access_token_dynamic_signing_key_update_interval' must be greater than, equal to 1 hour.",
    file: true,
    liftedInTestMode: true,
  },
  {
    broken: outside('refresh_token_rotation_grace_period', 0, 300),
    text: "'refresh_token_rotation_grace_period' must be between 0 and 300 seconds inclusive.",
    file: true,
    liftedInTestMode: true,
  },
  {
    broken: outside('access_token_validity_jitter', 0, 0.25),
    text: "'access_token_validity_jitter' must be between 0 and 0.25 inclusive.",
    file: true,
  },
  { broken: below('password_reset_token_lifetime', 1), text: "'password_reset_token_lifetime' must be >= 0" },
  { broken: below('email_verification_token_lifetime', 1), text: "'email_verification_token_lifetime' must be >= 0" },
  { broken: below('passwordless_code_lifetime', 1), text: "'passwordless_code_lifetime' must be > 0" },
  { broken: below('passwordless_max_code_input_attempts', 1), text: "'passwordless_max_code_input_attempts' must be > 0" },
  { broken: below('totp_max_attempts', 1), text: "'totp_max_attempts' must be > 0" },
  { broken: below('totp_rate_limit_cooldown_sec', 1), text: "'totp_rate_limit_cooldown_sec' must be > 0" },
  { broken: below('max_server_pool_size', 1), text: "'max_server_pool_size' must be >= 1.", file: true },
  {
    broken: someKey((key) => key.length < KEY_LENGTH),
    text: `One of the API keys is too short. Please use at least ${KEY_LENGTH} characters`,
  },
  {
    broken: someKey((key) => key.length >= KEY_LENGTH && !KEY_TEXT.test(key)),
    text: "Invalid characters in API key. Please only use '=', '-' and alpha-numeric (including capitals)",
  },
  {
    broken: (c) => c.supertokens_saas_secret !== null && c.api_keys === null,
    text: 'supertokens_saas_secret can only be used when api_key is also defined',
  },
  {
    broken: (c) => c.supertokens_saas_secret !== null && c.supertokens_saas_secret.length < SECRET_LENGTH,
    text: `supertokens_saas_secret is too short. Please use at least ${SECRET_LENGTH} characters`,
  },
  {
    broken: (c) => c.supertokens_saas_secret !== null && !KEY_TEXT.test(c.supertokens_saas_secret),
    text: "Invalid characters in supertokens_saas_secret key. Please only use '=', '-' and alpha-numeric (including capitals)",
  },
  { broken: unknown('password_hashing_alg'), text: "'password_hashing_alg' must be one of 'ARGON2' or 'BCRYPT'" },
  { broken: withArgon2(below('argon2_iterations', 1)), text: "'argon2_iterations' must be >= 1" },
  { broken: withArgon2(below('argon2_parallelism', 1)), text: "'argon2_parallelism' must be >= 1" },
  { broken: withArgon2(below('argon2_memory_kb', 1)), text: "'argon2_memory_kb' must be >= 1" },
  { broken: withArgon2(below('argon2_hashing_pool_size', 1)), text: "'argon2_hashing_pool_size' must be >= 1" },
  {
    broken: withArgon2((c) => c.argon2_hashing_pool_size > c.max_server_pool_size),
    text: "'argon2_hashing_pool_size' must be <= 'max_server_pool_size'",
  },
  { broken: (c) => c.password_hashing_alg === 'BCRYPT' && c.bcrypt_log_rounds < 1, text: "'bcrypt_log_rounds' must be >= 1" },
  { broken: (c) => c.base_path.includes(' '), text: 'Invalid characters in base_path config' },
  { broken: unknown('log_level'), text: '\'log_level\' config must be one of "NONE","DEBUG", "INFO", "WARN" or "ERROR".' },
  { broken: badPattern('ip_allow_regex'), text: 'Provided regular expression is invalid for ip_allow_regex config' },
  { broken: badPattern('ip_deny_regex'), text: 'Provided regular expression is invalid for ip_deny_regex config' },
  ...versionRules('supertokens_max_cdi_version'),
  ...versionRules('supertokens_min_cdi_version'),
  {
    broken: ({ supertokens_min_cdi_version: least, supertokens_max_cdi_version: most }) =>
      least !== null && most !== null && isLaterVersion(least, most),
    text: 'supertokens_min_cdi_version cannot be greater than supertokens_max_cdi_version',
  },
  { broken: below('bulk_migration_parallelism', 1), text: 'Provided bulk_migration_parallelism must be >= 1' },
  { broken: below('bulk_migration_batch_size', 1), text: 'Provided bulk_migration_batch_size must be >= 1' },
  { broken: below('webauthn_recover_account_token_lifetime', 1), text: 'Provided webauthn_recover_account_token_lifetime must be > 0' },
  { broken: unknown('recent_token_reuse_behaviour'), text: enumText('recent_token_reuse_behaviour') },
  {
    broken: ({ supertokens_saas_load_only_cud: cud }) => cud !== null && normaliseConnectionUriDomain(cud.trim()) === undefined,
    text: 'supertokens_saas_load_only_cud is invalid',
  },
  ...TOGETHER.map(urlRule),
  urlRule('oauth_provider_url_configured_in_oauth_provider'),
  {
    broken: (c) => TOGETHER.some((name) => c[name] !== null) && TOGETHER.some((name) => c[name] === null),
    text: `If any of the following is set, all of them has to be set: ${TOGETHER.join(', ')}`,
  },
];

/** What we check besides, because the product cannot work with such a value. */
const OWN_RULES: readonly Rule[] = [
  { broken: unknown('token_theft_revokes'), text: enumText('token_theft_revokes') },
  { broken: unknown('http_engine'), text: enumText('http_engine') },
  { broken: unknown('store_engine'), text: enumText('store_engine') },
  { broken: outside('port', 0, 65_535), text: "'port' must be between 0 and 65535" },
  { broken: (c) => c.host.trim() === '', text: "'host' must not be empty" },
  { broken: (c) => c.data_dir.trim() === '', text: "'data_dir' must not be empty" },
  ...HASH_COST_RULES,
  {
    broken: ({ store_engine: engine, postgres_url: url }) => engine === 'postgres' && (url === null || !/^postgres(?:ql)?:\/\//.test(url)),
    text: "'postgres_url' must begin with postgres:// where 'store_engine' is postgres",
  },
  {
    broken: ({ postgres_listen_url: url }) => url !== null && !/^postgres(?:ql)?:\/\//.test(url),
    text: "'postgres_listen_url' must begin with postgres://",
  },
  { broken: (c) => c.postgres_schema.trim() === '', text: "'postgres_schema' must not be empty" },
  { broken: outside('postgres_connections', 4, 10_000), text: "'postgres_connections' must be between 4 and 10000" },
  { broken: outside('postgres_timeout_ms', 100, 600_000), text: "'postgres_timeout_ms' must be between 100 and 600000" },
  { broken: outside('http_threads', 1, 128), text: "'http_threads' must be between 1 and 128" },
  { broken: below('sign_in_failures_per_account', 0), text: "'sign_in_failures_per_account' must be >= 0" },
  { broken: below('sign_in_failures_per_address', 0), text: "'sign_in_failures_per_address' must be >= 0" },
  { broken: below('dashboard_sign_in_failures_per_account', 0), text: "'dashboard_sign_in_failures_per_account' must be >= 0" },
  { broken: below('dashboard_sign_in_failures_per_address', 0), text: "'dashboard_sign_in_failures_per_address' must be >= 0" },
  { broken: outside('sign_in_failure_window_ms', 1000, 86_400_000), text: "'sign_in_failure_window_ms' must be between 1000 and 86400000" },
  {
    broken: (c) => c.sign_in_address_header !== null && !HEADER_NAME.test(c.sign_in_address_header),
    text: "'sign_in_address_header' must be the name of a header",
  },
  { broken: outside('saml_time_tolerance_ms', 0, 300_000), text: "'saml_time_tolerance_ms' must be between 0 and 300000" },
  {
    broken: ({ saml_sp_acs_url: url }) => url !== null && !(WEB_ADDRESS.test(url) && URL.canParse(url)),
    text: "'saml_sp_acs_url' must be an http or https URL without fragment",
  },
  {
    broken: ({ saml_email_attributes: names }) => names.length > MOST_ATTRIBUTES || names.some((name) => name.length > LONGEST_ATTRIBUTE),
    text: `'saml_email_attributes' must be at most ${MOST_ATTRIBUTES} names of at most ${LONGEST_ATTRIBUTE} characters`,
  },
  {
    broken: ({ metadata_search_keys: keys }) => keys.length > MOST_SEARCH_KEYS || keys.some((key) => key.length > LONGEST_SEARCH_KEY),
    text: `'metadata_search_keys' must be at most ${MOST_SEARCH_KEYS} names of at most ${LONGEST_SEARCH_KEY} characters`,
  },
  { broken: outside('bulk_import_delay_ms', 0, 86_400_000), text: "'bulk_import_delay_ms' must be between 0 and 86400000" },
  {
    broken: outside('max_bodies_in_flight_bytes', 67_108_864, 68_719_476_736),
    text: "'max_bodies_in_flight_bytes' must be between 67108864 and 68719476736",
  },
  {
    broken: ({ backup_dir: folder, data_dir: data }) => folder !== null && `${folder}${sep}`.startsWith(`${data}${sep}`),
    text: "'backup_dir' must not be in 'data_dir'",
  },
  {
    broken: (c) => c.backup_dir !== null && c.store_engine === 'memory',
    text: "'backup_dir' needs a store that outlives its process",
  },
  { broken: outside('backup_every', 0.1, 8760), text: "'backup_every' must be between 0.1 and 8760", liftedInTestMode: true },
  { broken: below('backup_keep', 1), text: "'backup_keep' must be >= 1" },
  { broken: outside('audit_retention', 1, 36_500), text: "'audit_retention' must be between 1 and 36500", liftedInTestMode: true },
  { broken: outside('admin_port', 0, 65_535), text: "'admin_port' must be between 0 and 65535" },
  { broken: (c) => c.admin_host.trim() === '', text: "'admin_host' must not be empty" },
  {
    broken: (c) => c.admin_port !== 0 && c.admin_port === c.port,
    text: "'admin_port' must be another one than 'port'; leave it out to serve the admin page on that",
  },
  {
    broken: ({ trusted_proxies: ranges }) => ranges.length > MOST_PROXIES || !ranges.every(isAddressRange),
    text: `'trusted_proxies' must be at most ${MOST_PROXIES} addresses or networks, such as 10.1.2.3 or 10.0.0.0/8`,
  },
  { broken: outside('max_body_bytes', 1024, 67_108_864), text: "'max_body_bytes' must be between 1024 and 67108864" },
  {
    broken: ({ otel_collector_connection_uri: uri }) => uri !== null && collectorUrl(uri) === undefined,
    text: "'otel_collector_connection_uri' must be an http or https URL without user, query and fragment; keys belong in 'otel_collector_headers'",
  },
  {
    broken: ({ otel_collector_headers: headers }) => headers !== null && collectorHeaders(headers) === undefined,
    text: "'otel_collector_headers' must be name=value, comma separated, with percent-encoded values",
  },
  { broken: (c) => c.otel_service_name.trim() === '', text: "'otel_service_name' must not be empty" },
  { broken: outside('otel_sampling_ratio', 0, 1), text: "'otel_sampling_ratio' must be between 0 and 1" },
  { broken: outside('otel_most_traces_per_second', 1, 100_000), text: "'otel_most_traces_per_second' must be between 1 and 100000" },
];

/** What keeps a core from serving everybody by mistake. */
const SERVING_RULES: readonly Rule[] = [
  {
    broken: (c) => !isLoopback(c.host) && c.api_keys === null && c.supertokens_saas_secret === null && !c.insecure_no_api_keys,
    text: "'api_keys' must be set where 'host' is not a loopback address: whoever reached the port could do everything. Or set 'insecure_no_api_keys' to true",
    ofServing: true,
  },
];

const RULES: readonly Rule[] = [...CONTRACT_RULES, ...OWN_RULES, ...SERVING_RULES];

interface Circumstances {
  readonly testMode: boolean;
  /** The configuration file that was read, named in some texts; none for coreConfig. */
  readonly configFile?: string | undefined;
  /** Of the base configuration of a process that listens. */
  readonly serves?: boolean;
}

/** The texts of all broken rules, in the contract's order; none when the candidate is a configuration. */
export function brokenRules(candidate: Candidate, { testMode, configFile, serves = false }: Circumstances): readonly string[] {
  const rules = RULES.filter((rule) => !isLifted(rule, testMode) && (serves || !rule.ofServing));
  return rules
    .filter((rule) => rule.broken(candidate))
    .map((rule) => (rule.file && configFile !== undefined ? `${rule.text} The config file can be found here: ${configFile}` : rule.text));
}

/** The text of the contract's first broken rule. */
export function brokenContractRule(candidate: Candidate, { testMode }: Circumstances): string | undefined {
  return CONTRACT_RULES.find((rule) => !isLifted(rule, testMode) && rule.broken(candidate))?.text;
}

const isLifted = ({ liftedInTestMode }: Rule, testMode: boolean): boolean => testMode && liftedInTestMode === true;

/** Whether every enum holds one of its values: all that a candidate of right types still needs to be a `Config`. */
export function hasKnownChoices(candidate: Candidate): candidate is Config {
  return OPTION_NAMES.every((name) => {
    const { values } = optionOf(name);
    return values === undefined || values.includes(String(candidate[name]));
  });
}
