import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import { giveWay } from '../jobs/give-way.ts';
import { JobRunner } from '../jobs/runner.ts';
import { backupJob, checkBackupFolder, lastBackup } from '../jobs/scheduled-backups.ts';
import { BACKUPS, IMPORTS, WEBHOOKS } from '../jobs/works.ts';
import type { GaugeName } from '../observe/counters.ts';
import { endWhenLost } from '../observe/end-at-once.ts';
import { watchAudit } from '../observe/watch-audit.ts';
import { watchBackups } from '../observe/watch-backups.ts';
import { watchGauges } from '../observe/gauges.ts';
import { type Span, spanning } from '../observe/traces/span.ts';
import { TracedStore } from '../observe/traces/traced-store.ts';
import type { Traces } from '../observe/traces/traces.ts';
import { watchImportQueue } from '../observe/watch-queue.ts';
import { oldestPending } from '../recipes/audit/seal.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { waitingSince } from '../recipes/bulk-import/queue-age.ts';
import { Outbound } from '../outbound/outbound.ts';
import { startImports } from '../recipes/bulk-import/worker.ts';
import type { BackupSaver } from '../recipes/backups.ts';
import type { Job } from '../recipes/recipe.ts';
import { COLLECTIONS, JOBS } from '../recipes/recipes.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { WebhookDeliverer } from '../recipes/webhooks/deliverer.ts';
import { openStore } from '../store/open-store.ts';
import { Thread } from './thread.ts';
import { openThreadTraces } from './thread-traces.ts';

/*
 * The thread of jobs and imports, for which no request waits: it gives way to all others. It has its own store handle.
 */

const thread = new Thread();
const { plan, log, opened, counters, pulse } = thread;
const { config } = thread.loaded;

async function open(): Promise<undefined> {
  giveWay();
  const store = await openStore(plan.store, { onLost: endWhenLost(log) });
  opened.push(() => store.close());
  const main = thread.connect().tasks('hashPassword', 'saveBackup');
  const traces = await openThreadTraces(thread);
  opened.push(watchGauges(counters, { store: () => store.stats(), inFlight: () => 0, tracesSkipped: traces && (() => traces.skipped) }));
  const directory = new DirectoryCache({ store, base: config, generation: plan.generation });
  thread.reloading.push((next) => directory.use(next));
  opened.push(directory.startPolling((error) => log.error({ err: error }, 'looking for changes of tenants failed')));
  const trail = new AuditTrail(() => thread.loaded.config.audit_trail, randomBytes);
  const deliverer = webhookDeliverer(traces);
  const jobs = JOBS.map((job, number) => noted(job, number, traces));
  const runner = new JobRunner([...jobs, ...backupJobs(main, traces), noted(deliverer.job, WEBHOOKS, traces)], {
    store,
    services: (fenced) => ({ store: fenced, directory, collections: COLLECTIONS, trail, now: Date.now }),
    now: Date.now,
    randomUnit: Math.random,
    holder: randomUUID(),
    onFault: (job, error) => log.error({ err: error, job }, 'a job failed'),
  });
  const oldest = async (): Promise<number | undefined> => (await store.read((reader) => oldestPending(reader, 1)))[0]?.at;
  opened.push(watchAudit(counters, oldest, Date.now, (error) => log.error({ err: error }, 'looking at the audit trail failed')));
  runner.start();
  opened.push(() => runner.stop());
  // Before that: while attempts are under way, the lease must stay here.
  opened.push(() => deliverer.stop());
  const onImportFault = (error: unknown): void => log.error({ err: error }, 'importing users failed');
  opened.push(
    startImports({ store, directory, trail, passwords: main, now: Date.now, onRound: importRounds(traces) }, config, onImportFault),
  );
  opened.push(watchImportQueue(counters, () => waitingSince(store), onQueueFault));
}

const onQueueFault = (error: unknown): void => log.debug({ err: error }, 'looking for users who wait to be imported failed');

/** Shows a piece of work in the pulse of the thread, in its counters, and as a span where it is traced. */
interface Shown {
  readonly span: Span | undefined;
  ended(status: typeof DONE | typeof FAILED): void;
}

/** Work is counted like requests, by what stands for their statuses. */
const DONE = 200;
const FAILED = 500;

function show(number: number, name: string, traces: Traces | undefined): Shown {
  pulse.begin(number);
  const startedAt = performance.now();
  const span = traces?.work(name);
  const ended = (status: number): void => {
    pulse.end(number);
    counters.add(number, status, (performance.now() - startedAt) * 1e3);
    span?.end();
  };
  return { span, ended };
}

/** Rounds of imports, of which one runs at a time. What goes wrong in one is logged, and tried again. */
function importRounds(traces: Traces | undefined): (isRunning: boolean) => void {
  let round: Shown | undefined;
  return (isRunning) => {
    if (isRunning) round = show(IMPORTS, 'import round', traces);
    else round?.ended(DONE);
  };
}

/** Sends events to webhooks, with the way outside that the configuration allows. */
function webhookDeliverer(traces: Traces | undefined): WebhookDeliverer {
  const outbound = new Outbound({ allowPrivate: () => thread.loaded.config.webhook_allow_private });
  opened.push(() => outbound.close());
  const add = (gauge: GaugeName, more: number): void => counters.setGauge(gauge, counters.gauge(gauge) + more);
  return new WebhookDeliverer({
    post: (message) => {
      // Nothing of where it leads: that may hold keys.
      const span = traces?.work('webhook');
      return span ? spanning(span, () => outbound.post(message)) : outbound.post(message);
    },
    elapsed: () => performance.now(),
    randomUnit: Math.random,
    idle: (ms) => later(ms),
    report: ({ lagMs, dead }) => {
      counters.setGauge('webhookLagSeconds', lagMs / 1e3);
      counters.setGauge('webhookDeadLetters', dead);
    },
    count: ({ delivered, again, dead }) => {
      add('webhooksDelivered', delivered);
      add('webhooksFailed', again);
      add('webhooksGivenUp', dead);
    },
  });
}

/** The job that makes backups, where the configuration asks for them. */
function backupJobs(main: BackupSaver, traces: Traces | undefined): readonly Job[] {
  const { backup_dir: folder, backup_every: every, backup_keep: keep } = config;
  if (folder === null) return [];
  opened.push(watchBackups(counters, () => lastBackup(folder)));
  try {
    checkBackupFolder(folder);
  } catch (error) {
    // Long before the first of them is due.
    log.error({ err: error }, 'no backups can be made in backup_dir');
  }
  const job = noted(backupJob({ folder, every, keep }, main), BACKUPS, traces);
  const run: Job['run'] = async (services, limit) => {
    try {
      return await job.run(services, limit);
    } catch (error) {
      counters.setGauge('backupFailures', counters.gauge('backupFailures') + 1);
      throw error;
    }
  };
  return [{ ...job, run }];
}

/** A job that shows what it does. */
function noted(job: Job, number: number, traces: Traces | undefined): Job {
  return {
    ...job,
    run: async (services, limit) => {
      const { span, ended } = show(number, `job ${job.name}`, traces);
      try {
        const isMore = await job.run(span ? { ...services, store: new TracedStore(services.store, span) } : services, limit);
        ended(DONE);
        return isMore;
      } catch (error) {
        span?.failed(error);
        ended(FAILED);
        throw error;
      }
    },
  };
}

thread.start(open);
