import { findImported } from './find-imported.ts';
import { GROUPS } from './groups/all-groups.ts';
import { INTERRUPTED, MigrateFault } from './fault.ts';
import { type GroupPass, measureGroup, moveGroup, type Mover, type OpenStorage } from './move-group.ts';
import type { Storage } from './storages.ts';
import { turnsOf } from './turns.ts';
import { findStorage, type FoundStorage, type KnownApps, placeRows } from './open-storage.ts';
import { moveGroups, moves } from './records.ts';
import { sourceRemarks } from './source-remarks.ts';
import { dropStorages } from './drop-storages.ts';
import type { Storages } from './storages.ts';
import { type BaseOptions, readTenancy, type SourceTenant } from './tenancy.ts';
import { type MovedTenant, writeTenants } from './write-tenants.ts';

/** What a pass reads. */
export interface Source {
  readonly storages: Storages;
  readonly base: BaseOptions;
  /** Whether rows may tell what was written since the last pass; else all of them are compared by digests. */
  readonly trusting: boolean;
}

/** A storage as it was read in a pass. */
export interface ReadStorage extends OpenStorage {
  readonly storage: Storage;
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
/** Tables of which digests are made at the same time. */
const DIGESTS_AT_ONCE = 2;
/** Connections beside the one of each storage, unless there are many of these. */
const BESIDE = 2;
const FEW_STORAGES = 4;
const REPEATS_AT_MOST = 3;

/**
 * Brings the store in line with the databases of the old core, as they are at one instant each; again when its tenants
 * have changed meanwhile, for these say where everything else belongs.
 * @param now ms since the epoch
 * @throws MigrateFault, ForeignFault
 */
export async function runPass(mover: Mover, source: Source, now: () => number): Promise<Pass> {
  for (let repeats = 0; ; repeats++) {
    const pass = await passOnce(mover, source, now);
    const isCurrent = repeats === REPEATS_AT_MOST || (await hasSameTenants(source, pass).catch((error: unknown) => closing(pass, error)));
    if (!isCurrent) await pass.close();
    else if (repeats === 0) return pass;
    else return { ...pass, remarks: [...pass.remarks, `Tenants changed during the pass, which was repeated (${repeats})`] };
  }
}

async function closing(pass: Pass, error: unknown): Promise<never> {
  await pass.close();
  throw error;
}

async function passOnce(mover: Mover, source: Source, now: () => number): Promise<Pass> {
  const opened: FoundStorage[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map(({ database }) => database.close()));
  };
  try {
    const turns = turnsOf(DIGESTS_AT_ONCE);
    const base = await findStorage(source.storages.base, turns);
    opened.push(base);
    const apart = Math.abs(base.now - now());
    const { tenants: found, remarks } = await readTenancy(base.database, base.layout, source.storages, source.base);
    const tenants = await writeTenants(mover.store, found);
    const others = new Map(tenants.map(({ storage }) => [storage.label, storage]));
    others.delete(base.storage.label);
    for (const storage of others.values()) opened.push(await findStorage(storage, turns));
    if (opened.length <= FEW_STORAGES) await Promise.all(opened.map(({ database }) => database.widen(BESIDE)));
    const { storages, remarks: known } = await moveAll(mover, opened, tenants, source.trusting);
    const clocks = apart < CLOCKS_APART_MS ? [] : [`The clock of ${base.storage.label} is ${Math.round(apart / 1000)} s from ours`];
    const orphans = found.filter((tenant) => !tenants.some(({ facts }) => facts === tenant.facts));
    return {
      tenants,
      storages,
      remarks: [...remarks, ...orphans.map(orphanText), ...known, ...clocks, ...opened.flatMap(remarksOf)],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const orphanText = ({ facts: { cud, appId, tenantId } }: SourceTenant): string =>
  `The tenant ${[cud, appId, tenantId].filter(Boolean).join('/')} is left behind: there is no such app or domain`;

interface Moved {
  readonly storages: readonly ReadStorage[];
  /** What `sourceRemarks` says. */
  readonly remarks: readonly string[];
}

async function moveAll(mover: Mover, opened: readonly FoundStorage[], tenants: readonly MovedTenant[], trusting: boolean): Promise<Moved> {
  const known: KnownApps = new Map();
  const storages: (ReadStorage & { readonly groups: GroupPass[] })[] = [];
  for (const each of opened) storages.push({ ...(await placeRows(each, tenants, known)), storage: each.storage, groups: [] });
  await findImported(storages, known);
  const move = await mover.store.read((reader) => reader.get(moves, ['move']));
  await dropStorages(mover, new Set(storages.map(({ label }) => label)));
  // The servers go on with what comes next while rows are read and written.
  const ahead = GROUPS.map((group) => storages.map((storage) => measureGroup(mover.store, storage, group, trusting)));
  const asked = Promise.all(move?.remarks ? [] : opened.map((each) => sourceRemarks(each, tenants)));
  // Whoever waits for one of them is told what went wrong.
  for (const work of [...ahead.flat(), asked]) work.catch(() => {});
  for (const [at, group] of GROUPS.entries())
    for (const [of, storage] of storages.entries()) {
      if (mover.signal.aborted) throw new MigrateFault(INTERRUPTED);
      const measured = await ahead[at]?.[of];
      if (measured) storage.groups.push(await moveGroup(mover, storage, group, measured));
    }
  const remarks = move?.remarks?.map((remark) => `At the first pass: ${remark}`) ?? (await asked).flat();
  await keepSeen(mover, storages, move?.remarks ?? remarks);
  return { storages, remarks };
}

/** Notes what a pass that has ended has seen and found: the next one need look only at what was written since. */
async function keepSeen({ store }: Mover, storages: readonly ReadStorage[], remarks: readonly string[]): Promise<void> {
  await store.transact(async (tx) => {
    const move = await tx.get(moves, ['move']);
    if (move) await tx.put(moves, { ...move, remarks });
    for (const { instant, groups } of storages)
      for (const { state } of groups) await tx.put(moveGroups, { ...state, seen: { server: instant.server, oldest: instant.oldest } });
  });
}

/** Whether the tenants of the old core are now as a pass has read them. */
export async function hasSameTenants({ storages, base }: Source, { tenants }: Pass): Promise<boolean> {
  const { database, layout } = await findStorage(storages.base);
  try {
    const { tenants: now } = await readTenancy(database, layout, storages, base);
    // Those of an app that does not exist are left out of a move.
    const known = new Set(tenants.map(factsOf));
    const apps = new Set(tenants.map(({ facts: { cud, appId } }) => JSON.stringify([cud, appId])));
    const reachable = now.filter(({ facts: { cud, appId } }) => apps.has(JSON.stringify([cud, appId])));
    return reachable.length === known.size && reachable.every((tenant) => known.has(factsOf(tenant)));
  } finally {
    await database.close();
  }
}

const factsOf = ({ facts, storage, readsNew }: SourceTenant): string =>
  JSON.stringify([Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1)), storage.label, readsNew]);

function remarksOf({ storage, layout }: FoundStorage): readonly string[] {
  const named = [...layout.unknown.map((name) => `the table ${name}`), ...layout.unknownColumns.map((name) => `the column ${name}`)];
  return named.length === 0 ? [] : [`${storage.label} holds what no core known here has, and is not moved: ${named.join(', ')}`];
}
