import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Config, ConfigError, type LoadedConfig, loadConfig } from './config/config.ts';
import { environment, prepareHeaderLimit } from './config/environment.ts';
import type { KeyStock } from './crypto/key-stock.ts';
import { keyWidth, signingWidth } from './crypto/lane-limits.ts';
import type { CryptoPool } from './crypto/pool.ts';
import { servePool } from './crypto/port.ts';
import type { Uploads } from './crypto/upload.ts';
import { mostConnections, openFilesLimit } from './http/connection-limit.ts';
import { HttpFront } from './http/front.ts';
import { listenAddress, probePort } from './http/probe-port.ts';
import { ThreadDesk } from './http/thread-desk.ts';
import type { ThreadPlan } from './http/thread-messages.ts';
import { JobsThread } from './jobs/jobs-thread.ts';
import type { JobsPlan } from './jobs/thread.ts';
import { type Close, closeAll } from './observe/close-all.ts';
import { Counters } from './observe/counters.ts';
import { endAtOnce, endWhenLost } from './observe/end-at-once.ts';
import { watchGauges } from './observe/gauges.ts';
import { type Log, openLog } from './observe/log.ts';
import { watchReaders } from './observe/readers.ts';
import { Changes } from './store/changes.ts';
import type { Store } from './store/store.ts';
import { ThreadWatch } from './watch-threads.ts';

/** Requests in flight get 5 s, jobs the rest of their batch; what hangs longer is cut off, which the store survives. */
const STOP_LIMIT_MS = 15_000;
/** Of HTTP threads and the jobs thread, whose short-lived garbage is small. With 32 MB, a minute of full load left 250 MB behind, and 343 MB with Node 24; now 195 and 295. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };

/** How to close what is open; closed from the newest to the oldest. */
const opened: Close[] = [];
let stopping = false;

/**
 * Opens everything, and says so on standard output when all threads listen. The HTTP threads are started first and load while main
 * loads pool and store, which it therefore imports here; they listen when the base tenant is there. What no request waits for comes last.
 */
async function start(loaded: LoadedConfig, log: Log, watch: ThreadWatch): Promise<void> {
  const { config, testMode, warnings } = loaded;
  mostConnections(openFilesLimit(), httpThreads(config));
  for (const warning of warnings) log.warn(warning);
  if (testMode) log.warn('test mode: limits that protect production are lifted; never serve users like this');
  const loading = openCrypto(config);
  opened.push(async () => {
    const { pool, keyPairs } = await loading;
    keyPairs.close();
    await pool.close();
  });
  const changes = Changes.allocate();
  const opening = openMainStore(loaded, changes, log);
  // A store that cannot be opened says so below.
  opened.push(async () => (await opening.catch(() => undefined))?.close());
  const main = new Counters(Counters.allocate());
  const generation = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  let jobs: JobsThread | undefined;
  const shared: Shared = {
    loading,
    serving: openPortServer(loading, opening),
    main,
    jobs: Counters.allocate(),
    jobsRestarts: () => jobs?.restarts ?? 0,
    generation,
    changes,
    watch,
  };
  // After the front: whatever jobs are busy with, nothing new is accepted, and requests in flight have their time.
  opened.push(() => jobs?.stop());
  const front = openFront(loaded, shared, log);
  const [store] = await Promise.all([opening, shared.serving, probePort(listenAddress(config.host), config.port)]);
  const port = await front.listen();
  if (stopping) return;
  process.stdout.write(`Started Watchword on ${config.host}:${port} with PID: ${process.pid}\n`);
  const { keyPairs } = await loading;
  keyPairs.open();
  opened.push(() => keyPairs.shut());
  if (!store) return;
  opened.push(
    watchReaders(
      main,
      () => store.readers(),
      (error) => log.error({ err: error }, 'looking for readers of the store failed'),
    ),
  );
  opened.push(watchGauges(main, { store: () => store.stats(), inFlight: () => 0 }));
  jobs = openJobs(loaded, shared, log);
}

