import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from './running-core.ts';

/** The clock of a core that another process runs. */
export interface MovedClock {
  /** For the core's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How far it is ahead of the machine's; a running core knows it within 100 ms. */
  setAhead(ms: number): void;
  remove(): void;
}

export function movedClock(ms = 0): MovedClock {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-clock-'));
  const file = join(folder, 'ahead');
  // Renamed, so that nobody reads half of it.
  const setAhead = (ahead: number): void => {
    writeFileSync(`${file}.new`, String(ahead));
    renameSync(`${file}.new`, file);
  };
  setAhead(ms);
  return {
    env: { CLOCK_AHEAD_FILE: file, NODE_OPTIONS: `--require ${join(PROJECT_ROOT, 'test', 'moved-clock.cjs')}` },
    setAhead,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
