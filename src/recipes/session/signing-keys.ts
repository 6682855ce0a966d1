import { type KeyObject, randomUUID } from 'node:crypto';
import type { Crypto } from '../../crypto/lanes.ts';
import { newRefreshTokenMasterKey, type RandomBytes } from '../../crypto/refresh-token.ts';
import { publicKeyFromSpki } from '../../crypto/rs256.ts';
import { type MaybePromise, type Store, whenReady } from '../../store/store.ts';
import type { Tenant } from '../context.ts';
import { keepFirstKeyValue, readKeyValue } from '../key-value/key-values.ts';
import { isRotationDue, isSigningKeyMissing, type KeyTimes, keyTimes, verifiableKeys } from './key-life.ts';
import { type SigningKeyRecord, signingKeys } from './signing-key-records.ts';

/** More keys than an app ever has: one every rotation interval, kept for a little longer than that. */
const KEYS_OF_APP_LIMIT = 10_000;
/** Apps whose keys a thread remembers. */
const REMEMBERED_APPS = 2000;

/** A signing key ready for use. */
export interface SigningKey {
  readonly kid: string;
  readonly createdAt: number;
  /** base64 of SubjectPublicKeyInfo DER. */
  readonly publicKey: string;
  /** base64 of PKCS#8 DER. */
  readonly privateKey: string;
  readonly verifier: KeyObject;
}

/** The keys of an app, newest first; dynamic keys past their verification life are left out. */
export interface KeySet {
  readonly dynamic: readonly SigningKey[];
  readonly static: readonly SigningKey[];
}

/** The keys of all apps, one per thread (contract 02 section 1.4). Rotation is lazy: it happens at the use that finds it due. */
export interface SigningKeys {
  /** Keys for signing, verifying and publishing; waits only where no key may sign. */
  current(tenant: Tenant): MaybePromise<KeySet>;
  /** Reads the keys again, once, after a look-up by key id failed. */
  reload(tenant: Tenant): MaybePromise<KeySet>;
  /** The key a key id names, among verifiable dynamic and all static keys. */
  find(keys: KeySet, kid: string): SigningKey | undefined;
  /** The app's master key of refresh tokens, made at first use and never changed. */
  masterKey(tenant: Tenant): MaybePromise<string>;
  times(tenant: Tenant): KeyTimes;
}

interface Dependencies {
  readonly store: Store;
  readonly crypto: Pick<Crypto, 'generateRsaKeyPair'>;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly testMode: boolean;
  /** Told when a rotation in the background failed; the next use tries again. */
  readonly onFault: (error: unknown) => void;
}

const newestFirst = (a: SigningKey, b: SigningKey): number => b.createdAt - a.createdAt;
const isDynamic = (kid: string): boolean => kid.startsWith('d-');

/** Keys as the store has them, with verifiers; a rebuilt set keeps the verifiers it already had. */
function keySetFrom(records: readonly SigningKeyRecord[], before: KeySet | undefined): KeySet {
  const known = new Map([...(before?.dynamic ?? []), ...(before?.static ?? [])].map((key) => [key.kid, key]));
  const keys = records.map(
    (record): SigningKey =>
      known.get(record.kid) ?? {
        kid: record.kid,
        createdAt: record.createdAt,
        publicKey: record.publicKey,
        privateKey: record.privateKey,
        verifier: publicKeyFromSpki(record.publicKey),
      },
  );
  return {
    dynamic: keys.filter((key) => isDynamic(key.kid)).toSorted(newestFirst),
    static: keys.filter((key) => !isDynamic(key.kid)).toSorted(newestFirst),
  };
}

