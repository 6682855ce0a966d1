import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../../store/foreign-database.ts';
import { CoreClient } from '../core-client.ts';
import { type FoundTable, wordIn } from './layout.ts';
import { findStorage, type FoundStorage } from './open-storage.ts';
import type { Source } from './pass.ts';
import { readTenancy, type SourceTenant } from './tenancy.ts';

/** Rows of each kind that are read back from each storage. */
const SAMPLE = 30;

/** What a core answers: JSON. */
interface Answer {
  readonly [member: string]: unknown;
}

/** Something that the old core has, and how a core tells of it. */
interface Kind {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** SQL; which rows ought to be there. */
  readonly where?: string;
  /** Whether the path begins with the tenant. */
  readonly inTenant?: true;
  readonly path: (row: Row) => string;
  /** Whether the answer says the same as the row. */
  readonly agrees: (answer: Answer, row: Row) => boolean;
}

const query = (parameters: Readonly<Record<string, string>>): string => `?${new URLSearchParams(parameters)}`;
const same = (value: unknown, text: string): boolean => isDeepStrictEqual(value, JSON.parse(text === '' ? '{}' : text));
const lists = (answer: Answer, member: string): readonly unknown[] => {
  const value = answer[member];
  return Array.isArray(value) ? value : [];
};
const some = (answer: Answer, member: string, wanted: Readonly<Record<string, unknown>>): boolean =>
  lists(answer, member).some(
    (item) =>
      typeof item === 'object' && item !== null && Object.entries(wanted).every(([name, value]) => Reflect.get(item, name) === value),
  );

/** A user's login method with what its recipe's table says. */
const methodOf = (table: string, fields: Readonly<Record<string, string>>): Kind => ({
  name: `users in ${table}`,
  table,
  columns: ['app_id', 'user_id', 'time_joined', ...Object.values(fields)],
  path: (row) => `/user/id${query({ userId: wordIn(row, 'user_id') })}`,
  agrees: ({ user }, row) => {
    const wanted = Object.fromEntries(
      Object.entries(fields).flatMap(([name, column]) => (row[column] === null ? [] : [[name, row[column]]])),
    );
    return (
      typeof user === 'object' && user !== null && some({ ...user }, 'loginMethods', { timeJoined: Number(row['time_joined']), ...wanted })
    );
  },
});

const NOW_MS = '(extract(epoch FROM now()) * 1000)';

const KINDS: readonly Kind[] = [
  methodOf('emailpassword_users', { email: 'email' }),
  methodOf('thirdparty_users', { email: 'email' }),
  methodOf('passwordless_users', { email: 'email', phoneNumber: 'phone_number' }),
  {
    name: 'sessions',
    table: 'session_info',
    columns: ['app_id', 'session_handle', 'user_id', 'session_data', 'jwt_user_payload', 'expires_at', 'created_at_time'],
    where: `expires_at > ${NOW_MS} + 600000`,
    path: (row) => `/recipe/session${query({ sessionHandle: wordIn(row, 'session_handle') })}`,
    agrees: (answer, row) =>
      Number(answer['expiry']) === Number(row['expires_at']) &&
      Number(answer['timeCreated']) === Number(row['created_at_time']) &&
      same(answer['userDataInDatabase'], wordIn(row, 'session_data')) &&
      same(answer['userDataInJWT'], wordIn(row, 'jwt_user_payload')),
  },
  {
    name: 'user id mappings',
    table: 'userid_mapping',
    columns: ['app_id', 'supertokens_user_id', 'external_user_id'],
    path: (row) => `/recipe/userid/map${query({ userId: wordIn(row, 'external_user_id'), userIdType: 'EXTERNAL' })}`,
    agrees: (answer, row) => answer['superTokensUserId'] === row['supertokens_user_id'],
  },
  {
    name: 'verified emails',
    table: 'emailverification_verified_emails',
    columns: ['app_id', 'user_id', 'email'],
    path: (row) => `/recipe/user/email/verify${query({ userId: wordIn(row, 'user_id'), email: wordIn(row, 'email') })}`,
    agrees: (answer) => answer['isVerified'] === true,
  },
  {
    name: 'metadata',
    table: 'user_metadata',
    columns: ['app_id', 'user_id', 'user_metadata'],
    path: (row) => `/recipe/user/metadata${query({ userId: wordIn(row, 'user_id') })}`,
    agrees: (answer, row) => same(answer['metadata'], wordIn(row, 'user_metadata')),
  },
  {
    name: 'roles of users',
    table: 'user_roles',
    columns: ['app_id', 'tenant_id', 'user_id', 'role'],
    inTenant: true,
    path: (row) => `/recipe/user/roles${query({ userId: wordIn(row, 'user_id') })}`,
    agrees: (answer, row) => lists(answer, 'roles').includes(row['role']),
  },
  {
    name: 'permissions of roles',
    table: 'role_permissions',
    columns: ['app_id', 'role', 'permission'],
    path: (row) => `/recipe/role/permissions${query({ role: wordIn(row, 'role') })}`,
    agrees: (answer, row) => lists(answer, 'permissions').includes(row['permission']),
  },
  {
    name: 'TOTP devices',
    table: 'totp_user_devices',
    columns: ['app_id', 'user_id', 'device_name', 'period', 'skew', 'verified'],
    path: (row) => `/recipe/totp/device/list${query({ userId: wordIn(row, 'user_id') })}`,
    agrees: (answer, row) => {
      const { device_name: name, period, skew, verified } = row;
      return some(answer, 'devices', { name, period, skew, verified });
    },
  },
  {
    name: 'static signing keys',
    table: 'jwt_signing_keys',
    columns: ['app_id', 'key_id'],
    path: () => '/.well-known/jwks.json',
    agrees: (answer, row) => some(answer, 'keys', { kid: row['key_id'] }),
  },
  {
    name: 'dashboard users',
    table: 'dashboard_users',
    columns: ['app_id', 'user_id', 'email'],
    path: () => '/recipe/dashboard/users',
    agrees: (answer, row) => some(answer, 'users', { userId: row['user_id'], email: row['email'] }),
  },
  {
    name: 'SAML clients',
    table: 'saml_clients',
    columns: ['app_id', 'tenant_id', 'client_id', 'idp_entity_id'],
    inTenant: true,
    path: () => '/recipe/saml/clients/list',
    agrees: (answer, row) => some(answer, 'clients', { clientId: row['client_id'], idpEntityId: row['idp_entity_id'] }),
  },
];

