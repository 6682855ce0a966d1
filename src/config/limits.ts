const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Every size limit of the product, each with its reason. The limit of ordinary JSON bodies is the option `max_body_bytes`.
 * Over a limit the answer is a named refusal, never a fault.
 */
export const LIMITS = {
  /** Request line and headers: SDKs send tokens in queries, so twice what the reference takes; the engine answers 431 beyond. */
  headerBytes: 16 * KIB,
  /** Forms (SAML responses): what the reference takes. */
  formBytes: 2 * MIB,
  /** Nesting of JSON: deeper than any real data, shallow enough for recursive readers. */
  jsonDepth: 64,
  /** Tenants kept in memory by each thread: all of a large installation's active ones, a few MB. */
  cachedTenants: 10_000,
  /** Effective configurations kept by each thread; tenants without values of their own share their app's. */
  cachedConfigs: 10_000,
  /** Tenants read from the store at once by lists and checks. */
  tenantPage: 500,
  /** Factor ids in one list of a tenant, and their length (the reference's column holds 128). */
  factorIds: 64,
  factorIdLength: 128,
  /** Length of an app's and a tenant's id: the reference's columns. */
  tenantIdLength: 64,
  /** Length of a connection URI domain: the longest host name. */
  connectionUriDomainLength: 256,
  /** The coreConfig of one tenant, as text: all options many times over. */
  coreConfigBytes: 64 * KIB,
  /** The third-party provider configs of one tenant, as text: they stand in its record, which lists show whole. */
  providersBytes: MIB,
  /** TOTP devices of one user: more than anybody carries, few enough that trying a code on all of them is quick. */
  totpDevices: 100,
  /** Steps a TOTP code may be off either way: each costs two HMACs at every attempt. */
  totpSkew: 300,
  /** Length of a TOTP device's name and secret: the reference's columns. */
  totpTextLength: 256,
  /** Length of a dashboard user's email: the reference's column. */
  dashboardEmailLength: 256,
  /** Length of the name of a role or a permission: the reference's columns. */
  roleNameLength: 255,
  /** Permissions of one role: far more than an application tells apart; all of them stand in one record. */
  rolePermissions: 5000,
  /** Users in one page of a list: the reference's. */
  usersPage: 500,
  /** Users in the answer to a search: the reference's. */
  searchResults: 1000,
  /** Terms of one tag of a search: each is looked up by itself. */
  searchTerms: 100,
  /** What is kept about one user id, as text: as much as one body of ordinary size brings. */
  metadataBytes: 8 * MIB,
  /** Metadata in one answer about several users. */
  bulkMetadataBytes: 64 * MIB,
} as const;
