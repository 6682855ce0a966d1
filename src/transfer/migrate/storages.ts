import type { StorageOptions } from '../../config/reference-storage.ts';
import type { ForeignPlan } from '../../store/foreign-database.ts';
import { MigrateFault } from './fault.ts';
import type { TableNames } from './layout.ts';

/** One database and schema of the old core: a user pool. */
export interface Storage {
  /** Names it, without secrets. */
  readonly label: string;
  readonly plan: ForeignPlan;
  readonly names: TableNames;
}

/** What says where a database is. */
interface Parts {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

type Part = keyof Parts;

const OPTION_OF: Readonly<Record<Part, string>> = {
  host: 'postgresql_host',
  port: 'postgresql_port',
  database: 'postgresql_database_name',
  user: 'postgresql_user',
  password: 'postgresql_password',
};
const PARTS: readonly Part[] = ['host', 'port', 'database', 'user', 'password'];
const DEFAULTS: Parts = { host: 'localhost', port: '5432', database: 'supertokens', user: '', password: '' };

/** Tables whose names may be replaced one by one. */
const RENAMED = [
  'key_value',
  'session_info',
  'emailpassword_users',
  'emailpassword_pswd_reset_tokens',
  'emailverification_tokens',
  'emailverification_verified_emails',
  'thirdparty_users',
];

/** The address that the operator gave, which counts in place of the one in the configuration of the old core. */
export interface SourceAddress {
  readonly url: string;
  /** Instead of the one in the URL. */
  readonly password: string | undefined;
}

const DATABASE_URL = /^postgres(?:ql)?:\/\//;

/** Parts of a URL, as far as it has them, and its attributes. */
function readUrl(url: string): { readonly parts: Partial<Parts>; readonly attributes: URLSearchParams } {
  if (!DATABASE_URL.test(url) || !URL.canParse(url)) return { parts: {}, attributes: new URLSearchParams() };
  const { hostname, port, pathname, username, password, searchParams } = new URL(url);
  const given = { host: hostname, port, database: pathname.slice(1), user: username, password };
  const found = Object.entries(given).flatMap(([name, value]) => (value === '' ? [] : [[name, decodeURIComponent(value)]]));
  return { parts: Object.fromEntries(found) as Partial<Parts>, attributes: searchParams };
}

/** What options say; each part that the URL has wins over the single option (contract 09 section 1). */
function partsOf(options: StorageOptions): { readonly parts: Partial<Parts>; readonly schema: string | undefined } {
  const { parts, attributes } = readUrl(options['postgresql_connection_uri'] ?? '');
  const single = PARTS.flatMap((part) => {
    const value = options[OPTION_OF[part]];
    return value === undefined ? [] : [[part, value]];
  });
  return {
    parts: { ...Object.fromEntries(single), ...parts },
    schema: attributes.get('currentSchema') ?? options['postgresql_table_schema'],
  };
}

/** Finds the storages of the old core from the address of the base one and the options of the base and of tenants. */
export class Storages {
  readonly #base: StorageOptions;
  readonly #given: Parts;
  /** Of the URL given, for TLS and the like. */
  readonly #attributes: URLSearchParams;
  readonly #givenSchema: string | null;

  /** @throws MigrateFault where the address is none */
  constructor(address: SourceAddress, base: StorageOptions) {
    if (!DATABASE_URL.test(address.url) || !URL.canParse(address.url))
      throw new MigrateFault('The address of the old database must begin with postgres:// or postgresql://');
    const { parts, attributes } = readUrl(address.url);
    this.#givenSchema = attributes.get('currentSchema');
    attributes.delete('currentSchema');
    this.#attributes = attributes;
    this.#given = { ...DEFAULTS, ...parts, ...(address.password !== undefined && { password: address.password }) };
    this.#base = base;
  }

  get base(): Storage {
    return this.at([]);
  }

  /** The storage in which options put a tenant. @param layers its own, its app's and its domain's, nearest first */
  at(layers: readonly StorageOptions[]): Storage {
    const own: StorageOptions = Object.assign({}, ...layers.toReversed());
    const base = partsOf(this.#base);
    const { parts, schema } = partsOf({ ...this.#base, ...own });
    // Where nothing else is said, it is where the operator says that the base storage is.
    const changed = PARTS.filter((part) => parts[part] !== undefined && parts[part] !== base.parts[part]);
    const at: Parts = { ...this.#given, ...Object.fromEntries(changed.map((part) => [part, parts[part]])) };
    const isBaseSchema = schema === base.schema;
    const names = namesOf({ ...this.#base, ...own }, (isBaseSchema ? this.#givenSchema : undefined) ?? schema ?? 'public');
    return { label: `${at.host}:${at.port}/${at.database}/${names.schema.toLowerCase()}`, plan: this.#planOf(at), names };
  }

  #planOf({ host, port, database, user, password }: Parts): ForeignPlan {
    const url = new URL(`postgres://${host}:${port}/`);
    url.pathname = `/${encodeURIComponent(database)}`;
    if (user !== '') url.username = encodeURIComponent(user);
    if (password !== '') url.password = encodeURIComponent(password);
    for (const [name, value] of this.#attributes) url.searchParams.set(name, value);
    return { url: url.href };
  }
}

function namesOf(options: StorageOptions, schema: string): TableNames {
  const replaced = RENAMED.flatMap((table) => {
    const name = options[`postgresql_${table}_table_name`]?.trim();
    return name ? [[table, name]] : [];
  });
  return { schema, prefix: (options['postgresql_table_names_prefix'] ?? '').trim(), replaced: Object.fromEntries(replaced) };
}