/** A map that forgets its oldest entry beyond a bound. */
class Bounded<V> {
  readonly #entries = new Map<number, V>();
  get(key: number): V | undefined {
    return this.#entries.get(key);
  }
  set(key: number, value: V): void {
    if (!this.#entries.has(key) && this.#entries.size >= REMEMBERED_APPS) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }
}

class ThreadSigningKeys implements SigningKeys {
  readonly #dependencies: Dependencies;
  readonly #sets = new Bounded<KeySet>();
  readonly #masterKeys = new Bounded<string>();
  readonly #rotating = new Map<number, Promise<KeySet>>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  times(tenant: Tenant): KeyTimes {
    return keyTimes(tenant.appConfig, this.#dependencies.testMode);
  }

  current(tenant: Tenant): MaybePromise<KeySet> {
    const known = this.#sets.get(tenant.app);
    const times = this.times(tenant);
    const now = this.#dependencies.now();
    if (known && !isAnyKeyDue(known, times, now)) return withoutExpired(known, times, now);
    // Another thread or process may have made the key that is due.
    return whenReady(this.#read(tenant.app), (keys) => {
      if (!isAnyKeyDue(keys, times, now)) return withoutExpired(keys, times, now);
      const rotation = this.#rotate(tenant, times);
      if (isSigningKeyMissing(keys.dynamic, times, now) || keys.static.length === 0) {
        return rotation.then((rotated) => withoutExpired(rotated, times, this.#dependencies.now()));
      }
      rotation.catch(this.#dependencies.onFault);
      return withoutExpired(keys, times, now);
    });
  }

  reload(tenant: Tenant): MaybePromise<KeySet> {
    return whenReady(this.#read(tenant.app), () => this.current(tenant));
  }

  find(keys: KeySet, kid: string): SigningKey | undefined {
    return keys[isDynamic(kid) ? 'dynamic' : 'static'].find((key) => key.kid === kid);
  }

  masterKey(tenant: Tenant): MaybePromise<string> {
    const known = this.#masterKeys.get(tenant.app);
    if (known !== undefined) return known;
    const { store } = this.#dependencies;
    return whenReady(
      store.read((reader) => readKeyValue(reader, tenant.app, 'refresh_token_key')),
      (kept) => {
        if (kept === undefined) return this.#makeMasterKey(tenant.app);
        this.#masterKeys.set(tenant.app, kept);
        return kept;
      },
    );
  }

  async #makeMasterKey(app: number): Promise<string> {
    const { store, now, randomBytes } = this.#dependencies;
    const key = await keepFirstKeyValue(store, app, 'refresh_token_key', newRefreshTokenMasterKey(randomBytes), now());
    this.#masterKeys.set(app, key);
    return key;
  }

  #read(app: number): MaybePromise<KeySet> {
    const records = this.#dependencies.store.read((reader) =>
      reader.list(signingKeys, undefined, { prefix: [app], limit: KEYS_OF_APP_LIMIT }),
    );
    return whenReady(records, (found) => this.#remember(app, found));
  }

  #remember(app: number, records: readonly SigningKeyRecord[]): KeySet {
    const keys = keySetFrom(records, this.#sets.get(app));
    this.#sets.set(app, keys);
    return keys;
  }

  /**
   * Makes the keys that are due and deletes those that no token can need any more; one run at a time for
   * an app in this thread, and one winner among all threads and processes.
   */
  #rotate(tenant: Tenant, times: KeyTimes): Promise<KeySet> {
    const running = this.#rotating.get(tenant.app);
    if (running) return running;
    const rotation = this.#makeMissingKeys(tenant.app, times).finally(() => this.#rotating.delete(tenant.app));
    this.#rotating.set(tenant.app, rotation);
    return rotation;
  }

  async #makeMissingKeys(app: number, times: KeyTimes): Promise<KeySet> {
    const { store, crypto, now } = this.#dependencies;
    const before = await this.#read(app);
    const isDue = { dynamic: isRotationDue(before.dynamic, times, now()), static: before.static.length === 0 };
    if (!isDue.dynamic && !isDue.static) return before;
    const [dynamicPair, staticPair] = await Promise.all([
      isDue.dynamic ? crypto.generateRsaKeyPair() : undefined,
      isDue.static ? crypto.generateRsaKeyPair() : undefined,
    ]);
    const staticKid = `s-${randomUUID()}`;
    const records = await store.transact(async (tx) => {
      const stored = await tx.list(signingKeys, undefined, { prefix: [app], limit: KEYS_OF_APP_LIMIT });
      const time = now();
      const youngEnough = time - times.intervalMs + times.overlapMs;
      const made: SigningKeyRecord[] = [];
      if (dynamicPair && !stored.some((key) => isDynamic(key.kid) && key.createdAt >= youngEnough)) {
        let createdAt = time;
        while (stored.some((key) => key.kid === `d-${createdAt}`)) createdAt++;
        made.push({ app, kid: `d-${createdAt}`, ...dynamicPair, createdAt });
      }
      if (staticPair && !stored.some((key) => !isDynamic(key.kid))) made.push({ app, kid: staticKid, ...staticPair, createdAt: time });
      for (const key of made) await tx.put(signingKeys, key);
      const expired = stored.filter((key) => isDynamic(key.kid) && key.createdAt + times.verifiableMs < time);
      for (const key of expired) await tx.delete(signingKeys, [app, key.kid]);
      return [...stored.filter((key) => !expired.includes(key)), ...made];
    });
    return this.#remember(app, records);
  }
}

function isAnyKeyDue(keys: KeySet, times: KeyTimes, now: number): boolean {
  return isRotationDue(keys.dynamic, times, now) || keys.static.length === 0;
}

function withoutExpired(keys: KeySet, times: KeyTimes, now: number): KeySet {
  const oldest = keys.dynamic.at(-1);
  if (!oldest || oldest.createdAt + times.verifiableMs >= now) return keys;
  return { dynamic: verifiableKeys(keys.dynamic, times, now), static: keys.static };
}

export function openSigningKeys(dependencies: Dependencies): SigningKeys {
  return new ThreadSigningKeys(dependencies);
}
