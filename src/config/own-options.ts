import { availableParallelism } from 'node:os';
import { choice, nameList, number, optionalText, text, toggle } from './option.ts';

/** The options that the reference core does not know. New ones come last. */
export const OWN_OPTIONS = {
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
  audit_trail: toggle(true, {
    level: 'B',
    doc: 'Every change of users, credentials, tenants, keys and operators leaves an event: who, what and when.',
  }),
  audit_retention: number('double', 365, {
    level: 'B',
    doc: 'Days after which events of the audit trail are removed, 1 to 36500.',
  }),
  password_blocklist: optionalText({
    level: 'B',
    doc: 'File of passwords that nobody may choose, made by "watchword blocklist build"; unset: any may be chosen. A reload opens it anew.',
  }),
  webhook_allow_private: toggle(false, {
    level: 'B',
    doc: 'Webhooks may lead to addresses that are not public, and begin with http://: for internal networks and tests.',
  }),
  api_docs: toggle(true, {
    level: 'B',
    restart: true,
    doc: 'Serves the description of the interface to anybody: openapi.json, and as a page /docs.',
  }),
  otel_collector_headers: optionalText({
    level: 'B',
    restart: true,
    secret: true,
    doc: 'Headers for the collector of otel_collector_connection_uri, such as keys: name=value, comma separated, values percent-encoded.',
  }),
  otel_service_name: text('watchword', { level: 'B', restart: true, doc: 'Name of this service in traces.' }),
  otel_sampling_ratio: number('double', 0.01, {
    level: 'B',
    doc: 'Which part of the requests is traced where the caller does not say, 0 to 1; callers say so by the header traceparent.',
  }),
  otel_most_traces_per_second: number('int', 200, {
    level: 'B',
    doc: 'Traces of this process in a second at most, 1 to 100000, whoever asked for them; the rest is not recorded.',
  }),
  admin_page: toggle(true, {
    level: 'B',
    restart: true,
    doc: 'Whether the admin page stands under /admin, and operators can sign in.',
  }),
  admin_host: text('localhost', { level: 'B', restart: true, doc: 'With admin_port: the host on which the admin page listens.' }),
  admin_port: number('int', 0, {
    level: 'B',
    restart: true,
    doc: 'Port of a listener of its own for the admin page and its requests, which the main port then does not take; 0: both are on the main port.',
  }),
  admin_require_totp: toggle(false, {
    level: 'B',
    doc: 'Operators can do nothing until they have enrolled an app that makes one-time codes (TOTP).',
  }),
  trusted_proxies: nameList([], {
    level: 'B',
    initialText: 'none',
    doc: 'Addresses and networks (10.1.2.3, 10.0.0.0/8) of proxies before the admin page, comma separated: they tell whether a browser came by TLS (X-Forwarded-Proto) and from where (X-Forwarded-For).',
  }),
} as const;
