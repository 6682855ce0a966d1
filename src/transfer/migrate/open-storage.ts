import { createHash } from 'node:crypto';
import type { ForeignDatabase } from '../../store/foreign-database.ts';
import { openForeign } from '../../store/open-foreign.ts';
import type { AppNumber } from '../../store/store.ts';
import { DEFAULT_TENANT_ID } from '../../recipes/tenants/address.ts';
import { type Instant, instantOf } from './instant.ts';
import { type Layout, readLayout, wordIn } from './layout.ts';
import type { Ask } from './digest-pieces.ts';
import type { OpenStorage } from './move-group.ts';
import type { Storage } from './storages.ts';
import type { AppPlace, Places, TableGroup, TenantPlace } from './table-group.ts';
import { askBeside, type Turns, turnsOf } from './turns.ts';
import type { MovedTenant } from './write-tenants.ts';

/** What all storages of an app say together, as far as they were asked. */
interface AppKnowledge {
  readonly roles: Set<string>;
  readonly imported: Set<string>;
}

/** The same of all apps. */
export type KnownApps = Map<AppNumber, AppKnowledge>;

/** A database with its layout. */
export interface FoundStorage {
  readonly storage: Storage;
  readonly database: ForeignDatabase;
  readonly ask: Ask;
  readonly layout: Layout;
  /** ms since the epoch, by the clock of the server. */
  readonly now: number;
  readonly instant: Instant;
}

/**
 * Opens a storage of the old core to read it.
 * @param turns by which it is asked for digests
 * @throws MigrateFault, ForeignFault
 */
export async function findStorage(storage: Storage, turns: Turns = turnsOf(1)): Promise<FoundStorage> {
  const database = await openForeign(storage.plan);
  try {
    const layout = await readLayout(database, storage.names, storage.label);
    const [clock] = await database.rows('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
    const ask = askBeside(database, turns);
    return { storage, database, ask, layout, now: Number(clock?.['now']), instant: await instantOf(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Says where the rows of a storage belong. @param all tenants of the old core */
export async function placeRows(
  { storage, database, ask, layout, now, instant }: FoundStorage,
  all: readonly MovedTenant[],
  known: KnownApps,
): Promise<OpenStorage> {
  const here = all.filter((tenant) => tenant.storage.label === storage.label);
  const tenants = new Map(here.toReversed().map((tenant) => [nameOf(tenant.facts.appId, tenant.facts.tenantId), tenant]));
  const members = new Map<AppNumber, MovedTenant[]>();
  for (const tenant of all) members.set(tenant.app, [...(members.get(tenant.app) ?? []), tenant]);
  const apps = new Map<string, AppPlace>();
  for (const { app, facts } of here)
    if (!apps.has(facts.appId)) apps.set(facts.appId, appPlace(app, members.get(app) ?? [], storage.label, known));
  await addRoles(database, layout, apps, known);
  const places: Places = {
    now,
    app: (appId) => apps.get(appId),
    tenant: (appId, tenantId) => tenants.get(nameOf(appId, tenantId)),
  };
  const basis = basisOf(here, apps);
  const ownBasis = ({ basis: of }: TableGroup): string =>
    of ? JSON.stringify([...apps].map(([id, place]) => [id, of(place).toSorted()])) : '';
  return {
    label: storage.label,
    database,
    ask,
    layout,
    places,
    instant,
    basisOf: (group: TableGroup) => digestOf([basis, columnsOf(layout, group), ownBasis(group)].join('\n')),
  };
}

/** A column that was added shows in no row. */
const columnsOf = (layout: Layout, { parts }: TableGroup): string =>
  JSON.stringify(parts.map(({ table, columns }) => columns.filter((column) => layout.tables.get(table)?.columns.has(column))));

const nameOf = (appId: string, tenantId: string): string => JSON.stringify([appId, tenantId]);

function appPlace(app: AppNumber, members: readonly MovedTenant[], label: string, all: KnownApps): AppPlace {
  const home = members.find((other) => other.facts.tenantId === DEFAULT_TENANT_ID);
  if (!home) throw new Error(`app ${app} has no public tenant`);
  const known = all.get(app) ?? { roles: new Set<string>(), imported: new Set<string>() };
  all.set(app, known);
  return { app, tenants: members.map(({ tenant }) => tenant), isHome: home.storage.label === label, config: home.config, ...known };
}

async function addRoles(database: ForeignDatabase, layout: Layout, apps: ReadonlyMap<string, AppPlace>, known: KnownApps): Promise<void> {
  const table = layout.tables.get('roles');
  const rows = table ? await database.rows(`SELECT coalesce(app_id, 'public') AS app_id, role FROM ${table.sql}`) : [];
  for (const row of rows) {
    const app = apps.get(wordIn(row, 'app_id'));
    if (app) known.get(app.app)?.roles.add(wordIn(row, 'role'));
  }
}

/** Everything besides rows that decides what they become. */
function basisOf(here: readonly MovedTenant[], apps: ReadonlyMap<string, AppPlace>): string {
  const ofTenant = ({ facts, app, tenant, config, readsNew }: MovedTenant & TenantPlace): unknown => [
    facts.cud,
    facts.appId,
    facts.tenantId,
    app,
    tenant,
    readsNew,
    config.passwordless_code_lifetime,
    config.totp_rate_limit_cooldown_sec,
    config.access_token_signing_key_dynamic,
    config.saml_allow_custom_redirect_schemes,
  ];
  return JSON.stringify([here.map(ofTenant), [...apps].map(([id, { isHome, tenants }]) => [id, isHome, tenants])]);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
