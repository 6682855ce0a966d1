import { ASIDE_TABLES } from './groups/all-groups.ts';
import { refusedUris } from './groups/saml.ts';
import { type FoundTable, numberIn, wordIn } from './layout.ts';
import type { FoundStorage } from './open-storage.ts';
import type { MovedTenant } from './write-tenants.ts';

/*
 * What the old core keeps twice, and what else an operator should know of its databases before all of it is read. Each
 * question is a scan of a table or more: only a first pass asks.
 */

/** What an old core keeps a second time by tenant, to find users by (contract 09 section 4). */
const COPIES: readonly { readonly copy: string; readonly of: string; readonly columns: readonly string[] }[] = [
  { copy: 'emailpassword_user_to_tenant', of: 'emailpassword_users', columns: ['email'] },
  { copy: 'thirdparty_user_to_tenant', of: 'thirdparty_users', columns: ['third_party_id', 'third_party_user_id'] },
  { copy: 'passwordless_user_to_tenant', of: 'passwordless_users', columns: ['email', 'phone_number'] },
  { copy: 'webauthn_user_to_tenant', of: 'webauthn_users', columns: ['email'] },
];

/** Ids that a remark names. */
const NAMED = 3;
const SOME_IDS = `(array_agg(id ORDER BY id))[1:${NAMED}]::text AS ids`;

/** Answers what should be known of a database before it is moved; nothing of it is left behind for that. */
export async function sourceRemarks(found: FoundStorage, all: readonly MovedTenant[]): Promise<readonly string[]> {
  const here = all.filter(({ storage }) => storage.label === found.storage.label);
  const remarks = await Promise.all([
    ...COPIES.map((each) => differingCopies(found, here, each)),
    differingReservations(found, here),
    unreadUsers(found, here),
    ...ASIDE_TABLES.map((table) => keptAside(found, table)),
    activityOf(found),
    refusedClients(found, here),
  ]);
  return remarks.flat();
}

const placesOf = (tenants: readonly MovedTenant[], readsNew: boolean): readonly string[] =>
  tenants.filter((tenant) => tenant.readsNew === readsNew).map(({ facts }) => `${facts.appId}/${facts.tenantId}`);

async function differingCopies(
  { ask, layout }: FoundStorage,
  here: readonly MovedTenant[],
  { copy, of, columns }: (typeof COPIES)[number],
): Promise<readonly string[]> {
  const [copies, rows] = [layout.tables.get(copy), layout.tables.get(of)];
  const places = placesOf(here, false);
  if (!copies || !rows || places.length === 0) return [];
  const differ = columns.map((column) => `c.${column} IS DISTINCT FROM r.${column}`).join(' OR ');
  const text = `SELECT count(*) AS rows, ${SOME_IDS} FROM (
      SELECT c.user_id::text AS id FROM ${copies.sql} c JOIN ${rows.sql} r ON r.app_id = c.app_id AND r.user_id = c.user_id
      WHERE (${differ}) AND c.app_id || '/' || c.tenant_id = ANY($1)
    ) x`;
  const [row] = await ask((database) => database.rows(text, [places]));
  const number = Number(row?.['rows']);
  if (number === 0) return [];
  return [
    `${number} rows of ${copy} differ from ${of}, which counts: the old core lets these users sign in by other values, ${row?.['ids']}`,
  ];
}

/** What primary users keep for themselves is made anew from their groups; the table should say the same. */
async function differingReservations({ ask, layout }: FoundStorage, here: readonly MovedTenant[]): Promise<readonly string[]> {
  const names = ['primary_user_tenants', 'app_id_to_user_id', 'recipe_user_tenants', 'recipe_user_account_infos'];
  const [kept, identities, memberships, infos] = names.map((name) => layout.tables.get(name));
  const places = placesOf(here, true);
  if (!kept || !identities || !memberships || !infos || places.length === 0) return [];
  const key = 'app_id, tenant_id, account_info_type, account_info_value, id';
  const text = `WITH methods AS (
      SELECT app_id, user_id, primary_or_recipe_user_id::text AS id FROM ${identities.sql} WHERE is_linked_or_is_a_primary_user
    ), made AS (
      SELECT DISTINCT m.app_id, t.tenant_id, i.account_info_type, i.account_info_value, m.id
      FROM methods m JOIN ${memberships.sql} t ON t.app_id = m.app_id AND t.recipe_user_id = m.user_id
      JOIN methods o ON o.app_id = m.app_id AND o.id = m.id
      JOIN ${infos.sql} i ON i.app_id = o.app_id AND i.recipe_user_id = o.user_id
      WHERE m.app_id || '/' || t.tenant_id = ANY($1)
    ), kept AS (
      SELECT app_id, tenant_id, account_info_type, account_info_value, primary_user_id::text AS id FROM ${kept.sql}
      WHERE app_id || '/' || tenant_id = ANY($1)
    ), differing AS (
      (SELECT ${key} FROM made EXCEPT SELECT ${key} FROM kept) UNION ALL (SELECT ${key} FROM kept EXCEPT SELECT ${key} FROM made)
    ) SELECT count(*) AS rows, ${SOME_IDS} FROM differing`;
  const [row] = await ask((database) => database.rows(text, [places]));
  const number = Number(row?.['rows']);
  if (number === 0) return [];
  return [`${number} rows of primary_user_tenants are missing or too many; they are made anew from the groups of users, ${row?.['ids']}`];
}

