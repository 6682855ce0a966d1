import { USER_DATA } from '../src/recipes/recipes.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { loadConfig } from '../src/config/config.ts';
import type { Passwords } from '../src/crypto/crypto.ts';
import { hashPassword, verifyPassword } from '../src/crypto/passwords.ts';
import { checkResponse } from '../src/crypto/saml/check-response.ts';
import { readMetadata } from '../src/crypto/saml/metadata.ts';
import type { SamlXml } from '../src/crypto/saml/saml.ts';
import { KeyStock } from '../src/lanes/key-stock.ts';
import { generateRsaKeyPair, type KeyPairs } from '../src/crypto/rsa-keys.ts';
import { SigningLane } from '../src/lanes/signing-lane.ts';
import { openThreadCrypto } from '../src/lanes/thread-crypto.ts';
import type { LongReply, Reply } from '../src/http/reply.ts';
import { emptyHead, takeHeader } from '../src/http/request.ts';
import { Server } from '../src/http/server.ts';
import { NO_BACKUPS } from '../src/recipes/backups.ts';
import { AuditTrail } from '../src/recipes/audit/trail.ts';
import { openUploads } from '../src/recipes/bulk-import/keep-upload.ts';
import { readUpload } from '../src/recipes/bulk-import/read-upload.ts';
import { ActivityRecorder } from '../src/recipes/active-users/touch.ts';
import type { Services } from '../src/recipes/context.ts';
import { DailyStatistics } from '../src/recipes/statistics/daily-statistics.ts';
import { DirectoryCache } from '../src/recipes/tenants/directory-cache.ts';
import { KeyUses } from '../src/recipes/tenants/key-uses.ts';
import { ensureBaseTenant } from '../src/recipes/tenants/ensure-base-tenant.ts';
import { ROUTES } from '../src/recipes/routes.ts';
import { openSigningKeys } from '../src/recipes/signing-keys/signing-keys.ts';
import { VerifiedTokens } from '../src/recipes/session-records/verified-tokens.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';

/** The members of a JSON answer; one that is known more closely extends this. */
export interface AnswerBody {
  readonly [name: string]: unknown;
}

/** An answer of the core under test. */
export interface InProcessAnswer {
  readonly status: number;
  /** The members of a JSON answer; of any other, `text`. */
  readonly body: AnswerBody;
  /** Where a redirect leads. */
  readonly location?: string;
  /** What the header `Set-Cookie` holds. */
  readonly cookie?: string;
}

