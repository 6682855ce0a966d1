import { prepareHeaderLimit } from '../src/config/environment.ts';
import type { EngineName } from '../src/http/engine.ts';
import { loadEngine } from '../src/http/load-engine.ts';

const loads = (name: EngineName): Promise<boolean> =>
  loadEngine(name, () => {}).then(
    () => true,
    () => false,
  );

// As main does, before the library is loaded for the first time: some of its binaries read the variable then.
prepareHeaderLimit();

/** The HTTP engines that load with this Node on this machine; `node` does everywhere. */
export const LOADABLE_ENGINES: readonly EngineName[] = (await loads('uws')) ? ['uws', 'node'] : ['node'];
