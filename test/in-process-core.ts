import { randomBytes, randomUUID } from 'node:crypto';
import { loadConfig } from '../src/config/config.ts';
import type { Passwords } from '../src/crypto/lanes.ts';
import { hashPassword, verifyPassword } from '../src/crypto/passwords.ts';
import { SigningLane } from '../src/crypto/signing-lane.ts';
import { openThreadCrypto } from '../src/crypto/thread-crypto.ts';
import { emptyHead } from '../src/http/request.ts';
import { Server } from '../src/http/server.ts';
import { ActivityRecorder } from '../src/recipes/active-users/touch.ts';
import type { Services } from '../src/recipes/context.ts';
import { DirectoryCache } from '../src/recipes/multitenancy/directory-cache.ts';
import { ensureBaseTenant } from '../src/recipes/multitenancy/ensure-base-tenant.ts';
import { ROUTES } from '../src/recipes/routes.ts';
import { openSigningKeys } from '../src/recipes/session/signing-keys.ts';
import { VerifiedTokens } from '../src/recipes/session/verified-tokens.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';

/** An answer of the core under test. */
export interface InProcessAnswer {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

/** How one call differs from a plain one. */
export interface InProcessCallOptions {
  readonly cdi?: string;
  readonly rid?: string;
  /** What the header says that the option `sign_in_address_header` names. */
  readonly endUserAddress?: string;
  /** Of the `Host` header. */
  readonly host?: string;
}

/** A core without threads and sockets: the real pipeline over a store that counts its rounds of reads and answers all of them late. */
export interface InProcessCore {
  readonly services: Services;
  call(method: string, path: string, body?: object, options?: InProcessCallOptions): Promise<InProcessAnswer>;
  /** Sequential rounds of reads since the last call of this function. */
  takeRounds(): number;
  /** The wall clock of the core, ms; tests move it. */
  readonly clock: { now: number };
}

const inlinePasswords: Passwords = {
  hashPassword,
  verifyPassword,
  unknownUserHash: () => Promise.resolve('$2a$04$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm'),
};
const inlineCrypto = openThreadCrypto({ passwords: inlinePasswords, signing: new SigningLane(2) });

/**
 * @param flags further command line flags
 * @param given a store of the caller's, whose rounds are not counted
 */
export async function openInProcessCore(cdi: string, flags: readonly string[] = [], given?: Store): Promise<InProcessCore> {
  let rounds = 0;
  const clock = { now: Date.now() };
  const store = given ?? (await openStore({ engine: 'memory', slow: true, onRound: () => rounds++ }));
  await ensureBaseTenant(store);
  const { config } = loadConfig({ argv: ['--bcrypt-log-rounds', '4', ...flags], env: {}, cwd: process.cwd() });
  const services: Services = {
    store,
    crypto: inlineCrypto,
    directory: new DirectoryCache({ store, base: config, generation: new SharedArrayBuffer(4) }),
    keys: openSigningKeys({
      store,
      crypto: inlineCrypto,
      now: () => clock.now,
      randomBytes,
      testMode: false,
      onFault: (error) => {
        throw error;
      },
    }),
    activity: new ActivityRecorder(false),
    server: { pid: process.pid, configPath: '', requestStats: () => Promise.reject(new Error('nothing is counted here')) },
    verifiedTokens: new VerifiedTokens(1_000_000),
    now: () => clock.now,
    randomBytes,
    randomId: randomUUID,
    randomUnit: () => 0,
    testMode: false,
  };
  const server = new Server({ routes: ROUTES, services, config });
  const call: InProcessCore['call'] = async (method, path, body, { cdi: version = cdi, rid, endUserAddress, host = 'localhost' } = {}) => {
    const [pathname = '', query = ''] = path.split('?');
    const head = { ...emptyHead(0), host, cdiVersion: version, rid, endUserAddress };
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const reply = await server.handle({ method, path: pathname, query, head, body: bytes, peer: () => '127.0.0.1' });
    const text = Buffer.from(reply.body).toString();
    const isJson = reply.contentType.startsWith('application/json');
    return { status: reply.status, body: isJson ? JSON.parse(text) : { text } };
  };
  const takeRounds = (): number => {
    const taken = rounds;
    rounds = 0;
    return taken;
  };
  return { services, call, takeRounds, clock };
}
