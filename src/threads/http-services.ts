import { randomUUID } from 'node:crypto';
import { isOnList } from '../blocklist/blocklist.ts';
import { Randomness } from '../crypto/randomness.ts';
import { LaneFullError } from '../lanes/lane-errors.ts';
import type { TaskPort } from '../lanes/port.ts';
import type { SigningLane } from '../lanes/signing-lane.ts';
import { openThreadCrypto } from '../lanes/thread-crypto.ts';
import { endWhenLost } from '../observe/end-at-once.ts';
import { ActivityRecorder } from '../recipes/active-users/touch.ts';
import { openUploads } from '../recipes/bulk-import/keep-upload.ts';
import { readUpload } from '../recipes/bulk-import/read-upload.ts';
import { startSealing } from '../recipes/audit/seal.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { startImports } from '../recipes/bulk-import/worker.ts';
import type { ServerInfo, Services } from '../recipes/context.ts';
import { USER_DATA } from '../recipes/recipes.ts';
import { VerifiedTokens } from '../recipes/session-records/verified-tokens.ts';
import { openSigningKeys } from '../recipes/signing-keys/signing-keys.ts';
import { DailyStatistics } from '../recipes/statistics/daily-statistics.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { KeyUses } from '../recipes/tenants/key-uses.ts';
import { ensureBaseTenant } from '../recipes/tenants/ensure-base-tenant.ts';
import { openStore } from '../store/open-store.ts';
import { isShared } from '../store/plan.ts';
import { NotKept, type Store } from '../store/store.ts';
import { lostOutcome } from '../store/unavailable.ts';
import { HTTP_TASKS, type HttpTasks, type MainTasks } from './main-tasks.ts';
import type { Thread } from './thread.ts';

/** Characters of token text that a thread remembers: about 20,000 tokens of usual size. */
const VERIFIED_TOKENS_SIZE = 16_000_000;

/** Whether an error says that something is busy or out of reach, not that something is wrong. */
function isOutage(error: unknown): boolean {
  return error instanceof LaneFullError || error instanceof NotKept || lostOutcome(error) !== undefined;
}

/** What an HTTP thread has open. */
interface OpenServices {
  readonly services: Services;
  readonly main: HttpTasks;
  readonly port: TaskPort<MainTasks>;
}

function connect(thread: Thread): Pick<OpenServices, 'port' | 'main'> {
  const port = thread.connect();
  return { port, main: port.tasks(...HTTP_TASKS) };
}

/** Opens what the verbs of an HTTP thread work with, and what main does for it. */
export async function openServices(thread: Thread, signing: SigningLane): Promise<OpenServices> {
  const { log, opened, plan } = thread;
  const { config, testMode } = thread.loaded;
  const store = await openThreadStore(thread);
  opened.push(() => store.close());
  const { port, main } = connect(thread);
  const dropped = (error: unknown, text: string): void => log[isOutage(error) ? 'debug' : 'error']({ err: error }, text);
  const random = new Randomness();
  const crypto = openThreadCrypto(main, signing);
  const trail = new AuditTrail(
    () => thread.loaded.config.audit_trail,
    (size) => random.bytes(size),
  );
  const keys = openSigningKeys({
    store,
    crypto,
    trail,
    now: Date.now,
    randomBytes: (size) => random.bytes(size),
    testMode,
    // Background work that was under way when the thread was told to end is left to others.
    onFault: (error) => !thread.isEnding() && log.error({ err: error }, 'making signing keys failed'),
  });
  const directory = new DirectoryCache({
    store,
    base: config,
    generation: plan.generation,
    onLoaded: (tenant) => keys.prepare(() => tenant),
  });
  thread.reloading.push((next) => directory.use(next));
  opened.push(directory.startPolling((error) => log.error({ err: error }, 'looking for changes of tenants failed')));
  // Queues of a store that others can open too are filled by main, and worked on by the jobs thread.
  const isAlone = !isShared(plan.store);
  const onFault = (error: unknown): void => log.error({ err: error }, 'importing users failed');
  if (isAlone) opened.push(startImports({ store, directory, trail, passwords: main, now: Date.now }, config, onFault));
  // Jobs do not run on such a store, but webhooks and `watchword audit` read what is sealed.
  if (isAlone) opened.push(startSealing(store, Date.now, (error) => dropped(error, 'sealing the audit trail failed')));
  const statistics = new DailyStatistics((tally) => thread.counters.tally(tally));
  opened.push(statistics.startFlushing(store, (error) => dropped(error, 'writing the statistics of the day failed')));
  const services: Services = {
    store,
    crypto,
    backups: main,
    uploads: isAlone ? openUploads({ readUpload: async (body, rules) => readUpload(body, rules) }, store, Date.now) : main,
    directory,
    keys,
    statistics,
    activity: new ActivityRecorder(testMode, statistics, (error) => dropped(error, 'writing when a user was active failed')),
    userData: USER_DATA,
    server: serverInfo(thread, main),
    trail,
    keyUses: new KeyUses(store, (error) => dropped(error, 'writing when an API key was used failed')),
    verifiedTokens: new VerifiedTokens(VERIFIED_TOKENS_SIZE),
    isBlockedPassword: (password) => isOnList(thread.loaded.blocklist, password),
    now: Date.now,
    randomBytes: (size) => random.bytes(size),
    randomId: randomUUID,
    randomUnit: () => random.unit(),
    testMode,
    debug: (fields, text) => log.debug(fields, text),
    dropped,
  };
  return { services, main, port };
}

function serverInfo(thread: Thread, { reload, requestStats, overview }: HttpTasks): ServerInfo {
  const { configFile: configPath } = thread.loaded;
  return { pid: process.pid, configPath, configuration: () => thread.loaded, reload, requestStats, overview };
}

async function openThreadStore({ plan, log }: Thread): Promise<Store> {
  const store = await openStore(plan.store, { onLost: endWhenLost(log) });
  // Of a store that others can open too, main did it.
  if (!isShared(plan.store)) await ensureBaseTenant(store);
  return store;
}