/** Users who stand in the tables of core 12 alone, in apps of which the old tables are read: then the mode is wrong. */
async function unreadUsers({ ask, layout }: FoundStorage, here: readonly MovedTenant[]): Promise<readonly string[]> {
  const [fresh, old] = [layout.tables.get('recipe_user_tenants'), layout.tables.get('all_auth_recipe_users')];
  const places = placesOf(here, false);
  if (!fresh || !old || places.length === 0) return [];
  const text = `SELECT n.app_id, count(DISTINCT n.recipe_user_id) AS users FROM ${fresh.sql} n
     WHERE n.app_id || '/' || n.tenant_id = ANY($1) AND NOT EXISTS (
       SELECT FROM ${old.sql} o WHERE o.app_id = n.app_id AND o.tenant_id = n.tenant_id AND o.user_id = n.recipe_user_id
     ) GROUP BY 1`;
  const rows = await ask((database) => database.rows(text, [places]));
  return rows.map(
    (row) =>
      `${String(row['users'])} users of the app ${wordIn(row, 'app_id')} stand in tables that its migration_mode does not read: is --config complete?`,
  );
}

async function keptAside(found: FoundStorage, table: string): Promise<readonly string[]> {
  const rows = await countOf(found, found.layout.tables.get(table));
  return rows === 0
    ? []
    : [`${rows} rows of ${table} in ${found.storage.label} have no use here, and are kept aside when the move is finished`];
}

async function countOf({ ask }: FoundStorage, table: FoundTable | undefined): Promise<number> {
  if (!table) return 0;
  const [row] = await ask((database) => database.rows(`SELECT count(*) AS rows FROM ${table.sql}`));
  return numberIn(row ?? {}, 'rows') ?? 0;
}

/** Far too many to be counted. */
async function activityOf({ storage, layout: { unread } }: FoundStorage): Promise<readonly string[]> {
  return unread.length === 0 ? [] : [`${unread.join(', ')} of ${storage.label} are not moved: no interface of the old core shows them`];
}

const PAGE_ROWS = 1000;

/** SAML clients that nobody could write as they are here: they are moved, and logins end where they did. */
async function refusedClients({ ask, layout }: FoundStorage, here: readonly MovedTenant[]): Promise<readonly string[]> {
  const table = layout.tables.get('saml_clients');
  if (!table) return [];
  const text = `SELECT app_id, tenant_id, client_id, redirect_uris, default_redirect_uri FROM ${table.sql} ORDER BY 1, 2, 3`;
  const refused = await ask(async (database) => {
    const names: string[] = [];
    for await (const page of database.pages(text, [], PAGE_ROWS))
      for (const row of page) {
        const [app, tenant] = [wordIn(row, 'app_id'), wordIn(row, 'tenant_id')];
        const config = here.find(({ facts }) => facts.appId === app && facts.tenantId === tenant)?.config;
        if (config && refusedUris(row, config).length > 0) names.push(`${app}/${tenant}/${wordIn(row, 'client_id')}`);
      }
    return names;
  });
  if (refused.length === 0) return [];
  const some = JSON.stringify(refused.slice(0, NAMED));
  return [
    `${refused.length} SAML clients have redirect URIs that are refused when they are written anew: only HTTPS is taken, and other schemes with saml_allow_custom_redirect_schemes, ${some}`,
  ];
}
