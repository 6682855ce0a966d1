const KIB = 1024;
const MIB = 1024 * KIB;

/** Values of a JSON body, and bytes of a free-form member: what a token says follows from them. */
const BODY_PARTS = 10_000;
const FREE_FORM_BYTES = 64 * KIB;
/** Beside the claims a token says ids and times, of at most so many bytes and values. */
const TOKEN_BYTES = FREE_FORM_BYTES + 32 * KIB;
const TOKEN_PARTS = BODY_PARTS + 50;

/**
 * Every size limit of the product, each with its reason; two are options: `max_body_bytes` (ordinary JSON bodies) and
 * `max_bodies_in_flight_bytes` (all bodies together). Over a limit the answer is a named refusal, never a fault.
 */
export const LIMITS = {
  /** Request line and headers: twice the reference's limit, as SDKs send tokens in queries; 431 beyond. */
  headerBytes: 16 * KIB,
  /** Header lines: what uWebSockets.js can read; clients send a dozen. */
  headerLines: 98,
  /** Bodies that need no room set aside while they come in one piece: what nearly all requests bring. */
  smallBodyBytes: 64 * KIB,
  /** Forms (SAML responses): what the reference takes. */
  formBytes: 2 * MIB,
  /** Nesting of JSON: deeper than any real data, shallow enough for recursive readers. */
  jsonDepth: 64,
  /** Literal of a number in JSON: any double written out in full takes less, and so do the numbers of cryptography. */
  numberChars: 1100,
  /**
   * Values of a JSON body (`src/json/parts.ts`): more than real ones have. So many are read, checked and written within
   * some 20 ms, for which all other requests of the thread wait.
   */
  bodyParts: BODY_PARTS,
  /**
   * A free-form member as text, where it has no limit of its own: claims, payloads, configurations. All parsing of it,
   * sometimes repeated, takes 50 ms at most. Tokens must fit into a header, which is a quarter of this.
   */
  freeFormBytes: FREE_FORM_BYTES,
  /** User ids that one request asks about: some 6,000. */
  idListBytes: 256 * KIB,
  /** A text (id, email, password) without a limit of its own: many times the real ones. Some end up in keys, tokens. */
  textChars: 64 * KIB,
  /** All texts of a list together: the permissions of a role. */
  textListChars: 2 * MIB,
  /** The data of a session: as a free-form member that is only kept and shown. */
  sessionDataBytes: MIB,
  /** What an access token says: the largest claims (bytes of a free-form member, parts of a body) and the ids. */
  accessTokenBytes: TOKEN_BYTES,
  accessTokenParts: TOKEN_PARTS,
  /** The first part of an access token as sent: ours have a hundred characters; strangers send anything. */
  tokenHeaderChars: KIB,
  /** A token as sent: the largest we make, in base64 with header and signature. Hashed before known to be ours. */
  tokenChars: (TOKEN_BYTES / 3) * 4 + 2 * KIB,
  /** Nesting of XML: real SAML has about ten levels, and canonicalisation is recursive. */
  xmlDepth: 64,
  /** Namespace prefixes of a document, and the list of those to keep: some ten. Each attribute costs a scan of all. */
  xmlPrefixes: 64,
  xmlPrefixListChars: 1024,
  /** A posted SAML response, in base64: 256 KiB decoded, hundreds of groups. Checking costs some 3 ms a KiB. */
  samlResponseChars: 350_000,
  /** Elements, texts and attributes of a SAML response: what one of that size holds unless it is an attack. */
  samlResponseNodes: 20_000,
  /** The metadata of an identity provider as text: the largest single ones have some 100 KiB. */
  idpMetadataChars: MIB,
  /** The same as it is sent, in base64. */
  idpMetadataBase64Chars: 2 * MIB,
  idpMetadataNodes: 50_000,
  /** Signing certificates of an identity provider: two or three at a roll-over; each may be tried at each sign-in. */
  idpCertificates: 16,
  /** Length of the entity id of an identity provider: the reference's column. */
  idpEntityIdLength: 256,
  /** Tenants in each thread's memory (10 MB), in two halves: each holds all active ones of a large installation. */
  cachedTenants: 20_000,
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
  /** An IP rule: a hundred networks; and its steps with repetitions written out: each request may cost all of them. */
  ipRuleLength: 4 * KIB,
  ipRuleStates: 4_000,
  /** The third-party provider configs of one tenant, as text: they stand in its record, which lists show whole. */
  providersBytes: MIB,
  /** Their values: all of them are parsed whenever one changes. */
  providersParts: 5_000,
  /** TOTP devices of one user: more than anybody carries, few enough that trying a code on all of them is quick. */
  totpDevices: 100,
  /** Steps a TOTP code may be off either way: each costs two HMACs at every attempt. */
  totpSkew: 300,
  /** Failed TOTP codes kept for one user, in one record: more than any sensible `totp_max_attempts`. */
  totpFailures: 100,
  /** Length of a TOTP device's name and secret: the reference's columns. */
  totpTextLength: 256,
  /** Passkeys of one login method: more than anybody carries; each user that is shown lists theirs. */
  credentialsOfMethod: 200,
  /** Length of a dashboard user's email: the reference's column. */
  dashboardEmailLength: 256,
  /** Length of a password hash that is imported: the reference's column. */
  passwordHashLength: 256,
  /** Length of the name of a role or a permission: the reference's columns. */
  roleNameLength: 255,
  /** Permissions of one role: far more than an application tells apart; all of them stand in one record. */
  rolePermissions: 5000,
  /** SAML clients read from the store at once by lists and counts. */
  samlClientPage: 500,
  /** Users in one page of a list: the reference's. */
  usersPage: 500,
  /** Users in the answer to a search: the reference's. */
  searchResults: 1000,
  /** Terms of one tag of a search: each is looked up by itself. */
  searchTerms: 100,
  /** Metadata of one user id, as text: far more than sign-ins read; merged and shown within some 20 ms. */
  metadataBytes: 2 * MIB,
  /** Names at its top level, among which each update looks for its own. */
  metadataMembers: 10_000,
  /** Metadata in one answer about several users: all of it is put together in one go. */
  bulkMetadataBytes: 8 * MIB,
  /** An imported user's login methods times their tenants, and roles times theirs: all are written at once. */
  importedKeys: 1000,
  /** The body of one upload to the import queue: 10,000 users with all they have (contract 00, size limits). */
  uploadBytes: 64 * MIB,
  /** Its values (`src/json/parts.ts`): some 200 a user. Ten times as many would not fit into the memory of a thread. */
  uploadParts: 2_000_000,
  /** Users of one upload: the reference's. */
  uploadedUsers: 10_000,
  /** Entries of the import queue in one page of a list, and removed at once: the reference's. */
  queuePage: 500,
  /** Text of such a page, which ends early where its users bring much metadata: all of it is put together in one go. */
  queuePageChars: 8 * MIB,
  /** One user in a file that is imported, as text: the largest metadata, and room for the rest. */
  importedUserBytes: 9 * MIB,
  /** Login methods, roles or devices of a user imported at once, as text: as many as `importedKeys` allows. */
  importedListBytes: MIB,
  /** Plain-text passwords of one imported user: each takes 0.1 s to hash, and somebody may wait for all of them. */
  importedPasswords: 20,
  /** Faults named of one user that cannot be imported: more than anybody reads; bounds the answer's size. */
  importErrors: 100,
  /** Faults named in one answer to an upload; beyond that, only the first of each further user. */
  uploadErrors: 50_000,
  /** One of these messages, which repeat what was sent: the longest right value many times over. */
  importErrorChars: 2000,
} as const;
