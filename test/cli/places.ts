import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { type Ended, type RunOptions, watchword } from '../transfer/program.ts';

/** The configured API key of the core. */
export const KEY = 'a-key-of-twenty-letters';

/** Runs a command somewhere. */
export type RunThere = (words: readonly string[], options?: RunOptions) => Promise<Ended>;

/** A core and its folder, as commands reach them. */
export interface Places {
  readonly folder: string;
  core(): RunningCore;
  readonly onCore: RunThere;
  readonly onFolder: RunThere;
}

/** Starts a core for the tests of a file, with a data folder beside which files may be put. */
export function withPlaces(env: Readonly<Record<string, string>> = {}): Places {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-cli-'));
  const dataDir = join(folder, 'data');
  let running: RunningCore | undefined;
  beforeAll(async () => {
    running = await startCore({ dataDir, env: { API_KEYS: KEY, ...env } });
  });
  afterAll(async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const core = (): RunningCore => {
    if (!running) throw new Error('the core does not run yet');
    return running;
  };
  return {
    folder,
    core,
    onCore: (words, options = {}) =>
      watchword([...words, '--url', core().url], { ...options, env: { WATCHWORD_API_KEY: KEY, ...options.env } }),
    onFolder: (words, options = {}) => watchword([...words, '--data-dir', dataDir], { ...options, env: { ...env, ...options.env } }),
  };
}
