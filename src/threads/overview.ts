import { availableParallelism, hostname } from 'node:os';
import { countKeptKeys } from '../doctor/store-checks.ts';
import { thisMachine } from '../doctor/machine.ts';
import { warningsOf } from '../doctor/running-checks.ts';
import { readJobs, scheduleOf } from '../jobs/job-states.ts';
import { laneSizes } from '../lanes/lane-limits.ts';
import { type GaugeName, LATENCY_BOUNDS_SECONDS, sumRoute } from '../observe/counters.ts';
import { allLanes, type Observation } from '../observe/observation.ts';
import { cpuSeconds, STARTED_AT_SECONDS } from '../observe/series.ts';
import type { BackupFacts, JobState, LaneLoad, Overview, ProcessFacts, RequestLoad, StoreFacts, WebhookLoad } from '../recipes/overview.ts';
import { HOUR_MS } from '../recipes/recipe.ts';
import { isInFolder, type StorePlan } from '../store/plan.ts';
import type { Store } from '../store/store.ts';
import type { InForce } from './plan.ts';

/** What main gives for the overview of the process, beside what a scrape reads. */
export interface OverviewParts {
  /** Of the process; no other has it. */
  readonly instanceId: string;
  readonly storePlan: StorePlan;
  /** None where it is in the memory of the HTTP thread. */
  readonly opening: Promise<Store | undefined>;
  /** In force. */
  readonly loaded: () => InForce;
  readonly wasReloadRefused: () => boolean;
}

/** What the store knows; `keptKeys` is undefined where it cannot be read. */
interface Stored {
  readonly jobs: readonly JobState[];
  readonly keptKeys: number | undefined;
}

/** All that the process tells of itself, as it is now. @param now ms since the epoch */
export async function takeOverview(observed: Observation, parts: OverviewParts, now: number): Promise<Overview> {
  const loaded = parts.loaded();
  const store = await parts.opening;
  const [stored, lanes] = await Promise.all([readStored(store, loaded, now), lanesOf(observed)]);
  const { jobs } = observed.others;
  const backups = backupsOf(loaded, observed);
  const facts = {
    loaded,
    machine: thisMachine(now),
    isInFolder: isInFolder(parts.storePlan),
    lastBackup: backups.lastAt === undefined ? undefined : { at: backups.lastAt, bytes: backups.lastBytes ?? 0 },
    keptKeys: stored.keptKeys,
    wasReloadRefused: parts.wasReloadRefused(),
    isBlocked: store?.blockedBy() !== undefined,
    auditLagMs: jobs.gauge('auditLag') * 1e3,
    jobs: stored.jobs,
    deadLetters: jobs.gauge('webhookDeadLetters'),
  };
  const waitingSince = jobs.gauge('importQueueSince');
  return {
    at: now,
    process: processOf(observed, parts.instanceId),
    requests: requestsOf(observed),
    lanes,
    store: storeOf(observed, parts.storePlan),
    backups,
    jobs: stored.jobs,
    auditLagSeconds: jobs.gauge('auditLag'),
    importQueueSeconds: waitingSince === 0 ? 0 : Math.max(0, now / 1e3 - waitingSince),
    webhooks: webhooksOf(observed),
    warnings: warningsOf(facts),
  };
}

/** A store in the memory of a thread has neither jobs nor, as far as main can tell, keys. */
async function readStored(store: Store | undefined, { config }: InForce, now: number): Promise<Stored> {
  if (!store) return { jobs: [], keptKeys: 0 };
  const schedule = scheduleOf(config.backup_dir === null ? undefined : config.backup_every * HOUR_MS);
  try {
    return await store.read(async (reader) => {
      const [jobs, keptKeys] = await Promise.all([readJobs(reader, schedule, now), countKeptKeys(reader)]);
      return { jobs, keptKeys };
    });
  } catch {
    // Requests that need it say so in the log; here it is one of the warnings.
    return { jobs: [], keptKeys: undefined };
  }
}

function processOf({ version, threads }: Observation, id: string): ProcessFacts {
  return {
    id,
    host: hostname(),
    pid: process.pid,
    version,
    nodeVersion: process.versions.node,
    httpThreads: threads.length,
    startedAt: Math.round(STARTED_AT_SECONDS * 1e3),
    uptimeSeconds: process.uptime(),
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: cpuSeconds(),
  };
}

function requestsOf({ routes, threads }: Observation): RequestLoad {
  const loads = routes.map(({ method, path }, number) => {
    const { byStatus, byLatency, secondsSpent } = sumRoute(threads, number);
    return { method, path, byStatus, byLatency, seconds: secondsSpent };
  });
  return {
    boundsSeconds: LATENCY_BOUNDS_SECONDS,
    routes: loads.filter(({ byStatus }) => byStatus.some((count) => count > 0)),
    inFlight: threads.reduce((sum, counters) => sum + counters.gauge('inFlight'), 0),
    eventLoopDelayP99Seconds: Math.max(0, ...threads.map((counters) => counters.gauge('loopDelayP99'))),
  };
}

async function lanesOf(observed: Observation): Promise<readonly LaneLoad[]> {
  const sizes = new Map(Object.entries(laneSizes(availableParallelism(), observed.threads.length)));
  return Object.entries(await allLanes(observed)).map(([name, counted]) => {
    const { threads = 0, queue = 0 } = sizes.get(name) ?? {};
    return { name, threads, queue, ...counted };
  });
}

/** What main's gauges say where somebody has looked, and the engine knows. */
function storeOf({ threads, others }: Observation, { engine }: StorePlan): StoreFacts {
  const { main } = others;
  const isLookedAt = main.gauge('storeBytes') > 0;
  const known = (name: keyof StoreFacts, gauge: GaugeName): Partial<StoreFacts> => {
    const value = main.gauge(gauge);
    return isLookedAt && !Number.isNaN(value) ? { [name]: value } : {};
  };
  const total = (gauge: GaugeName): number =>
    [...Object.values(others), ...threads].reduce((sum, counters) => sum + counters.gauge(gauge), 0);
  return {
    engine,
    commits: total('commits'),
    conflicts: total('conflicts'),
    ...known('bytes', 'storeBytes'),
    ...known('freeBytes', 'storeFreeBytes'),
    ...known('diskFreeBytes', 'storeDiskFreeBytes'),
    readers: main.gauge('readers'),
    oldestReaderSeconds: main.gauge('oldestReaderSeconds'),
  };
}

function backupsOf({ config }: InForce, { others: { jobs } }: Observation): BackupFacts {
  const at = jobs.gauge('backupAt');
  return {
    isScheduled: config.backup_dir !== null,
    ...(at > 0 && { lastAt: Math.round(at * 1e3), lastBytes: jobs.gauge('backupBytes') }),
    failures: jobs.gauge('backupFailures'),
  };
}

function webhooksOf({ others: { jobs } }: Observation): WebhookLoad {
  return {
    lagSeconds: jobs.gauge('webhookLagSeconds'),
    deadLetters: jobs.gauge('webhookDeadLetters'),
    delivered: jobs.gauge('webhooksDelivered'),
    failed: jobs.gauge('webhooksFailed'),
    givenUp: jobs.gauge('webhooksGivenUp'),
  };
}
