import { createHash } from 'node:crypto';
import type { ForeignDatabase } from '../../store/foreign-database.ts';
import { openForeign } from '../../store/open-foreign.ts';
import type { AppNumber } from '../../store/store.ts';
import { DEFAULT_TENANT_ID } from '../../recipes/tenants/address.ts';
import { ASSIGNMENTS } from './groups/user-data.ts';
import { type Layout, readLayout, wordIn } from './layout.ts';
import type { Ask } from './digest-pieces.ts';
import type { OpenStorage } from './move-group.ts';
import type { Storage } from './storages.ts';
import type { AppPlace, Places, TableGroup, TenantPlace } from './table-group.ts';
import { askBeside, type Turns, turnsOf } from './turns.ts';
import type { MovedTenant } from './write-tenants.ts';

/** Roles that exist, by app, in all storages that were opened so far. */
export type KnownRoles = Map<AppNumber, Set<string>>;

/** A database with its layout. */
export interface FoundStorage {
  readonly storage: Storage;
  readonly database: ForeignDatabase;
  readonly ask: Ask;
  readonly layout: Layout;
  /** ms since the epoch, by the clock of the server. */
  readonly now: number;
  /** Grows with every transaction that writes anything on the server. */
  readonly horizon: string;
}

/** Opens a storage of the old core to read it. @param turns by which it is asked for digests @throws MigrateFault, ForeignFault */
export async function findStorage(storage: Storage, turns: Turns = turnsOf(1)): Promise<FoundStorage> {
  const database = await openForeign(storage.plan);
  try {
    const layout = await readLayout(database, storage.names, storage.label);
    const [clock] = await database.rows('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
    const ask = askBeside(database, turns);
    return { storage, database, ask, layout, now: Number(clock?.['now']), horizon: await horizonOf(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Grows with every transaction that writes anything on the server. */
export async function horizonOf(database: ForeignDatabase): Promise<string> {
  const [row] = await database.rows('SELECT txid_snapshot_xmax(txid_current_snapshot())::text AS horizon');
  return String(row?.['horizon']);
}

/** Says where the rows of a storage belong. @param all tenants of the old core */
export async function placeRows(
  { storage, database, ask, layout, now }: FoundStorage,
  all: readonly MovedTenant[],
  roles: KnownRoles,
): Promise<OpenStorage> {
  const here = all.filter((tenant) => tenant.storage.label === storage.label);
  const tenants = new Map(here.toReversed().map((tenant) => [nameOf(tenant.facts.appId, tenant.facts.tenantId), tenant]));
  const members = new Map<AppNumber, MovedTenant[]>();
  for (const tenant of all) members.set(tenant.app, [...(members.get(tenant.app) ?? []), tenant]);
  const apps = new Map<string, AppPlace>();
  for (const { app, facts } of here)
    if (!apps.has(facts.appId)) apps.set(facts.appId, appPlace(app, members.get(app) ?? [], storage.label, roles));
  await addRoles(database, layout, apps, roles);
  const places: Places = {
    now,
    app: (appId) => apps.get(appId),
    tenant: (appId, tenantId) => tenants.get(nameOf(appId, tenantId)),
  };
  const basis = basisOf(here, apps);
  const rolesBasis = (): string => JSON.stringify([...apps].map(([id, { roles: names }]) => [id, [...names].toSorted()]));
  return {
    label: storage.label,
    database,
    ask,
    layout,
    places,
    basisOf: (group: TableGroup) => digestOf(group === ASSIGNMENTS ? basis + rolesBasis() : basis),
  };
}

const nameOf = (appId: string, tenantId: string): string => JSON.stringify([appId, tenantId]);

function appPlace(app: AppNumber, members: readonly MovedTenant[], label: string, roles: KnownRoles): AppPlace {
  const home = members.find((other) => other.facts.tenantId === DEFAULT_TENANT_ID);
  if (!home) throw new Error(`app ${app} has no public tenant`);
  const known = roles.get(app) ?? new Set<string>();
  roles.set(app, known);
  return { app, tenants: members.map(({ tenant }) => tenant), isHome: home.storage.label === label, config: home.config, roles: known };
}

async function addRoles(database: ForeignDatabase, layout: Layout, apps: ReadonlyMap<string, AppPlace>, known: KnownRoles): Promise<void> {
  const table = layout.tables.get('roles');
  const rows = table ? await database.rows(`SELECT coalesce(app_id, 'public') AS app_id, role FROM ${table.sql}`) : [];
  for (const row of rows) {
    const app = apps.get(wordIn(row, 'app_id'));
    if (app) known.get(app.app)?.add(wordIn(row, 'role'));
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
  ];
  return JSON.stringify([here.map(ofTenant), [...apps].map(([id, { isHome, tenants }]) => [id, isHome, tenants])]);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
