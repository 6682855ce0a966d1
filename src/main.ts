import { openConfigured } from './blocklist/configured.ts';
import { collectorAddress } from './config/collector.ts';
import { type Config, ConfigError, type ConfigSources, loadConfig } from './config/config.ts';
import { environment, prepareHeaderLimit } from './config/environment.ts';
import { listenAddress, probePort } from './http/probe-port.ts';
import { type Close, closeAll } from './observe/close-all.ts';
import { Counters } from './observe/counters.ts';
import { endAtOnce, endWhenLost } from './observe/end-at-once.ts';
import { watchGauges } from './observe/gauges.ts';
import { type Log, logOptions, type OpenLog, openLog } from './observe/log.ts';
import { watchReaders } from './observe/readers.ts';
import type { Collector } from './observe/traces/collector.ts';
import { watchSize } from './observe/watch-size.ts';
import { isShared, planStore, type StorePlan } from './store/plan.ts';
import type { Store } from './store/store.ts';
import type { InForce } from './threads/plan.ts';
import { checkOpenFiles, Threads } from './threads/threads.ts';
import { ThreadWatch } from './threads/watch-threads.ts';
import { openWorkers } from './threads/workers.ts';

/** Requests in flight get 5 s, jobs the rest of their batch; what hangs longer is cut off, which the store survives. */
const STOP_LIMIT_MS = 15_000;

/** How to close what is open; closed from the newest to the oldest. */
const opened: Close[] = [];
let stopping = false;

/**
 * Opens everything, and says so on standard output when all threads listen. The HTTP threads start first and load while
 * main loads pool and store, hence the imports here; they listen once the base tenant exists. The rest comes last.
 */
async function start(loaded: InForce, sources: ConfigSources, log: OpenLog, watch: ThreadWatch): Promise<void> {
  const { config, testMode, warnings } = loaded;
  const storePlan = planStore(config);
  checkOpenFiles(config, storePlan);
  for (const warning of warnings) log.warn(warning);
  if (testMode) log.warn('test mode: limits that protect production are lifted; never serve users like this');
  const loading = openWorkers(config);
  opened.push(async () => {
    const { pool, keyPairs } = await loading;
    keyPairs.close();
    await pool.close();
  });
  const opening = openMainStore(storePlan, log);
  // A store that cannot be opened says so below.
  opened.push(async () => (await opening.catch(() => undefined))?.close());
  const counters = new Counters(Counters.allocate());
  const collector = await openCollector(config, log);
  const isReady = (): boolean => !stopping;
  const threads = new Threads({ loaded, sources, loading, opening, storePlan, counters, watch, collector, log, isReady });
  opened.push(() => threads.stop());
  // By default it would end the process.
  process.on('SIGHUP', () => void reload(threads, log));
  const [store] = await Promise.all([
    opening,
    probePort(listenAddress(config.host), config.port),
    // 0: the admin page has no listener of its own.
    config.admin_page && probePort(listenAddress(config.admin_host), config.admin_port),
  ]);
  const port = await threads.listen();
  if (stopping) return;
  process.stdout.write(`Started Watchword on ${config.host}:${port} with PID: ${process.pid}\n`);
  const { keyPairs } = await loading;
  keyPairs.open();
  opened.push(() => keyPairs.shut());
  if (!store) return;
  const onSilence = (error: unknown): void => log.warn({ err: error }, 'changes by other nodes are polled for: no connection listens');
  const { listenToStore } = await import('./store/open-store.ts');
  const stopListening = await listenToStore(storePlan, () => threads.forgetTenants(), onSilence);
  if (stopListening) opened.push(stopListening);
  const onFault = (error: unknown): void => log.error({ err: error }, 'looking for readers of the store failed');
  const onUnknownSize = (error: unknown): void => log.debug({ err: error }, 'the store does not tell how large it is');
  opened.push(watchSize(counters, () => store.size?.(), onUnknownSize));
  opened.push(watchReaders(counters, () => store.readers(), onFault));
  opened.push(watchGauges(counters, { store: () => store.stats(), inFlight: () => 0 }));
  threads.startJobs();
}

/** Where the spans of all threads are sent, if anywhere: the last ones after the threads have ended. */
async function openCollector(config: Config, log: Log): Promise<Collector | undefined> {
  const address = collectorAddress(config);
  if (!address) return undefined;
  const { Collector } = await import('./observe/traces/collector.ts');
  const collector = new Collector(address, log);
  opened.push(() => collector.close());
  return collector;
}

/** Takes over what the configuration says now; what becomes of it stands in the log. */
async function reload(threads: Threads, log: Log): Promise<void> {
  if (stopping) return;
  log.info({ signal: 'SIGHUP' }, 'reading the configuration anew');
  try {
    await threads.reloadBySignal();
  } catch (error) {
    log.error({ err: error }, 'the reload failed');
  }
}

/** A store of one thread is left to that thread; any other is opened here to check it and create the base tenant. */
async function openMainStore(plan: StorePlan, log: Log): Promise<Store | undefined> {
  if (!isShared(plan)) return undefined;
  const [{ openStore }, { ensureBaseTenant }, { refuseUnfinishedMove }] = await Promise.all([
    import('./store/open-store.ts'),
    import('./recipes/tenants/ensure-base-tenant.ts'),
    import('./transfer/migrate/unfinished.ts'),
  ]);
  const store = await openStore(plan, { onLost: endWhenLost(log) });
  try {
    await refuseUnfinishedMove(store);
    await ensureBaseTenant(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
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

function readConfig(sources: ConfigSources): InForce {
  try {
    const loaded = loadConfig(sources);
    return { ...loaded, blocklist: openConfigured(loaded.config) };
  } catch (error) {
    process.stderr.write(explain(error));
    process.exit(1);
  }
}

async function run(): Promise<void> {
  // What is written here holds password hashes and private keys: nobody but the user it runs as may read it.
  process.umask(0o077);
  const sources = { argv: process.argv.slice(2), env: environment(), cwd: process.cwd() };
  const loaded = readConfig(sources);
  prepareHeaderLimit();
  const log = openLog(logOptions(loaded.config, 'main'));
  const watch = new ThreadWatch(log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return;
      log.info({ signal }, 'stopping');
      void stop(0, log, watch);
    });
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'the main thread failed');
    if (!stopping) void stop(1, log, watch);
  });
  try {
    await start(loaded, sources, log, watch);
  } catch (error) {
    if (stopping) return;
    process.stderr.write(explain(error));
    await stop(1, log, watch);
  }
}

void run();
