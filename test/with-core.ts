import { afterAll, beforeAll } from 'vitest';
import { type CoreOptions, type RunningCore, startCore } from './running-core.ts';

/** A core for the tests of a file or group: started before them and stopped after them. @param begun told when it runs */
export function withCore(options: CoreOptions, begun: (core: RunningCore) => unknown): void {
  let core: RunningCore | undefined;
  beforeAll(async () => {
    core = await startCore(options);
    await begun(core);
  });
  afterAll(async () => {
    await core?.stop();
  });
}
