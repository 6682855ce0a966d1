import { availableParallelism } from 'node:os';
import type { Passwords } from '../crypto/crypto.ts';
import { LANES } from '../lanes/lane-limits.ts';
import { ahead, batchesOf } from './batches.ts';
import type { CommandLine } from './command-line.ts';
import { CoreClient } from './core-client.ts';
import { openApp } from './data-folder.ts';
import { CoreQueue } from './core-queue.ts';
import { followQueue } from './follow-queue.ts';
import { lockImport } from './import-lock.ts';
import { type IMPORT, type ImportPlan, planImport } from './import-plan.ts';
import { type ImportIdentity, type ImportState, Journal } from './journal.ts';
import { type Batch, ImportFault, type Target } from './outcome.ts';
import { Patience } from './patience.ts';
import { count, countUsers, duration, Progress, type Screen, type Standing } from './progress.ts';
import { CoreTarget } from './send-to-core.ts';
import { type PutSetting, withSettings } from './settings.ts';
import { openUserFile, openUserStream, type UserFile } from './user-file.ts';

/** Exit codes of `watchword import`. */
const ALL_IMPORTED = 0;
const NOT_FINISHED = 1;
const SOME_REJECTED = 2;

/** What an import works with. */
interface Work {
  readonly plan: ImportPlan;
  readonly file: UserFile;
  readonly journal: Journal;
  readonly progress: Progress;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** Where users go, with what comes after the last of them. */
interface OpenTarget {
  readonly target: Target;
  /** How many of so many users given to it are done; never fewer than before. */
  readonly done: (given: number) => Promise<number>;
  /** Answers false where users may still fail that nobody waits for. */
  readonly finish: () => Promise<boolean>;
  readonly afterwards: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * `watchword import`: answers the exit code.
 * @param apiKey of the core, where there is one
 * @param put puts roles and tenants of the file into the app
 * @param signal the import stops at the next place where it can
 * @throws UsageError, ImportFault, UserFileError, ConfigError, or what the file system says
 */
export async function runImport(
  line: CommandLine<typeof IMPORT.flags>,
  apiKey: string | undefined,
  put: PutSetting,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const plan = planImport(line, apiKey);
  const opened = plan.file === '-' ? await openUserStream(process.stdin) : await openUserFile(plan.file);
  const file = withSettings(opened, plan.usersOnly ? () => Promise.resolve(undefined) : put);
  const identity: ImportIdentity = { fingerprint: file.fingerprint, target: nameOf(plan), size: plan.size };
  const unlock = lockImport(plan.files.state);
  try {
    const journal = new Journal(plan.files, file.unit, identity);
    const shown = plan.isQuiet ? { ...screen, write: () => undefined } : screen;
    return await goThrough({ plan, file, journal, progress: new Progress(shown, 'done'), screen: shown, signal }).finally(() =>
      journal.close(),
    );
  } finally {
    unlock();
  }
}

/** What the state file calls the place where the users go. */
function nameOf({ into }: ImportPlan): string {
  const parts =
    into.kind === 'core'
      ? [into.address.url.href, into.address.host, into.address.appId]
      : [into.place.dataDir, into.place.connectionUriDomain, into.place.appId];
  return parts.filter((part) => part !== undefined).join(' ');
}

async function goThrough(work: Work): Promise<number> {
  const { journal, screen, plan } = work;
  if (journal.state.isDone) {
    screen.write(`${plan.file} was imported before: ${summary(journal.state, plan)} Remove ${plan.files.state} to import it again.\n`);
    return codeOf(journal.state);
  }
  if (journal.state.place.offset > 0)
    screen.write(`Going on behind ${count(journal.state.place.passed)} ${work.file.unit === 'line' ? 'lines' : 'users'}.\n`);
  const begun = screen.now();
  const before = journal.state;
  const open = await openTarget(work);
  try {
    const isComplete = await takeAll(work, open);
    const isSettled = isComplete && (await open.finish());
    if (isSettled) journal.finish();
    if (isSettled) await open.afterwards();
    work.progress.clear();
    screen.write(told(work, before, isComplete, (screen.now() - begun) / 1000));
    return isComplete ? codeOf(journal.state) : NOT_FINISHED;
  } catch (error) {
    const isStop = work.signal.aborted && error instanceof Error && error.name === 'AbortError';
    if (!isStop) throw error;
    work.progress.clear();
    screen.write(told(work, before, false, (screen.now() - begun) / 1000));
    return NOT_FINISHED;
  } finally {
    await open.close();
  }
}

const codeOf = ({ rejected }: ImportState): number => (rejected > 0 ? SOME_REJECTED : ALL_IMPORTED);

function told({ journal, plan }: Work, before: ImportState, isComplete: boolean, seconds: number): string {
  const { state } = journal;
  const users = state.accepted + state.rejected - before.accepted - before.rejected;
  const pace = seconds >= 1 ? ` in ${duration(seconds)} (${count(Math.round(users / seconds))}/s)` : '';
  const rest = isComplete ? '' : ' Stopped; the same command goes on from here.';
  const queue = isComplete && !state.isDone ? ' The core is still importing; the same command without --no-wait waits for it.' : '';
  return `${countUsers(users)} done${pace}. ${summary(state, plan)}${queue}${rest}\n`;
}

function summary({ accepted, rejected, isDone }: ImportState, { files }: ImportPlan): string {
  const rejects = rejected === 0 ? '' : ` ${count(rejected)} ${rejected === 1 ? 'was' : 'were'} rejected, ${files.rejects} tells why.`;
  return `${countUsers(accepted)} ${accepted === 1 ? 'is' : 'are'} ${isDone ? 'imported' : 'taken over'}.${rejects}`;
}

/** Takes all batches from where the import stands; answers false if it was stopped between two of them. */
async function takeAll(work: Work, target: OpenTarget): Promise<boolean> {
  const { journal, file } = work;
  const mayBeGiven = !journal.state.isOrderly;
  journal.begin();
  let end = await takeBatches(work, target, mayBeGiven);
  while (end === 'too-large') {
    if (file.size === undefined) throw new ImportFault('The core takes fewer users at once: try a smaller --batch.');
    journal.shrink();
    end = await takeBatches(work, target, false);
  }
  journal.pause();
  return end === 'end of file';
}

/** @param mayBeGiven whether the target may have got the first batch already */
async function takeBatches(
  work: Work,
  { target, done }: OpenTarget,
  mayBeGiven: boolean,
): Promise<'end of file' | 'stopped' | 'too-large'> {
  const { file, journal, signal } = work;
  let asks = mayBeGiven;
  for await (const batch of ahead(prepared(batchesOf(file, journal.state.place, journal.state.size), target))) {
    if (signal.aborted) return 'stopped';
    if (!(await take(work, target, batch, asks))) return 'too-large';
    asks = false;
    work.progress.show(standingOf(work, await done(givenTo(work))));
  }
  return 'end of file';
}

async function* prepared(batches: AsyncIterable<Batch>, target: Target): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    await target.prepare(batch);
    yield batch;
  }
}

