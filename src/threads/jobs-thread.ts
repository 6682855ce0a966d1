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
import { oldestPending } from '../recipes/audit/seal.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { Outbound } from '../outbound/outbound.ts';
import { startImports } from '../recipes/bulk-import/worker.ts';
import type { BackupSaver } from '../recipes/backups.ts';
import type { Job } from '../recipes/recipe.ts';
import { COLLECTIONS, JOBS } from '../recipes/recipes.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { WebhookDeliverer } from '../recipes/webhooks/deliverer.ts';
import { openStore } from '../store/open-store.ts';
import { Thread } from './thread.ts';

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
  opened.push(watchGauges(counters, { store: () => store.stats(), inFlight: () => 0 }));
  const directory = new DirectoryCache({ store, base: config, generation: plan.generation });
  thread.reloading.push((next) => directory.use(next));
  opened.push(directory.startPolling((error) => log.error({ err: error }, 'looking for changes of tenants failed')));
  const trail = new AuditTrail(() => thread.loaded.config.audit_trail, randomBytes);
  const deliverer = webhookDeliverer();
  const runner = new JobRunner([...JOBS.map(noted), ...backupJobs(main), noted(deliverer.job, WEBHOOKS)], {
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
  const onRound = (isRunning: boolean): void => (isRunning ? pulse.begin(IMPORTS) : pulse.end(IMPORTS));
  opened.push(startImports({ store, directory, trail, passwords: main, now: Date.now, onRound }, config, onImportFault));
}

/** Sends events to webhooks, with the way outside that the configuration allows. */
function webhookDeliverer(): WebhookDeliverer {
  const outbound = new Outbound({ allowPrivate: () => thread.loaded.config.webhook_allow_private });
  opened.push(() => outbound.close());
  const add = (gauge: GaugeName, more: number): void => counters.setGauge(gauge, counters.gauge(gauge) + more);
  return new WebhookDeliverer({
    post: (message) => outbound.post(message),
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
function backupJobs(main: BackupSaver): readonly Job[] {
  const { backup_dir: folder, backup_every: every, backup_keep: keep } = config;
  if (folder === null) return [];
  opened.push(watchBackups(counters, () => lastBackup(folder)));
  try {
    checkBackupFolder(folder);
  } catch (error) {
    // Long before the first of them is due.
    log.error({ err: error }, 'no backups can be made in backup_dir');
  }
  const job = noted(backupJob({ folder, every, keep }, main), BACKUPS);
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

/** A job that shows in the pulse of the thread while it runs. */
function noted<S>(job: Job<S>, number: number): Job<S> {
  return {
    ...job,
    run: async (services, limit) => {
      pulse.begin(number);
      try {
        return await job.run(services, limit);
      } finally {
        pulse.end(number);
      }
    },
  };
}

thread.start(open);