/** How one call differs from a plain one. */
export interface InProcessCallOptions {
  readonly cdi?: string;
  readonly rid?: string;
  /** What the header says that the option `sign_in_address_header` names. */
  readonly endUserAddress?: string;
  /** Of the `Host` header. */
  readonly host?: string;
  readonly apiKey?: string;
  /** The header `Authorization`. */
  readonly authorization?: string;
  /** Sends the body as a posted form instead of JSON. */
  readonly isForm?: boolean;
  /** All headers but `host`, instead of those that the other options stand for. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A core without threads and sockets: the real pipeline over a store that counts its rounds of reads and answers all of them late. */
export interface InProcessCore {
  readonly services: Services;
  call(method: string, path: string, body?: object, options?: InProcessCallOptions): Promise<InProcessAnswer>;
  /** The same with a body as it stands on the wire; answers the text as it leaves. */
  send(
    method: string,
    path: string,
    body: string,
    options?: InProcessCallOptions,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Sequential rounds of reads since the last call of this function. */
  takeRounds(): number;
  /** The wall clock of the core, ms; tests move it. */
  readonly clock: { now: number };
}

const inlineTasks: Passwords & SamlXml = {
  hashPassword,
  verifyPassword,
  readIdpMetadata: async (metadata) => readMetadata(metadata),
  checkSamlResponse: async (question) => checkResponse(question),
};

const isFlags = (options: readonly string[] | Readonly<Record<string, string>>): options is readonly string[] => Array.isArray(options);

/**
 * @param options further command line flags, or options by the names of their variables, as secrets have to be given
 * @param given a store of the caller's, whose rounds are not counted
 * @param keyPairs where keys come from; if left out, a stock that makes them only while somebody waits
 * @param onFault told what fails in the background
 */
export async function openInProcessCore(
  cdi: string,
  options: readonly string[] | Readonly<Record<string, string>> = [],
  given?: Store,
  keyPairs: KeyPairs = new KeyStock({ makeNow: generateRsaKeyPair, makeQuietly: generateRsaKeyPair, width: 2 }),
  onFault: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<InProcessCore> {
  const rounds = new RoundCounter();
  const clock = { now: Date.now() };
  const store = given ?? (await openStore({ engine: 'memory', slow: true }, { onRound: () => rounds.onRead() }));
  await ensureBaseTenant(store);
  const keyPairFor: KeyPairs['keyPairFor'] = (purpose, isWaitedFor) => keyPairs.keyPairFor(purpose, isWaitedFor);
  const crypto = openThreadCrypto({ ...inlineTasks, keyPairFor }, new SigningLane(2));
  const [flags, env] = isFlags(options) ? [options, {}] : [[], options];
  const loaded = loadConfig({ argv: ['--bcrypt-log-rounds', '4', ...flags], env, cwd: process.cwd() });
  const { config } = loaded;
  const statistics = new DailyStatistics();
  const trail = new AuditTrail(() => config.audit_trail, randomBytes);
  const services: Services = {
    store,
    crypto,
    uploads: openUploads({ readUpload: async (body, rules) => readUpload(body, rules) }, store, () => clock.now),
    trail,
    keyUses: new KeyUses(store, onFault),
    directory: new DirectoryCache({ store, base: config, generation: new SharedArrayBuffer(4) }),
    keys: openSigningKeys({
      store,
      crypto,
      trail,
      now: () => clock.now,
      randomBytes,
      testMode: false,
      onFault,
    }),
    backups: NO_BACKUPS,
    statistics,
    activity: new ActivityRecorder(false, statistics, (error) => services.dropped(error, '')),
    server: {
      pid: process.pid,
      configPath: '',
      configuration: () => loaded,
      reload: () => Promise.resolve({ status: 'OK', changed: [], needsRestart: [] }),
      requestStats: () => Promise.reject(new Error('nothing is counted here')),
      overview: () => Promise.reject(new Error('nothing is counted here')),
    },
    userData: USER_DATA,
    verifiedTokens: new VerifiedTokens(1_000_000),
    isBlockedPassword: () => false,
    now: () => clock.now,
    randomBytes,
    randomId: randomUUID,
    randomUnit: () => 0,
    testMode: false,
    debug: () => {},
    dropped: onFault,
  };
  const server = new Server({ routes: ROUTES, services, config, door: { takesKeys: true, takesCookies: true } });
  const exchange = async (method: string, path: string, body: string, options: InProcessCallOptions = {}): Promise<Reply> => {
    const { cdi: version = cdi, rid, endUserAddress, host = 'localhost', apiKey, authorization, isForm = false, headers } = options;
    const [pathname = '', query = ''] = path.split('?');
    const contentType = isForm ? 'application/x-www-form-urlencoded' : undefined;
    const named = { cdiVersion: version, rid, endUserAddress, apiKey, authorization, contentType };
    const head = { ...emptyHead(method, pathname, query), host, ...(headers === undefined && named) };
    for (const [name, value] of Object.entries(headers ?? {})) takeHeader(head, name, value.trim());
    return wholeReply(await server.handle({ method, path: pathname, query, head, body: Buffer.from(body), peer: () => '127.0.0.1' }));
  };
  const send: InProcessCore['send'] = async (method, path, body, options) => {
    const reply = await exchange(method, path, body, options);
    return { status: reply.status, text: Buffer.from(reply.body).toString() };
  };
  const call: InProcessCore['call'] = async (method, path, body, options = {}) => {
    const reply = await exchange(method, path, bodyText(body, options.isForm ?? false), options);
    const text = Buffer.from(reply.body).toString();
    const isJson = reply.contentType.startsWith('application/json');
    const location = reply.headers?.find(([name]) => name === 'Location')?.[1];
    const cookie = reply.headers?.find(([name]) => name === 'Set-Cookie')?.[1];
    return {
      status: reply.status,
      body: isJson ? JSON.parse(text) : { text },
      ...(location !== undefined && { location }),
      ...(cookie !== undefined && { cookie }),
    };
  };
  return { services, call, send, takeRounds: () => rounds.take(), clock };
}

/** An answer with all of its body. */
async function wholeReply(reply: Reply | LongReply): Promise<Reply> {
  if (!('pieces' in reply)) return reply;
  const { pieces, ...head } = reply;
  const parts: Uint8Array[] = [];
  for (let piece = await pieces.next(); piece; piece = await pieces.next()) parts.push(piece);
  return { ...head, body: Buffer.concat(parts) };
}

/** Counts how often reads were waited for one after the other: reads that are under way together are one round. */
class RoundCounter {
  #rounds = 0;
  #open: object | undefined;

  onRead(): void {
    if (this.#open) return;
    const round = {};
    this.#rounds++;
    this.#open = round;
    // The slow store answers in the next turn of the event loop, in the order of the calls: this runs just before the first answer of the round.
    setImmediate(() => {
      if (this.#open === round) this.#open = undefined;
    });
  }

  take(): number {
    const taken = this.#rounds;
    this.#rounds = 0;
    this.#open = undefined;
    return taken;
  }
}

function bodyText(body: object | undefined, isForm: boolean): string {
  if (body === undefined) return '';
  const fields = Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]);
  return isForm ? new URLSearchParams(fields).toString() : JSON.stringify(body);
}
