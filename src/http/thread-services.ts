import { randomUUID } from 'node:crypto';
import { USER_DATA } from '../recipes/recipes.ts';
import { LaneFullError } from '../crypto/lane-errors.ts';
import { connectPool } from '../crypto/port.ts';
import { Randomness } from '../crypto/randomness.ts';
import type { SigningLane } from '../crypto/signing-lane.ts';
import { openThreadCrypto } from '../crypto/thread-crypto.ts';
import { endWhenLost } from '../observe/end-at-once.ts';
import type { Log } from '../observe/log.ts';
import { ActivityRecorder } from '../recipes/active-users/touch.ts';
import type { Services } from '../recipes/context.ts';
import { openUploads } from '../recipes/bulk-import/keep-upload.ts';
import { readUpload } from '../recipes/bulk-import/read-upload.ts';
import { startImports } from '../recipes/bulk-import/worker.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { ensureBaseTenant } from '../recipes/tenants/ensure-base-tenant.ts';
import { openSigningKeys } from '../recipes/signing-keys/signing-keys.ts';
import { VerifiedTokens } from '../recipes/session-records/verified-tokens.ts';
import { openStore } from '../store/open-store.ts';
import { NotKept } from '../store/store.ts';
import { lostOutcome } from '../store/unavailable.ts';
import type { AskMain } from './ask-main.ts';
import type { ThreadPlan } from './thread-messages.ts';

/** Characters of token text that a thread remembers: about 20,000 tokens of usual size. */
const VERIFIED_TOKENS_SIZE = 16_000_000;

/** Whether an error says that somebody is busy or out of reach, not that something is wrong. */
function isOutage(error: unknown): boolean {
  return error instanceof LaneFullError || error instanceof NotKept || lostOutcome(error) !== undefined;
}

/** Opens what the verbs of one thread work with. What must be closed again is given to `opened`. */
export async function openServices(
  plan: ThreadPlan,
  main: AskMain,
  log: Log,
  signing: SigningLane,
  opened: (close: () => Promise<void> | void) => void,
): Promise<Services> {
  const { config, configFile, testMode } = plan.loaded;
  const { changes } = plan;
  const store = await openStore(
    config.store_engine === 'memory' ? { engine: 'memory' } : { engine: 'lmdb', path: config.data_dir, changes, onLost: endWhenLost(log) },
  );
  opened(() => store.close());
  // Main did it for a store that others can open too.
  if (config.store_engine === 'memory') await ensureBaseTenant(store);
  const pool = connectPool(plan.cryptoPort);
  opened(() => pool.close());
  const dropped = (error: unknown, text: string): void => log[isOutage(error) ? 'debug' : 'error']({ err: error }, text);
  const random = new Randomness();
  const crypto = openThreadCrypto({ passwords: pool, saml: pool, keyPairs: pool, signing });
  let isOpen = true;
  const keys = openSigningKeys({
    store,
    crypto,
    now: Date.now,
    randomBytes: (size) => random.bytes(size),
    testMode,
    // What was under way in the background when the thread was told to end is left to others.
    onFault: (error) => isOpen && log.error({ err: error }, 'making signing keys failed'),
  });
  opened(() => {
    isOpen = false;
  });
  const directory = new DirectoryCache({
    store,
    base: config,
    generation: plan.generation,
    onLoaded: (tenant) => keys.prepare(() => tenant),
  });
  opened(directory.startPolling((error) => log.error({ err: error }, 'looking for changes of tenants failed')));
  // A memory store is seen by this thread alone; the queues of any other are filled by main, and worked on by the jobs thread.
  const isAlone = config.store_engine === 'memory';
  if (isAlone)
    opened(
      startImports({ store, directory, passwords: pool, now: Date.now }, config, (error) =>
        log.error({ err: error }, 'importing users failed'),
      ),
    );
  return {
    store,
    crypto,
    uploads: isAlone ? openUploads({ readUpload: async (body, rules) => readUpload(body, rules) }, store, Date.now) : pool,
    directory,
    keys,
    activity: new ActivityRecorder(testMode, (error) => dropped(error, 'writing when a user was active failed')),
    userData: USER_DATA,
    server: {
      pid: process.pid,
      configPath: configFile,
      requestStats: (app) => main.ask('request-stats', { app }),
    },
    verifiedTokens: new VerifiedTokens(VERIFIED_TOKENS_SIZE),
    now: Date.now,
    randomBytes: (size) => random.bytes(size),
    randomId: randomUUID,
    randomUnit: () => random.unit(),
    testMode,
    debug: (fields, text) => log.debug(fields, text),
    dropped,
  };
}
