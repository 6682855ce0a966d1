import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Blocklist, closeBlocklist, isOnList } from '../blocklist/blocklist.ts';
import { openConfigured } from '../blocklist/configured.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { hashPassword, verifyPassword } from '../crypto/passwords.ts';
import { generateRsaKeyPair } from '../crypto/rsa-keys.ts';
import { checkResponse } from '../crypto/saml/check-response.ts';
import { readMetadata } from '../crypto/saml/metadata.ts';
import type { LongReply, Reply } from '../http/reply.ts';
import { emptyHead } from '../http/request.ts';
import { Server } from '../http/server.ts';
import { SigningLane } from '../lanes/signing-lane.ts';
import { openThreadCrypto } from '../lanes/thread-crypto.ts';
import { ActivityRecorder } from '../recipes/active-users/touch.ts';
import { sealAll } from '../recipes/audit/seal.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { openUploads } from '../recipes/bulk-import/keep-upload.ts';
import { readUpload } from '../recipes/bulk-import/read-upload.ts';
import { NO_BACKUPS } from '../recipes/backups.ts';
import type { Services } from '../recipes/context.ts';
import { USER_DATA } from '../recipes/recipes.ts';
import { ROUTES } from '../recipes/routes.ts';
import { VerifiedTokens } from '../recipes/session-records/verified-tokens.ts';
import { openSigningKeys } from '../recipes/signing-keys/signing-keys.ts';
import { DailyStatistics } from '../recipes/statistics/daily-statistics.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { KeyUses } from '../recipes/tenants/key-uses.ts';
import { isStored, openStore } from '../store/open-store.ts';
import { planFolder } from '../store/plan.ts';
import type { Store } from '../store/store.ts';
import { refuseUnfinishedMove } from '../transfer/migrate/unfinished.ts';
import { CommandFault } from './command.ts';
import type { Exchange } from './exchange.ts';

/** The pipeline of a core over a data folder, without threads and sockets. */
export interface FolderCore {
  readonly exchange: Exchange;
  readonly close: () => Promise<void>;
}

/** Opens a data folder, beside servers that may use it too: they see within a second what is changed. */
export async function openFolderCore(dataDir: string, configFile: string | undefined, host = 'localhost'): Promise<FolderCore> {
  const argv = ['--data-dir', dataDir, ...(configFile === undefined ? [] : ['--config', configFile])];
  const loaded = loadConfig({ argv, env: environment(), cwd: process.cwd(), serves: false });
  const blocklist = openConfigured(loaded.config);
  const plan = planFolder(loaded.config.data_dir);
  if (!(await isStored(plan))) throw new CommandFault(`There is no store in ${loaded.config.data_dir}`);
  const store = await openStore(plan);
  await refuseUnfinishedMove(store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const services = servicesOf(store, loaded, blocklist);
  const server = new Server({ routes: ROUTES, services, config: loaded.config, isTrusted: true });
  return {
    exchange: async (method, target, rid, body = Buffer.alloc(0)) => {
      const [path = '', query = ''] = target.split('?');
      const head = { ...emptyHead(method, path, query), host, rid };
      const reply = await wholeReply(await server.handle({ method, path, query, head, body, peer: () => '127.0.0.1' }));
      return { status: reply.status, retryAfter: undefined, text: Buffer.from(reply.body).toString() };
    },
    close: async () => {
      await services.statistics.flush(store);
      await sealAll(store, services.now);
      await store.close();
      if (blocklist) closeBlocklist(blocklist);
    },
  };
}

async function wholeReply(reply: Reply | LongReply): Promise<Reply> {
  if (!('pieces' in reply)) return reply;
  const { pieces, ...head } = reply;
  const parts: Uint8Array[] = [];
  for (let piece = await pieces.next(); piece; piece = await pieces.next()) parts.push(piece);
  return { ...head, body: Buffer.concat(parts) };
}

/** What verbs work with, all of it in this thread. */
function servicesOf(store: Store, loaded: LoadedConfig, blocklist: Blocklist | undefined): Services {
  const signing = new SigningLane(availableParallelism());
  const tasks = {
    hashPassword,
    verifyPassword,
    readIdpMetadata: async (metadata: string) => readMetadata(metadata),
    checkSamlResponse: async (question: Parameters<typeof checkResponse>[0]) => checkResponse(question),
    keyPairFor: generateRsaKeyPair,
  };
  const crypto = openThreadCrypto(tasks, signing);
  const now = (): number => Date.now();
  const dropped = (): void => {};
  const statistics = new DailyStatistics();
  const trail = new AuditTrail(() => loaded.config.audit_trail, randomBytes);
  return {
    store,
    crypto,
    uploads: openUploads({ readUpload: async (body, rules) => readUpload(body, rules) }, store, now),
    directory: new DirectoryCache({ store, base: loaded.config, generation: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }),
    keys: openSigningKeys({ store, crypto, trail, now, randomBytes, testMode: false, onFault: dropped }),
    backups: NO_BACKUPS,
    statistics,
    activity: new ActivityRecorder(false, statistics, dropped),
    trail,
    keyUses: new KeyUses(store, dropped),
    userData: USER_DATA,
    server: {
      pid: process.pid,
      configPath: loaded.configFile,
      configuration: () => loaded,
      reload: () => Promise.reject(new Error('only a running core reloads')),
      requestStats: () => Promise.reject(new Error('only a running core counts requests')),
      overview: () => Promise.reject(new Error('only a running core can be looked at')),
    },
    verifiedTokens: new VerifiedTokens(0),
    isBlockedPassword: (password) => isOnList(blocklist, password),
    now,
    randomBytes,
    randomId: randomUUID,
    randomUnit: () => 0,
    testMode: false,
    debug: dropped,
    dropped,
  };
}
