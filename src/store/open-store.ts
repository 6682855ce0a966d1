import { ALWAYS_MISSING } from './cold-reads.ts';
import { prepareDataFolder } from './data-folder.ts';
import { LmdbEngine } from './lmdb.ts';
import { MemoryEngine } from './memory.ts';
import type { Engine } from './engine.ts';
import { makeKey } from './keys.ts';
import { holdFolder } from './pid-namespace.ts';
import type { Store } from './store.ts';
import { EngineStore } from './transactions.ts';

/** Where records are kept. */
export type StoreOptions =
  /** A folder, made when it is missing; any number of threads and processes may open it. `changes`: memory that the threads of a process share (`Changes`). */
  | {
      readonly engine: 'lmdb';
      readonly path: string;
      readonly changes?: SharedArrayBuffer;
      /** Everything will be read in order, as exports and checks do: the system may read ahead. */
      readonly readAhead?: boolean;
      /** Every read takes the way of those that have to wait for the disk, for tests. */
      readonly cold?: boolean;
      /** Told when nothing of the store can be read or written in this process any more: it should end, so that another one opens it. */
      readonly onLost?: (error: Error) => void;
    }
  /**
   * The memory of this thread, for tests and simulation. `onRound` is told of every read call, each of which is a round trip on an engine
   * over the network; `slow` answers every read with a promise, as such an engine does.
   */
  | { readonly engine: 'memory'; readonly onRound?: () => void; readonly slow?: boolean };

/** Version of the order of keys and of the index entries; collections have formats of their own. */
const LAYOUT = 2;
/** In the first layout index entries had no sums. Those that are there stay readable. */
const FIRST_LAYOUT = 1;
/** Where it stands: no collection has the number 0. */
const LAYOUT_KEY = makeKey(0, 0, ['layout']);

/** @throws Error where this version knows the layout of the store not */
async function layoutOf(engine: Engine): Promise<Uint8Array | undefined> {
  const snapshot = engine.snapshot();
  const found = await snapshot.get(LAYOUT_KEY);
  snapshot.release();
  if (found && found[0] !== LAYOUT && found[0] !== FIRST_LAYOUT)
    throw new Error(`it was written by another version (layout ${found[0]}, this version knows ${LAYOUT})`);
  return found;
}

async function claimLayout(engine: Engine): Promise<void> {
  const found = await layoutOf(engine);
  if (found?.[0] === LAYOUT) return;
  const claimed = await engine.commit({
    keys: [{ key: LAYOUT_KEY, value: found }],
    ranges: [],
    writes: [{ key: LAYOUT_KEY, value: Uint8Array.of(LAYOUT) }],
  });
  if (!claimed) await claimLayout(engine);
}

type FolderOptions = StoreOptions & { readonly engine: 'lmdb' };

async function openFolder(options: FolderOptions, checkLayout: (engine: Engine) => Promise<unknown>): Promise<Engine> {
  try {
    await prepareDataFolder(options.path);
    const engine = await openHeldFolder(options);
    try {
      await checkLayout(engine);
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    throw new Error(`The data folder ${options.path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

async function openHeldFolder({ path, cold, ...options }: FolderOptions): Promise<Engine> {
  const onClosed = await holdFolder(path);
  try {
    return new LmdbEngine(path, { ...options, ...(cold && { pages: ALWAYS_MISSING }), onClosed });
  } catch (error) {
    onClosed();
    throw error;
  }
}

/** The innermost message of an error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** Opens the store. Rejects with one sentence naming the folder when it cannot be used. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return new EngineStore(options.engine === 'memory' ? new MemoryEngine(options) : await openFolder(options, claimLayout));
}

/** Opens the store in a folder without writing to it. Rejects as `openStore` does. */
export function openToCheck(path: string): Promise<Engine> {
  return openFolder({ engine: 'lmdb', path, readAhead: true }, layoutOf);
}
