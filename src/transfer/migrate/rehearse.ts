import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../config/environment.ts';
import { openStore } from '../../store/open-store.ts';
import { planFolder } from '../../store/plan.ts';
import { MigrateFault } from './fault.ts';
import { lossesIn, writeLosses } from './losses.ts';
import type { MigratePlan } from './migrate-plan.ts';
import type { Report } from './report.ts';
import { type MigrateParts, runMigrate, sourceOf } from './run-migrate.ts';
import { compareSamples } from './samples.ts';
import { endMove, forgetMove } from './target.ts';
import { writeConfig } from './write-config.ts';

/** What a rehearsal found, besides the report of a move. */
export interface Rehearsal extends Report {
  /** Rows that cannot be moved. */
  readonly losses: number;
  /** Things that were read back from a core, by what they are. */
  readonly compared: Readonly<Record<string, number>>;
  /** What a core on the new store answers otherwise. */
  readonly differences: readonly string[];
  /** Seconds of a second pass: so long the last one takes at least. */
  readonly secondsAgain: number;
}

/** Moves everything into a throw-away store, starts a core on it, and reads a sample back. @throws MigrateFault */
export async function rehearse(plan: MigratePlan, parts: MigrateParts): Promise<Rehearsal> {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-rehearsal-'));
  try {
    const files = { ...plan.files, config: join(folder, 'config.yaml') };
    const here: MigratePlan = { ...plan, mode: 'copy', to: planFolder(folder), files };
    const report = await runMigrate(here, parts);
    const again = await runMigrate(here, parts, { ...sourceOf(here), trusting: true });
    const losses = await openForCore(here);
    writeConfig(here);
    const { compared, differences } = await readBack(here, folder, files.config);
    return { ...report, losses, compared, differences, secondsAgain: again.seconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lets a core start on the store; answers how many rows are lost. */
async function openForCore({ to, files }: MigratePlan): Promise<number> {
  const store = await openStore(to);
  try {
    const losses = await lossesIn(store);
    await writeLosses(files.losses, losses);
    await endMove(store);
    await forgetMove(store);
    return losses.length;
  } finally {
    await store.close();
  }
}

/** The core of this very program. Nothing of the old core's files is touched, and nothing is imported meanwhile. */
async function readBack(plan: MigratePlan, folder: string, config: string): Promise<Pick<Rehearsal, 'compared' | 'differences'>> {
  const options = ['--port', '0', '--host', '127.0.0.1', '--data-dir', folder, '--config', config];
  const quiet = ['--info-log-path', 'null', '--error-log-path', 'null', '--bulk-migration-cron-enabled', 'false', '--http-threads', '1'];
  const core = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'start', ...options, ...quiet], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(core, 'exit');
  try {
    const url = await readyUrl(core.stdout, core.stderr, ended);
    return await compareSamples(sourceOf(plan), url);
  } finally {
    core.kill('SIGTERM');
    await ended;
  }
}

const READY = /^Started Watchword on (\S+) with PID/m;

async function readyUrl(output: NodeJS.ReadableStream, errors: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<URL> {
  let said = '';
  const ready = new Promise<URL>((resolve) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, address] = READY.exec(said) ?? [];
      if (address !== undefined) resolve(new URL(`http://${address}`));
    };
    output.on('data', listen);
    errors.on('data', listen);
  });
  const failed = ended.then(() => {
    throw new MigrateFault(`No core starts on what was moved: ${said.trim().split('\n').slice(0, 3).join(' ')}`);
  });
  return Promise.race([ready, failed]);
}
