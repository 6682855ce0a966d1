const KIB = 1024;
const MIB = 1024 * KIB;

/** Values of a JSON body, and bytes of a free-form member: what a token says follows from them. */
const BODY_PARTS = 10_000;
const FREE_FORM_BYTES = 64 * KIB;
/** Beside the claims a token says ids and times, of at most so many bytes and values. */
const TOKEN_BYTES = FREE_FORM_BYTES + 32 * KIB;
const TOKEN_PARTS = BODY_PARTS + 50;

/**
 * Every size limit of the product, each with its reason. The limit of ordinary JSON bodies is the option `max_body_bytes`, and that of all bodies
 * together `max_bodies_in_flight_bytes`.
 * Over a limit the answer is a named refusal, never a fault.
 */
export const LIMITS = {
  /** Request line and headers: SDKs send tokens in queries, so twice what the reference takes; the engine answers 431 beyond. */
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
   * Values of a JSON body (`src/json/parts.ts`): more than real ones have, and as many as are read, checked and written within some 20 ms. All
   * other requests of the thread wait for it.
   */
  bodyParts: BODY_PARTS,
  /**
   * A free-form member as text, where it has no limit of its own: claims, payloads and configurations, some of which are parsed several times, within
   * 50 ms altogether. Tokens must fit into a header, which has a quarter of it.
   */
  freeFormBytes: FREE_FORM_BYTES,
  /** User ids that one request asks about: some 6,000. */
  idListBytes: 256 * KIB,
  /** A text, such as an id, an email or a password, where it has no limit of its own: many times over what anybody sends. Some become parts of keys and tokens. */
  textChars: 64 * KIB,
  /** All texts of a list together: the permissions of a role. */
  textListChars: 2 * MIB,
  /** The data of a session: as a free-form member that is only kept and shown. */
  sessionDataBytes: MIB,
  /** What an access token says: claims as large as a free-form member with as many parts as a body may have, and the ids beside them. */
  accessTokenBytes: TOKEN_BYTES,
  accessTokenParts: TOKEN_PARTS,
  /** The first part of an access token as sent: ours have a hundred characters, and strangers can write what they like. */
  tokenHeaderChars: KIB,
  /** An access or refresh token as sent: the largest that is made, in base64 with its header and signature. It is hashed before it is known to be ours. */
  tokenChars: (TOKEN_BYTES / 3) * 4 + 2 * KIB,
  /** Nesting of XML: real SAML has about ten levels, and canonicalisation is recursive. */
  xmlDepth: 64,
  /** Different namespace prefixes of a document, and the list of those to keep: real ones have about ten. Canonicalisation looks through all of them for each attribute. */
  xmlPrefixes: 64,
  xmlPrefixListChars: 1024,
  /** A posted SAML response, in base64: 256 KiB decoded, hundreds of groups. Checking costs some 3 ms a KiB. */
  samlResponseChars: 350_000,
  /** Elements, texts and attributes of a SAML response: what so many bytes hold where they are not made to hold more. */
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
  /** Tenants kept in memory by each thread, in two halves, each of which holds all active ones of a large installation: some 10 MB. */
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
  /** An IP rule: a hundred networks; and its steps once repetitions are written out, all of which each request of a stranger may cost. */
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
  /** Failures of one user's TOTP codes that are kept: more than any sensible `totp_max_attempts`, all of which stand in one record. */
  totpFailures: 100,
  /** Length of a TOTP device's name and secret: the reference's columns. */
  totpTextLength: 256,
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
  /** What is kept about one user id, as text: far more than an application reads at each sign-in, and little enough to be merged and shown within some 20 ms. */
  metadataBytes: 2 * MIB,
  /** Names at its top level, among which each update looks for its own. */
  metadataMembers: 10_000,
  /** Metadata in one answer about several users: all of it is put together in one go. */
  bulkMetadataBytes: 8 * MIB,
  /** Login methods of one imported user, times the tenants they are in, and its roles times theirs: all of them are written at once. */
  importedKeys: 1000,
  /** The body of one upload to the import queue: 10,000 users with roles, metadata and devices (contract 00, size limits). */
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
  /** The login methods, roles or devices of a user who is imported at once, as text: as many as `importedKeys` allows. */
  importedListBytes: MIB,
  /** Passwords in plain text of one imported user: each takes a tenth of a second to hash, and somebody may wait for all of them. */
  importedPasswords: 20,
  /** What is said about one user that cannot be imported: more than anybody reads, and no answer much longer than its question. */
  importErrors: 100,
  /** What is said in one answer to an upload; of further users only the first of their faults: more would be no help to anybody. */
  uploadErrors: 50_000,
  /** One of these messages, which repeat what was sent: the longest right value many times over. */
  importErrorChars: 2000,
} as const;
