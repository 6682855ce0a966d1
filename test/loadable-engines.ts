import { type EngineName, loadEngine } from '../src/http/engine.ts';

const loads = (name: EngineName): Promise<boolean> =>
  loadEngine(name, () => {}).then(
    () => true,
    () => false,
  );

/** The HTTP engines that load with this Node on this machine; `node` does everywhere. */
export const LOADABLE_ENGINES: readonly EngineName[] = (await loads('uws')) ? ['uws', 'node'] : ['node'];