/** What a core on the new store says of a sample of everything. */
export interface Compared {
  readonly compared: Readonly<Record<string, number>>;
  readonly differences: readonly string[];
}

/** Reads a sample of every kind from the old databases and asks a core about it. */
export async function compareSamples({ storages, base }: Source, url: URL): Promise<Compared> {
  const compared: Record<string, number> = {};
  const differences: string[] = [];
  const first = await findStorage(storages.base);
  try {
    const { tenants } = await readTenancy(first.database, first.layout, storages, base);
    for (const label of new Set(tenants.map(({ storage }) => storage.label))) {
      const here = tenants.filter(({ storage }) => storage.label === label);
      const opened = label === first.storage.label ? first : await findStorage(here[0]?.storage ?? storages.base);
      try {
        for (const kind of KINDS)
          compared[kind.name] = (compared[kind.name] ?? 0) + (await compareKind(kind, opened, here, url, differences));
      } finally {
        if (opened !== first) await opened.database.close();
      }
    }
  } finally {
    await first.database.close();
  }
  return { compared, differences };
}

async function compareKind(
  kind: Kind,
  { database, layout }: FoundStorage,
  tenants: readonly SourceTenant[],
  url: URL,
  differences: string[],
): Promise<number> {
  const table = layout.tables.get(kind.table);
  if (!table) return 0;
  const rows = await database.rows(sampleSql(kind, table));
  let compared = 0;
  for (const row of rows) {
    const tenantId = kind.inTenant ? wordIn(row, 'tenant_id') : 'public';
    const tenant = tenants.find(({ facts }) => facts.appId === row['app_id'] && facts.tenantId === tenantId);
    // Nobody can reach it.
    if (!tenant) continue;
    compared += 1;
    const difference = await compareRow(kind, row, tenant, url);
    if (difference !== undefined) differences.push(`${kind.name}: ${difference}`);
  }
  return compared;
}

/** Rows from everywhere in the table, and the same ones at every rehearsal. */
function sampleSql({ columns, where = 'true' }: Kind, { sql, columns: found }: FoundTable): string {
  const picked = columns.map((column) => (found.get(column) === 'character' ? `"${column}"::text AS "${column}"` : `"${column}"`));
  return `SELECT ${picked.join(', ')} FROM ${sql} t WHERE ${where} ORDER BY md5(t::text) LIMIT ${SAMPLE}`;
}

async function compareRow(kind: Kind, row: Row, { facts, config }: SourceTenant, url: URL): Promise<string | undefined> {
  const client = new CoreClient({ url, apiKey: config.api_keys?.[0], appId: facts.appId, host: facts.cud === '' ? undefined : facts.cud });
  try {
    const { status, text } = await client.call('GET', `${kind.inTenant ? `/${facts.tenantId}` : ''}${kind.path(row)}`);
    const what = `${kind.path(row)} of ${facts.cud}/${facts.appId}/${facts.tenantId}`;
    if (status !== 200) return `${what} is answered ${status}`;
    return kind.agrees(JSON.parse(text) as Answer, row) ? undefined : `${what} is not answered as the old core would`;
  } finally {
    client.close();
  }
}
