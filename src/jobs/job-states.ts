import type { JobOutcome, JobState } from '../recipes/overview.ts';
import { JOBS } from '../recipes/recipes.ts';
import type { Reader } from '../store/store.ts';
import { type Lease, leases } from './runner.ts';
import { BACKUP_JOB } from './scheduled-backups.ts';
import { WORKS } from './works.ts';

/** More than there are jobs. */
const MOST = 1_000;

/** How often a job runs, ms; undefined for those that run whenever they have work. */
export type Schedule = ReadonlyMap<string, number | undefined>;

/** The jobs of a core. @param backupsEveryMs undefined where it makes none by itself */
export function scheduleOf(backupsEveryMs: number | undefined): Schedule {
  const schedule = new Map(JOBS.map(({ name, everyMs, hasWork }) => [name, hasWork ? undefined : everyMs]));
  return schedule.set(BACKUP_JOB, backupsEveryMs);
}

/** What became of each job that this store has met, in the whole cluster. @param now by the clock of the leases, ms */
export async function readJobs(reader: Reader, schedule: Schedule, now: number): Promise<readonly JobState[]> {
  const met = await reader.list(leases, undefined, { prefix: [], limit: MOST });
  // Another version may have had other jobs.
  return met.filter(({ job }) => WORKS.includes(job)).map((lease) => stateOf(lease, schedule.get(lease.job), now));
}

function stateOf(lease: Lease, everyMs: number | undefined, now: number): JobState {
  const { job: name, ranAt, startedAt, fault } = lease;
  const state = outcomeOf(lease, now);
  return {
    name,
    state,
    ...(startedAt !== undefined && { startedAt }),
    ...((state === 'done' || state === 'failed') && { endedAt: ranAt }),
    ...(everyMs !== undefined && state !== 'running' && { nextAt: ranAt + everyMs }),
    ...(state === 'failed' && fault !== undefined && { fault }),
  };
}

function outcomeOf({ holder, heldUntil, startedAt, fault }: Lease, now: number): JobOutcome {
  if (holder !== '') return heldUntil > now ? 'running' : 'cut-off';
  if (startedAt === undefined) return 'waiting';
  return fault === undefined ? 'done' : 'failed';
}
