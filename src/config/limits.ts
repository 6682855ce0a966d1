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
} as const;
