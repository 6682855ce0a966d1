import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { indexEntries, primaryBytes, recordKey } from '../../../src/store/layout.ts';
import { keyText } from '../../../src/store/keys.ts';
import { EngineStore } from '../../../src/store/transactions.ts';

/** One record with everything that is kept of it: its own entry and those of its indexes, as they stand in the store. */
export interface RawRecord {
  readonly collection: string;
  /** Number of the app that it belongs to; undefined for records of the core. */
  readonly app: number | undefined;
  /** Numbers of all tenants that it belongs to or names. */
  readonly tenants: readonly number[];
  /** Hexadecimal, `key=value` each. */
  readonly entries: readonly string[];
}

/** A store as it lies on the disk. */
export interface RawStore {
  readonly records: readonly RawRecord[];
  /** Keys that belong to no record of the collections; hexadecimal. */
  readonly strays: readonly string[];
}

/** The leases of jobs and the version of the layout belong to no collection of the recipes. */
const OWN_SPACES = [0, 4];

/** Reads the whole key space of an engine, and every record with the entries that it must have. @throws where one of them is missing */
export async function readRawStore(engine: Engine): Promise<RawStore> {
  const kept = await everyEntry(engine);
  const store = new EngineStore(engine);
  const records: RawRecord[] = [];
  for (const collection of COLLECTIONS) {
    const rows: unknown[] = await store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 100_000 }));
    for (const row of rows) {
      const key = recordKey(collection, collection.key(row));
      const names = [...new Set([keyText(key), ...indexEntries(collection, row, primaryBytes(key)).map(({ name }) => name)])];
      const entries = names.map((name) => `${hex(name)}=${hex(take(kept, name, collection.name))}`);
      const app = collection.scope === 'core' ? undefined : numberIn(row, 'app');
      records.push({ collection: collection.name, app, tenants: tenantsIn(row), entries });
    }
  }
  return { records, strays: [...kept.keys()].map(hex) };
}

async function everyEntry(engine: Engine): Promise<Map<string, string>> {
  const snapshot = engine.snapshot();
  const entries = await snapshot.range({ start: Buffer.alloc(0), end: Buffer.alloc(9, 0xff), limit: 1_000_000, reverse: false });
  snapshot.release();
  const foreign = entries.filter(({ key }) => !OWN_SPACES.includes(((key[0] ?? 0) << 8) | (key[1] ?? 0)));
  return new Map(foreign.map(({ key, value }) => [keyText(key), Buffer.from(value).toString('latin1')]));
}

/** Two records may stand under no key together, so what a record has is taken out. */
function take(kept: Map<string, string>, name: string, collection: string): string {
  const value = kept.get(name);
  if (value === undefined) throw new Error(`an entry of ${collection} is missing: ${hex(name)}`);
  kept.delete(name);
  return value;
}

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

function numberIn(row: unknown, member: string): number | undefined {
  const value = typeof row === 'object' && row !== null && member in row ? (row as Record<string, unknown>)[member] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** Wherever a record names tenants: its own, those of a login method, and those of a user with their recipes. */
function tenantsIn(row: unknown): number[] {
  const { tenants = [], recipesByTenant = [] } = row as { tenants?: unknown; recipesByTenant?: readonly (readonly [number, number])[] };
  const own = numberIn(row, 'tenant');
  const numbers = Array.isArray(tenants) ? tenants.filter((each) => typeof each === 'number') : [];
  return [...(own === undefined ? [] : [own]), ...numbers, ...recipesByTenant.map(([tenant]) => tenant)];
}
