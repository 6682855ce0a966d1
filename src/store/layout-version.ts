import type { Engine } from './engine.ts';
import { makeKey } from './keys.ts';

/** Version of the order of keys and of the index entries; collections have formats of their own. */
export const LAYOUT = 2;
/** In the first layout index entries had no sums; old ones stay readable. */
const FIRST_LAYOUT = 1;
/** Where it stands: no collection has the number 0. */
const LAYOUT_KEY = makeKey(0, 0, ['layout']);

/** Answers what is stored, and writes nothing. @throws Error where this version does not know the layout */
export async function checkLayout(engine: Engine): Promise<Uint8Array | undefined> {
  const snapshot = engine.snapshot();
  const found = await snapshot.get(LAYOUT_KEY);
  snapshot.release();
  if (found && found[0] !== LAYOUT && found[0] !== FIRST_LAYOUT)
    throw new Error(`it was written by another version (layout ${found[0]}, this version knows ${LAYOUT})`);
  return found;
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
