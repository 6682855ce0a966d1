import { GROUPS } from './groups/all-groups.ts';
import { INTERRUPTED, MigrateFault } from './fault.ts';
import { type GroupPass, moveGroup, type Mover, type OpenStorage } from './move-group.ts';
import { digestPieces } from './read-pieces.ts';
import { findStorage, type FoundStorage, horizonOf, type KnownRoles, placeRows, unreadUsers } from './open-storage.ts';
import { dropStorages } from './drop-storages.ts';
import type { Storages } from './storages.ts';
import { type BaseOptions, readTenancy } from './tenancy.ts';
import { type MovedTenant, writeTenants } from './write-tenants.ts';

/** What a pass reads. */
export interface Source {
  readonly storages: Storages;
  readonly base: BaseOptions;
}

/** A storage as it was read in a pass. */
export interface ReadStorage extends OpenStorage {
  readonly horizon: string;
  readonly groups: readonly GroupPass[];
}

/** What one pass over the old core's databases did. */
export interface Pass {
  readonly tenants: readonly MovedTenant[];
  /** Still open, each at the instant that was read. */
  readonly storages: readonly ReadStorage[];
  readonly remarks: readonly string[];
  readonly close: () => Promise<void>;
}

/** So far may the clock of a database be from ours before it is worth a word. */
const CLOCKS_APART_MS = 5_000;

/**
 * Brings the store in line with the databases of the old core, as they are at one instant each.
 * @param now ms since the epoch
 * @throws MigrateFault, ForeignFault
 */
export async function runPass(mover: Mover, source: Source, now: () => number): Promise<Pass> {
  const opened: FoundStorage[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map(({ database }) => database.close()));
  };
  try {
    const base = await findStorage(source.storages.base);
    opened.push(base);
    const apart = Math.abs(base.now - now());
    const { tenants: found, remarks } = await readTenancy(base.database, base.layout, source.storages, source.base);
    const tenants = await writeTenants(mover.store, found);
    const others = new Map(tenants.map(({ storage }) => [storage.label, storage]));
    others.delete(base.storage.label);
    for (const storage of others.values()) opened.push(await findStorage(storage));
    const unread = (await Promise.all(opened.map((each) => unreadUsers(each, tenants)))).flat();
    const storages = await moveAll(mover, opened, tenants);
    const clocks = apart < CLOCKS_APART_MS ? [] : [`The clock of ${base.storage.label} is ${Math.round(apart / 1000)} s from ours`];
    return { tenants, storages, remarks: [...remarks, ...unread, ...clocks, ...opened.flatMap(remarksOf)], close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function moveAll(mover: Mover, opened: readonly FoundStorage[], tenants: readonly MovedTenant[]): Promise<readonly ReadStorage[]> {
  const roles: KnownRoles = new Map();
  const storages: (ReadStorage & { readonly groups: GroupPass[] })[] = [];
  for (const each of opened) storages.push({ ...(await placeRows(each, tenants, roles)), horizon: each.horizon, groups: [] });
  await dropStorages(mover, new Set(storages.map(({ label }) => label)));
  for (const group of GROUPS)
    for (const storage of storages) {
      if (mover.signal.aborted) throw new MigrateFault(INTERRUPTED);
      storage.groups.push(await moveGroup(mover, storage, group));
    }
  return storages;
}

function remarksOf({ storage, layout }: FoundStorage): readonly string[] {
  const named = [...layout.unknown.map((name) => `the table ${name}`), ...layout.unknownColumns.map((name) => `the column ${name}`)];
  return named.length === 0 ? [] : [`${storage.label} holds what no core known here has, and is not moved: ${named.join(', ')}`];
}

/** Looks whether anybody has written since what was moved. @throws MigrateFault where that is so: the old core runs */
export async function refuseWrites(storages: readonly ReadStorage[]): Promise<void> {
  for (const { label, database, layout, horizon, groups } of storages) {
    await database.renew();
    // Mostly nobody has written anything on the whole server.
    if ((await horizonOf(database)) === horizon) continue;
    for (const [at, group] of GROUPS.entries()) {
      const moved = groups[at];
      if (!moved) continue;
      const now = await digestPieces(database, layout, group.parts, moved.cut);
      if (now.digests.some((digest, piece) => digest !== moved.digests[piece]))
        throw new MigrateFault(
          `Somebody has changed ${group.name} in ${label} meanwhile: stop the old core, all of its instances, and finish again`,
        );
    }
  }
}
