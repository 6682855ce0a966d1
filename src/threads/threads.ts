import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Config, ConfigSources } from '../config/config.ts';
import type { Reloaded } from '../config/reload.ts';
import { mostConnections, openFilesLimit } from '../http/connection-limit.ts';
import { signingWidth } from '../lanes/lane-limits.ts';
import { serveTasks } from '../lanes/port.ts';
import { Counters } from '../observe/counters.ts';
import type { OpenLog } from '../observe/log.ts';
import type { Collector } from '../observe/traces/collector.ts';
import { isShared, type StorePlan } from '../store/plan.ts';
import type { Store } from '../store/store.ts';
import { BackupDesk } from './backups.ts';
import type { News } from './messages.ts';
import { HttpFront } from './http-front.ts';
import { openMainTasks } from './main-tasks.ts';
import type { HttpPart, InForce, ThreadPlan } from './plan.ts';
import { Reloader } from './reloader.ts';
import { SupervisedThread } from './supervised-thread.ts';
import { ThreadDesk } from './thread-desk.ts';
import type { ThreadWatch } from './watch-threads.ts';
import type { Workers } from './workers.ts';

/** Little of their garbage is short-lived: a minute of full load left 195 MB (Node 24: 295); with 32, 250 (343). */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };

/** What main gives its threads, and what it opens while they load. */
export interface ThreadsParts {
  readonly loaded: InForce;
  /** Where that was read from, and is read from again at a reload. */
  readonly sources: ConfigSources;
  readonly loading: Promise<Workers>;
  /** Without a store when that is in the memory of the HTTP thread. */
  readonly opening: Promise<Store | undefined>;
  readonly storePlan: StorePlan;
  /** Of main itself. */
  readonly counters: Counters;
  readonly watch: ThreadWatch;
  /** Of the spans of all threads; none where nothing is traced. */
  readonly collector: Collector | undefined;
  readonly log: OpenLog;
  /** Whether the process is not about to end. */
  readonly isReady: () => boolean;
}

/** When the job of backups last ended; asked for seldom, so that no start waits for what answers it. */
async function lastBackupRun(opening: Promise<Store | undefined>): Promise<number | undefined> {
  const [store, { lastRunOf }, { BACKUP_JOB }] = await Promise.all([
    opening,
    import('../jobs/runner.ts'),
    import('../jobs/scheduled-backups.ts'),
  ]);
  return store && lastRunOf(store, BACKUP_JOB);
}

const httpThreads = (config: Config, store: StorePlan): number => (isShared(store) ? config.http_threads : 1);

/** Throws where the limit of open files is too low for the HTTP threads and a few connections. */
export function checkOpenFiles(config: Config, store: StorePlan): void {
  mostConnections(openFilesLimit(), httpThreads(config, store));
}

/** The threads beside main and the workers: started, served, and stopped. The HTTP threads begin to load at once. */
export class Threads {
  readonly #parts: ThreadsParts;
  /** What main does for threads; what they ask before that waits in the port. */
  readonly #tasks: ReturnType<typeof openMainTasks>;
  /** See `DirectoryParts`. */
  readonly #generation = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #instanceId = randomUUID();
  readonly #onNews: (news: News) => void;
  readonly #jobsCounters = Counters.allocate();
  readonly #backups: BackupDesk;
  readonly #front: HttpFront;
  readonly #reloader: Reloader;
  #jobs: SupervisedThread | undefined;

