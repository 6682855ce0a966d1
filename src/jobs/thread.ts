import { randomUUID } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { LoadedConfig } from '../config/config.ts';
import { connectPool } from '../crypto/port.ts';
import { type Close, closeAll } from '../observe/close-all.ts';
import { Counters } from '../observe/counters.ts';
import { endWhenLost } from '../observe/end-at-once.ts';
import { watchGauges } from '../observe/gauges.ts';
import { openLog } from '../observe/log.ts';
import { Pulse } from '../observe/pulse.ts';
import { watchMain } from '../observe/watchdog.ts';
import { startImports } from '../recipes/bulk-import/worker.ts';
import type { Job } from '../recipes/recipe.ts';
import { COLLECTIONS, JOBS } from '../recipes/recipes.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { openStore } from '../store/open-store.ts';
import { giveWay } from './give-way.ts';
import { JobRunner } from './runner.ts';
import { IMPORTS } from './works.ts';

/*
 * The thread for what no request waits for: periodic jobs and imports. It has a store handle of its own, and gives way to all that
 * somebody waits for.
 */

/** What the thread is started with. */
export interface JobsPlan {
  /** Its name in logs and metrics. */
  readonly name: 'jobs';
  readonly loaded: LoadedConfig;
  /** To the pool, which hashes the passwords of imported users. */
  readonly cryptoPort: MessagePort;
  /** Generation of tenants and configuration, shared by all threads of the process. */
  readonly generation: SharedArrayBuffer;
  /** What the threads of the process wrote into the store (`Changes`). */
  readonly changes: SharedArrayBuffer;
  /** Memory of its `Counters`. */
  readonly counters: SharedArrayBuffer;
  /** Memory of its `Pulse`. */
  readonly pulse: SharedArrayBuffer;
  /** Memory of main's `Pulse`. */
  readonly mainPulse: SharedArrayBuffer;
}

const { name, loaded, cryptoPort, generation, changes, counters, pulse: pulseMemory, mainPulse } = workerData as JobsPlan;
const { config } = loaded;
const log = openLog({ level: config.log_level, infoPath: config.info_log_path, errorPath: config.error_log_path, thread: name });
const pulse = new Pulse(pulseMemory);
/** How to close what is open; closed from the newest to the oldest. */
const opened: Close[] = [];
let isEnding = false;

async function open(): Promise<void> {
  giveWay();
  watchMain(pulse, new Pulse(mainPulse), log);
  const store = await openStore({ engine: 'lmdb', path: config.data_dir, changes, onLost: endWhenLost(log) });
  opened.push(() => store.close());
  const passwords = connectPool(cryptoPort);
  opened.push(() => passwords.close());
  opened.push(watchGauges(new Counters(counters), { store: () => store.stats(), inFlight: () => 0 }));
  const directory = new DirectoryCache({ store, base: config, generation });
  opened.push(directory.startPolling((error) => log.error({ err: error }, 'looking for changes of tenants failed')));
  const runner = new JobRunner(JOBS.map(noted), {
    store,
    services: { store, directory, collections: COLLECTIONS, now: Date.now },
    now: Date.now,
    randomUnit: Math.random,
    holder: randomUUID(),
    onFault: (job, error) => log.error({ err: error, job }, 'a job failed'),
  });
  runner.start();
  opened.push(() => runner.stop());
  const onImportFault = (error: unknown): void => log.error({ err: error }, 'importing users failed');
  const onRound = (isRunning: boolean): void => (isRunning ? pulse.begin(IMPORTS) : pulse.end(IMPORTS));
  opened.push(startImports({ store, directory, passwords, now: Date.now, onRound }, config, onImportFault));
  pulse.stage = 'running';
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

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  pulse.stage = 'ending';
  // What is opened later would never be closed.
  await opening.catch(() => {});
  await closeAll(opened, log);
  process.exit(code);
}

/** Main starts a sound thread in its place. */
function fail(error: unknown): void {
  log.error({ err: error }, 'the jobs thread cannot go on');
  void end(1);
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
parentPort?.on('message', (message: 'stop') => message === 'stop' && void end(0));
const opening = open();
opening.catch(fail);