/** A memory store belongs to one thread. */
function httpThreads(config: Config): number {
  return config.store_engine === 'memory' ? 1 : config.http_threads;
}

/** What the process has one of. */
interface SharedCrypto {
  readonly pool: CryptoPool;
  readonly keyPairs: KeyStock;
}

async function openCrypto(config: Config): Promise<SharedCrypto> {
  const [{ CryptoPool }, { KeyStock }, { generateRsaKeyPair }] = await Promise.all([
    import('./crypto/pool.ts'),
    import('./crypto/key-stock.ts'),
    import('./crypto/rsa-keys.ts'),
  ]);
  const pool = new CryptoPool({
    argon2PoolSize: config.argon2_hashing_pool_size,
    firebasePoolSize: config.firebase_password_hashing_pool_size,
  });
  const width = keyWidth(availableParallelism());
  return { pool, keyPairs: new KeyStock({ makeNow: generateRsaKeyPair, makeQuietly: () => pool.makeKeyPair(), width }) };
}

/** A memory store belongs to the one thread that serves it; any other is opened here first, to check the folder and to create the base tenant. */
async function openMainStore({ config }: LoadedConfig, changes: SharedArrayBuffer, log: Log): Promise<Store | undefined> {
  if (config.store_engine === 'memory') return undefined;
  const [{ openStore }, { ensureBaseTenant }] = await Promise.all([
    import('./store/open-store.ts'),
    import('./recipes/tenants/ensure-base-tenant.ts'),
  ]);
  const store = await openStore({ engine: config.store_engine, path: config.data_dir, changes, onLost: endWhenLost(log) });
  try {
    await ensureBaseTenant(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Answers how to serve the port of an HTTP thread, once pool and store are open. */
async function openPortServer(loading: Promise<SharedCrypto>, opening: Promise<Store | undefined>): Promise<(port: MessagePort) => void> {
  const [{ pool, keyPairs }, store, { openUploads }] = await Promise.all([
    loading,
    opening,
    import('./recipes/bulk-import/keep-upload.ts'),
  ]);
  const uploads = store ? openUploads(pool, store, Date.now) : NO_UPLOADS;
  return (port) => servePool({ pool, uploads, keyPairs }, port);
}

/** Of a store in the memory of another thread. */
const NO_UPLOADS: Uploads = { takeUpload: () => Promise.reject(new Error('main cannot reach a memory store')) };

/** The thread for jobs and imports, which no request waits for. A memory store is out of its reach. */
function openJobs(loaded: LoadedConfig, { serving, generation, changes, jobs, watch }: Shared, log: Log): JobsThread {
  const begin = (pulse: SharedArrayBuffer): Worker => {
    const cryptoPort = openPort(serving);
    const plan: JobsPlan = { name: 'jobs', loaded, cryptoPort, generation, changes, counters: jobs, pulse, mainPulse: watch.main };
    return new Worker(new URL('jobs/thread.js', import.meta.url), {
      workerData: plan,
      transferList: [cryptoPort],
      resourceLimits: THREAD_LIMITS,
    });
  };
  return new JobsThread(
    () => watch.spawn('jobs', begin),
    (reason) => log.error({ reason }, 'the jobs thread ended, starting another'),
  );
}

/** Another thread's end of a port to the pool. What is asked before it is served waits in the port; a start that fails says why itself. */
function openPort(serving: Shared['serving']): MessagePort {
  const { port1: ours, port2: theirs } = new MessageChannel();
  void serving.then(
    (serve) => serve(ours),
    () => {},
  );
  return theirs;
}

/** What main shares with its threads. */
interface Shared {
  readonly loading: Promise<SharedCrypto>;
  /** Serves the port of a thread. */
  readonly serving: Promise<(port: MessagePort) => void>;
  readonly main: Counters;
  /** Memory of the counters of the jobs thread. */
  readonly jobs: SharedArrayBuffer;
  readonly jobsRestarts: () => number;
  /** See `DirectoryParts`. */
  readonly generation: SharedArrayBuffer;
  /** See `Changes`. */
  readonly changes: SharedArrayBuffer;
  readonly watch: ThreadWatch;
}

function openFront(loaded: LoadedConfig, shared: Shared, log: Log): HttpFront {
  const { loading, serving, main, jobs, jobsRestarts, generation, changes, watch } = shared;
  const { config } = loaded;
  const threads = httpThreads(config);
  const connections = {
    memory: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    most: mostConnections(openFilesLimit(), threads),
  };
  const width = signingWidth(availableParallelism(), threads);
  const memories = Array.from({ length: threads }, () => Counters.allocate());
  const begin = (name: string, counters: SharedArrayBuffer, pulse: SharedArrayBuffer): Worker => {
    const cryptoPort = openPort(serving);
    const memory = { generation, changes, connections, counters, pulse, mainPulse: watch.main };
    const plan: ThreadPlan = { name, loaded, cryptoPort, signingWidth: width, ...memory };
    return new Worker(new URL('http/thread.js', import.meta.url), {
      workerData: plan,
      transferList: [cryptoPort],
      resourceLimits: THREAD_LIMITS,
    });
  };
  const spawn = (index: number): Worker => {
    const name = `http-${index}`;
    return watch.spawn(name, (pulse) => begin(name, memories[index] ?? Counters.allocate(), pulse));
  };
  const desk = new ThreadDesk(
    {
      threads: memories.map((memory) => new Counters(memory)),
      others: { main, jobs: new Counters(jobs) },
      lanes: async () => (await loading).pool.counters(),
      restarts: () => ({ http: front.restarts, jobs: jobsRestarts() }),
    },
    () => !stopping,
  );
  const front = new HttpFront({ threads, port: config.port, spawn, onMessage: (message, reply) => desk.accept(message, reply), log });
  opened.push(() => front.stop());
  return front;
}

/** Closes everything in reverse order and ends the process. */
async function stop(code: number, log: Log, watch: ThreadWatch): Promise<void> {
  stopping = true;
  watch.stopping();
  setTimeout(() => endAtOnce(log, {}, 'stopping took too long, ending at once'), STOP_LIMIT_MS).unref();
  await closeAll(opened, log);
  log.debug('everything is closed');
  process.exit(code);
}

/** The last words of a start that failed: what is wrong, one fault a line, without a stack. */
function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof ConfigError ? `Watchword cannot start with this configuration:\n${text}\n` : `Watchword cannot start: ${text}\n`;
}

function readConfig(): LoadedConfig {
  try {
    return loadConfig({ argv: process.argv.slice(2), env: environment(), cwd: process.cwd() });
  } catch (error) {
    process.stderr.write(explain(error));
    process.exit(1);
  }
}

async function run(): Promise<void> {
  // What is written here holds password hashes and private keys: nobody but the user it runs as may read it.
  process.umask(0o077);
  const loaded = readConfig();
  prepareHeaderLimit();
  const { log_level: level, info_log_path: infoPath, error_log_path: errorPath } = loaded.config;
  const log = openLog({ level, infoPath, errorPath, thread: 'main' });
  const watch = new ThreadWatch(log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return;
      log.info({ signal }, 'stopping');
      void stop(0, log, watch);
    });
  // Without this it would end the process at once: the terminal that it was started from is closed, or somebody hopes for a reload.
  process.on('SIGHUP', () => log.info({ signal: 'SIGHUP' }, 'ignored: configuration is read at start only'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'the main thread failed');
    if (!stopping) void stop(1, log, watch);
  });
  try {
    await start(loaded, log, watch);
  } catch (error) {
    if (stopping) return;
    process.stderr.write(explain(error));
    await stop(1, log, watch);
  }
}

void run();
