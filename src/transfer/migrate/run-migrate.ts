import { openStore } from '../../store/open-store.ts';
import { NotKept, type Store } from '../../store/store.ts';
import { lostOutcome } from '../../store/unavailable.ts';
import type { Screen } from '../progress.ts';
import { count } from '../progress.ts';
import { recordCommand } from '../record-command.ts';
import { MigrateFault } from './fault.ts';
import { acceptedIn, lossesIn, refuseLosses, writeLosses } from './losses.ts';
import type { MigratePlan } from './migrate-plan.ts';
import type { Mover } from './move-group.ts';
import { findStorage } from './open-storage.ts';
import { type Pass, runPass, type Source } from './pass.ts';
import { refuseWrites } from './refuse-writes.ts';
import { type Report, reportOf } from './report.ts';
import { Storages } from './storages.ts';
import { claimTarget, endMove, forgetMove } from './target.ts';
import { verifyMove } from './verify.ts';
import { verifyKeys } from './verify-keys.ts';
import { writeConfig } from './write-config.ts';
import { writeNoted } from './write-noted.ts';
import { writeRest } from './write-rest.ts';

/** What a move works with besides its plan. */
export interface MigrateParts {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** ms since the epoch. */
  readonly now: () => number;
}

const FOLLOW_PAUSE_MS = 2_000;
const NOT_KEPT = 'the target keeps nothing more: is its disk full, or its database away? The same command goes on where it stopped';

/** Does what was planned, but for rehearsals. @throws MigrateFault, ForeignFault, or what the store says */
export async function runMigrate(plan: MigratePlan, parts: MigrateParts, source = sourceOf(plan)): Promise<Report> {
  // Before anything is made: whether it can be read at all.
  await (await findStorage(source.storages.base)).database.close();
  const store = await openStore(plan.to);
  try {
    const run = await claimTarget(store, source.storages.base.label);
    return await runIn(store, run, plan, source, parts);
  } catch (error) {
    throw error instanceof NotKept || lostOutcome(error) ? new MigrateFault(NOT_KEPT, { cause: error }) : error;
  } finally {
    await store.close();
  }
}

/** The databases of the old core. @throws MigrateFault */
export function sourceOf({ from, base, mode }: MigratePlan): Source {
  return { storages: new Storages(from, base.storage), base, trusting: mode !== 'copy' };
}

async function runIn(store: Store, run: string, plan: MigratePlan, source: Source, parts: MigrateParts): Promise<Report> {
  // Who follows is told to stop, and ends a pass before it does.
  const mover = moverOf(store, run, plan.mode === 'follow' ? { ...parts, signal: new AbortController().signal } : parts);
  for (;;) {
    const begun = parts.screen.now();
    const pass = await runPass(mover, source, parts.now);
    try {
      const report = await reportOf(store, pass, (parts.screen.now() - begun) / 1000);
      if (plan.mode === 'finish') {
        const remarks = await finish(store, source, pass, plan, parts.now());
        parts.screen.write(
          `The move is finished after ${((parts.screen.now() - begun) / 1000).toFixed(1)} s: cores may start on the store.\n`,
        );
        const left = await leftIn(store, plan);
        await forgetMove(store);
        return { ...report, remarks: [...report.remarks, ...remarks, ...left] };
      }
      if (plan.mode === 'copy') {
        await writeLosses(plan.files.losses, await lossesIn(store));
        return { ...report, remarks: [...report.remarks, ...(await leftIn(store, plan))] };
      }
      parts.screen.write(`A pass took ${report.seconds.toFixed(1)} s and moved ${count(report.changed)} pieces that had changed.\n`);
      if (await isInterrupted(parts.signal)) return report;
    } finally {
      await pass.close();
    }
  }
}

/** Names the rows that are left behind. */
async function leftIn(store: Store, { files }: MigratePlan): Promise<readonly string[]> {
  const rows = await writeNoted(files.left, store);
  return rows === 0
    ? []
    : [`${files.left} names the ${rows === 1 ? 'row that is' : `${count(rows)} rows that are`} left behind or to be looked at, and why`];
}

function moverOf(store: Store, run: string, { screen, signal }: MigrateParts): Mover {
  let written = screen.isTerminal ? Number.NEGATIVE_INFINITY : screen.now();
  const progress = (group: string, done: number, of: number): void => {
    if (screen.now() - written < (screen.isTerminal ? 100 : 5_000)) return;
    written = screen.now();
    const text = `${group}: ${Math.floor((100 * done) / of)} %`;
    screen.write(screen.isTerminal ? `\r\u001b[2K${text}` : `${text}\n`);
  };
  return { store, run, signal, progress };
}

function isInterrupted(signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), FOLLOW_PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** What stands between the last pass and cores that start on the store. */
async function finish(store: Store, source: Source, pass: Pass, plan: MigratePlan, now: number): Promise<readonly string[]> {
  const losses = await lossesIn(store);
  // It may be the very file that is written anew.
  const accepted = plan.files.accepted === undefined ? new Set<string>() : acceptedIn(plan.files.accepted);
  await writeLosses(plan.files.losses, losses);
  refuseLosses(losses, accepted, plan.files.losses);
  verifyMove(pass.storages);
  const remarks = await verifyKeys(store, pass, now);
  await writeRest(pass.storages, plan.files.rest);
  await refuseWrites(source, pass);
  writeConfig(plan);
  await recordCommand(store, 'store.migrated', 'migrate', () => now);
  await endMove(store);
  return remarks;
}
