import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { publicTenants } from '../tenants/public-tenants.ts';
import { noteSearched } from './metadata-search.ts';
import { type MetadataSearchRecord, metadata, metadataSearch, metadataSearchProgress } from './records.ts';

/** Records that one transaction writes anew: each may be as large as `LIMITS.metadataBytes`. */
const BATCH = 25;

/** What the job works with. */
interface World {
  readonly store: Store;
  readonly directory: TenantDirectory;
}

/**
 * Brings the index of metadata to what `metadata_search_keys` lists in each app; answers whether there is more to do.
 * First it keeps the keys, which every write from then on notes in its record, and then writes all other records anew.
 * A key can be searched by when all records note it.
 */
export async function indexMetadata({ store, directory }: World, limit: number): Promise<boolean> {
  let left = limit;
  for await (const tenant of publicTenants(store, directory)) {
    if (left <= 0) return true;
    left -= await indexApp(store, tenant.app, tenant.appConfig.metadata_search_keys, left);
  }
  return left <= 0;
}

/** Answers how many records it wrote anew: fewer than `limit` when the app is done. */
async function indexApp(store: Store, app: AppNumber, listed: readonly string[], limit: number): Promise<number> {
  const wanted = [...new Set(listed)].toSorted();
  if (await isDone(store, app, wanted)) return 0;
  await beginWith(store, app, wanted);
  let written = 0;
  while (written < limit) {
    const more = await indexBatch(store, app, wanted);
    if (more === 0) break;
    written += more;
  }
  return written;
}

async function isDone(store: Store, app: AppNumber, wanted: readonly string[]): Promise<boolean> {
  const search = await store.read((reader: Reader) => reader.get(metadataSearch, [app]));
  return search ? isSame(search.keys, wanted) && isSame(search.ready, wanted) : wanted.length === 0;
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each, at) => each === others[at]);

/** Keeps the keys, if they are new; then every record has to be looked at again. */
async function beginWith(store: Store, app: AppNumber, wanted: readonly string[]): Promise<void> {
  await store.transact(async (tx) => {
    const search = await tx.get(metadataSearch, [app]);
    if (search && isSame(search.keys, wanted)) return;
    await tx.put(metadataSearch, { app, keys: wanted, ready: wanted.filter((key) => search?.ready.includes(key)) });
    await tx.put(metadataSearchProgress, { app, next: '' });
  });
}

/** Writes the next records anew; after the last one, all keys are ready. Answers how many it wrote. */
function indexBatch(store: Store, app: AppNumber, wanted: readonly string[]): Promise<number> {
  return store.transact(async (tx) => {
    const [search, progress] = await tx.getMany([
      { collection: metadataSearch, key: [app] },
      { collection: metadataSearchProgress, key: [app] },
    ]);
    if (!search || !progress || !isSame(search.keys, wanted)) return 0;
    const from = [app, progress.next] as const;
    const records = await tx.list(metadata, undefined, { prefix: [app], from, limit: BATCH + 1 });
    const batch = records.slice(0, BATCH);
    await noteSearched(tx, batch, wanted);
    const next = records[BATCH];
    if (next) await tx.put(metadataSearchProgress, { app, next: next.userId });
    else await settle(tx, search);
    return batch.length;
  });
}

/** All records note what they should. */
async function settle(tx: Transaction, { app, keys }: MetadataSearchRecord): Promise<void> {
  await tx.delete(metadataSearchProgress, [app]);
  if (keys.length === 0) await tx.delete(metadataSearch, [app]);
  else await tx.put(metadataSearch, { app, keys, ready: keys });
}
