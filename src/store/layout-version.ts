import type { Engine } from './engine.ts';
import { makeKey } from './keys.ts';

/** Version of the order of keys and of the index entries; collections have formats of their own. */
export const LAYOUT = 2;
/** In the first layout index entries had no sums; old ones stay readable. */
const FIRST_LAYOUT = 1;
/** Stands for a layout as long as another store is being copied here; behind it follows how far that is. */
export const UNFINISHED_COPY = 0;
/** Where it stands: no collection has the number 0. */
export const LAYOUT_KEY = makeKey(0, 0, ['layout']);

/** Answers what is stored, and writes nothing. @throws Error where this version does not know the layout */
export async function checkLayout(engine: Engine): Promise<Uint8Array | undefined> {
  const found = await storedLayout(engine);
  if (found?.[0] === UNFINISHED_COPY)
    throw new Error('it holds an unfinished copy of another store; the "watchword copy" that began it goes on where it stopped');
  if (found && found[0] !== LAYOUT && found[0] !== FIRST_LAYOUT)
    throw new Error(`it was written by another version (layout ${found[0]}, this version knows ${LAYOUT})`);
  return found;
}

/** What stands for the layout, known or not; nothing in a store that was never opened. */
export async function storedLayout(engine: Engine): Promise<Uint8Array | undefined> {
  const snapshot = engine.snapshot();
  try {
    return await snapshot.get(LAYOUT_KEY);
  } finally {
    snapshot.release();
  }
}

/** Keeps out other versions that do not know this layout. @throws Error as `checkLayout` */
export async function claimLayout(engine: Engine): Promise<void> {
  const found = await checkLayout(engine);
  if (found?.[0] === LAYOUT) return;
  const claimed = await engine.commit({
    keys: [{ key: LAYOUT_KEY, value: found }],
    ranges: [],
    writes: [{ key: LAYOUT_KEY, value: Uint8Array.of(LAYOUT) }],
  });
  if (!claimed) await claimLayout(engine);
}