  constructor(parts: ThreadsParts) {
    const { loaded, sources, loading, opening, storePlan, counters: main, collector, isReady, log } = parts;
    this.#parts = parts;
    this.#reloader = new Reloader({ loaded, sources, log, apply: (next) => this.#apply(next) });
    const count = httpThreads(loaded.config, storePlan);
    const memories = Array.from({ length: count }, () => Counters.allocate());
    const wasReloadRefused = (): boolean => this.#reloader.wasRefused;
    const desk = new ThreadDesk({
      observed: {
        threads: memories.map((memory) => new Counters(memory)),
        others: { main, jobs: new Counters(this.#jobsCounters) },
        lanes: async () => (await loading).pool.counters(),
        spans: () => collector?.counts,
        restarts: () => ({ http: this.#front.restarts, jobs: this.#jobs?.restarts ?? 0 }),
      },
      overview: { instanceId: this.#instanceId, storePlan, opening, loaded: () => this.#reloader.loaded, wasReloadRefused },
      state: () => (isReady() ? (wasReloadRefused() ? 'reload-refused' : 'ready') : 'stopping'),
      reload: () => this.reload(),
    });
    this.#onNews = (news) => (news.kind === 'counted' ? desk.count(news.count) : collector?.add(news));
    this.#backups = new BackupDesk(storePlan, loaded.config, { now: Date.now, lastRun: () => lastBackupRun(opening) });
    this.#tasks = openMainTasks(loading, opening, desk.tasks, this.#backups.tasks);
    const connections = { memory: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), most: mostConnections(openFilesLimit(), count) };
    const part: HttpPart = { signingWidth: signingWidth(availableParallelism(), count), connections };
    const threads = memories.map((memory, index) => {
      const name = `http-${index}`;
      return { name, spawn: () => this.#spawn('http-thread', name, memory, part), onNews: this.#onNews };
    });
    this.#front = new HttpFront({ threads, port: loaded.config.port, log });
  }

  /** Resolves with the port once every HTTP thread listens, which needs the base tenant; rejects when one cannot. */
  async listen(): Promise<number> {
    await this.#tasks;
    return this.#front.listen();
  }

  /** Starts the thread for jobs and imports; not for a store of one thread, which it could not reach. */
  startJobs(): void {
    const spawn = (): Worker => this.#spawn('jobs-thread', 'jobs', this.#jobsCounters);
    this.#jobs = new SupervisedThread({ name: 'jobs', spawn, onNews: this.#onNews, log: this.#parts.log });
    void this.#jobs.work(async () => {});
  }

  /** Lets all threads forget tenants and configuration: another process changed some. */
  forgetTenants(): void {
    Atomics.add(new Int32Array(this.#generation), 0, 1);
  }

  /** Reads the configuration anew, for all threads; resolves when it is in force in them, or was refused. */
  reload(): Promise<Reloaded> {
    return this.#reloader.reload();
  }

  /** `reload`, told in the audit trail as the process's own: who sent the signal is not known. */
  async reloadBySignal(): Promise<void> {
    const reloaded = await this.reload();
    const store = await this.#parts.opening;
    if (!store) return;
    const { tellReload } = await import('./tell-reload.ts');
    await tellReload(store, this.#reloader.loaded.config, reloaded);
  }

  /** Accepts nothing new, whatever jobs are busy with, and gives requests in flight their time. */
  async stop(): Promise<void> {
    await this.#front.stop();
    await this.#jobs?.stop();
    await this.#backups.close();
  }

  async #apply(loaded: InForce): Promise<void> {
    await Promise.all([this.#front.reload(loaded), this.#jobs?.reload(loaded)]);
  }

  #spawn(file: string, name: string, counters: SharedArrayBuffer, part?: HttpPart): Worker {
    const { storePlan: store, watch } = this.#parts;
    const { loaded } = this.#reloader;
    const port = this.#openPort();
    return watch.spawn(name, (pulse) => {
      const plan: ThreadPlan = {
        name,
        loaded,
        port,
        instanceId: this.#instanceId,
        generation: this.#generation,
        store,
        counters,
        pulse,
        mainPulse: watch.main,
      };
      return new Worker(new URL(`${file}.js`, import.meta.url), {
        workerData: { ...plan, ...part },
        transferList: [port],
        resourceLimits: THREAD_LIMITS,
      });
    });
  }

  /** The other end of a port to main. A start that fails gives its own reason. */
  #openPort(): MessagePort {
    const { port1: ours, port2: theirs } = new MessageChannel();
    void this.#tasks.then(
      (tasks) => serveTasks(tasks, ours),
      () => {},
    );
    return theirs;
  }
}