/** Gives the target one batch, without users that it names as wrong; answers false where it is too large. */
async function take({ journal }: Work, target: Target, whole: Batch, mayBeGiven: boolean): Promise<boolean> {
  for (let asks = mayBeGiven; ; asks = false) {
    const excluded = new Set(journal.state.excluded);
    const batch = excluded.size === 0 ? whole : { ...whole, users: whole.users.filter(({ at }) => !excluded.has(at)) };
    const known = asks ? await target.recall(batch) : undefined;
    const outcome = known ?? (await target.accept(batch));
    if (outcome.status === 'too-large') return false;
    if (outcome.status === 'accepted') {
      journal.keep(batch, outcome);
      return true;
    }
    journal.exclude(outcome.rejects);
  }
}

const givenTo = ({ journal }: Work): number => journal.state.accepted + journal.state.rejected;

/** One count for the whole import: of the users that are done, whether or not others are still to be sent. */
function standingOf(work: Work, done: number): Standing {
  const { rejected, place } = work.journal.state;
  const given = givenTo(work);
  const isWholeKnown = work.file.size !== undefined && given > 0;
  return { done, failures: rejected, part: isWholeKnown ? (place.offset / work.file.size) * (done / given) : undefined };
}

async function openTarget(work: Work): Promise<OpenTarget> {
  const { plan, journal } = work;
  const name = nameOf(plan);
  if (plan.into.kind === 'core') return openCore(work, plan.into, name);
  const { place, keepsIds } = plan.into;
  const [{ Lane }, { StoreTarget }] = await Promise.all([import('../lanes/lane.ts'), import('./write-to-store.ts')]);
  const app = await openApp(place, 'import');
  const lane = new Lane<Pick<Passwords, 'hashPassword'>>('import', LANES.import, availableParallelism());
  const crypto: Pick<Passwords, 'hashPassword'> = {
    hashPassword: (password, parameters) => lane.run('hashPassword', [password, parameters]),
  };
  const target = new StoreTarget(name, { app, crypto, keepsIds, run: journal.state.run });
  return {
    target,
    done: (given) => Promise.resolve(given),
    finish: () => Promise.resolve(true),
    afterwards: () => target.forget(),
    close: async () => {
      await lane.close();
      await app.close();
    },
  };
}

function openCore(work: Work, into: ImportPlan['into'] & { readonly kind: 'core' }, name: string): OpenTarget {
  const { journal, progress, screen, signal } = work;
  const client = new CoreClient(into.address);
  const onTrouble = (reason: string): void => {
    progress.clear();
    screen.write(`Waiting for the core: ${reason}.\n`);
  };
  const patience = new Patience({ longestMs: into.patienceMs, signal, onTrouble });
  const queue = new CoreQueue(client, patience);
  const onWaiting = (entries: number): void =>
    progress.show({ ...standingOf(work, queue.doneOf(givenTo(work), entries)), note: `${count(entries)} wait in the core's queue` });
  return {
    target: new CoreTarget(name, client, patience),
    done: (given) => (into.waits ? queue.done(given) : Promise.resolve(given)),
    finish: async () => {
      if (!into.waits) return false;
      await followQueue({ client, patience, queue, journal, signal, keepsFailed: into.keepsFailed, onWaiting });
      return true;
    },
    afterwards: () => Promise.resolve(),
    close: () => Promise.resolve(client.close()),
  };
}
