import type { Engine } from '../engine.ts';
import { ALWAYS_MISSING } from './cold-reads.ts';
import { prepareDataFolder } from './data-folder.ts';
import { LmdbEngine } from './engine.ts';
import { holdFolder } from './pid-namespace.ts';
import type { LmdbPlan } from '../plan.ts';

/**
 * Opens the store in a folder. Rejects with one sentence naming the folder when it cannot be used.
 * @param checkLayout rejects where the store is not ours to open
 * @param onLost see `StoreWatch`
 */
export async function openFolder(
  plan: LmdbPlan,
  checkLayout: (engine: Engine) => Promise<unknown>,
  onLost?: (error: Error) => void,
): Promise<LmdbEngine> {
  try {
    await prepareDataFolder(plan.path);
    const engine = await openHeldFolder(plan, onLost);
    try {
      await checkLayout(engine);
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    throw new Error(`The data folder ${plan.path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

async function openHeldFolder({ path, cold, ...options }: LmdbPlan, onLost?: (error: Error) => void): Promise<LmdbEngine> {
  const onClosed = await holdFolder(path);
  try {
    return new LmdbEngine(path, { ...options, ...(cold && { pages: ALWAYS_MISSING }), onClosed, ...(onLost && { onLost }) });
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
