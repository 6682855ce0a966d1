import { type KeyObject, randomUUID } from 'node:crypto';
import type { Crypto } from '../../crypto/crypto.ts';
import { LaneFullError } from '../../lanes/lane-errors.ts';
import { newRefreshTokenMasterKey, type RandomBytes } from '../../crypto/refresh-token.ts';
import type { RsaKeyPair } from '../../crypto/rsa-keys.ts';
import { publicKeyFromSpki } from '../../crypto/rs256.ts';
import { Pending } from '../../caches/pending.ts';
import { Remembered } from '../../caches/remembered.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Store } from '../../store/store.ts';
import { SYSTEM } from '../audit/event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { tenantExists } from '../tenants/tenant-exists.ts';
import { keepFirstKeyValue, readKeyValue } from '../key-value/key-values.ts';
import { isRotationDue, isSigningKeyMissing, type KeyTimes, keyTimes, verifiableKeys } from './key-life.ts';
import { freeTime, isDynamic, keysOf, type SigningKeyRecord, signingKeys } from './records.ts';

/** Apps whose keys a thread remembers: at least half as many, those that were asked last. */
const REMEMBERED_APPS = 4000;

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

/**
 * The keys of all apps, one per thread (contract 02 section 1.4). Rotation is lazy: it happens at the use that finds it
 * due. New keys come from the one stock of the process, so that threads that need one at once do not make two.
 */
export interface SigningKeys {
  /**
   * Makes what an app lacks that was made or met just now, so that its first session need not wait. All of it, the
   * look-up of a tenant of the app too, happens in later turns of the event loop.
   */
  prepare(find: () => MaybePromise<Tenant | undefined>): void;
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

/** Keys that a thread remembers, and as of which change by an operator. */
interface Known {
  readonly keys: KeySet;
  readonly changes: number;
}

interface Dependencies {
  readonly store: Store;
  readonly crypto: Pick<Crypto, 'keyPairFor'>;
  readonly trail: AuditTrail;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly testMode: boolean;
  /** Told when a rotation in the background failed; the next use tries again. */
  readonly onFault: (error: unknown) => void;
}

/** What a rotation asked of the stock, and whether somebody waits for it. */
interface Asked {
  isWaitedFor: boolean;
  readonly purposes: string[];
}

/** Keys of an app in the making. */
interface Rotation {
  readonly done: Promise<KeySet>;
  readonly asked: Asked;
}

const newestFirst = (a: SigningKey, b: SigningKey): number => b.createdAt - a.createdAt;

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

class ThreadSigningKeys implements SigningKeys {
  readonly #dependencies: Dependencies;
  readonly #sets = new Remembered<AppNumber, Known>(REMEMBERED_APPS);
  readonly #masterKeys = new Remembered<number, string>(REMEMBERED_APPS);
  readonly #reading = new Pending<string, KeySet>();
  readonly #readingMasterKeys = new Pending<number, string>();
  readonly #rotating = new Map<AppNumber, Rotation>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  times(tenant: Tenant): KeyTimes {
    return keyTimes(tenant.appConfig, this.#dependencies.testMode);
  }

  prepare(find: () => MaybePromise<Tenant | undefined>): void {
    setImmediate(() => this.#prepare(find).catch((error: unknown) => this.#tell(error)));
  }

  async #prepare(find: () => MaybePromise<Tenant | undefined>): Promise<void> {
    const tenant = await find();
    // Whatever is due for an app that is known already is seen to by those who use its keys.
    if (!tenant || this.#known(tenant)) return;
    const times = this.times(tenant);
    if (isAnyKeyDue(await this.#read(tenant), times, this.#dependencies.now())) await this.#rotate(tenant, times, false);
    await this.masterKey(tenant);
  }

  /** The next use retries what failed. An app that is gone, or a stock that is busy or closed, is no fault. */
  #tell(error: unknown): void {
    if (!(error instanceof LaneFullError || error instanceof Refusal)) this.#dependencies.onFault(error);
  }

  current(tenant: Tenant): MaybePromise<KeySet> {
    const known = this.#known(tenant);
    const times = this.times(tenant);
    const now = this.#dependencies.now();
    if (known && !isAnyKeyDue(known, times, now)) return withoutExpired(known, times, now);
    // Another thread or process may have made the key that is due.
    return whenReady(
      this.#reading.once(`${tenant.app} ${tenant.keyChanges}`, () => this.#read(tenant)),
      (keys) => {
        if (!isAnyKeyDue(keys, times, now)) return withoutExpired(keys, times, now);
        const isWaitedFor = isSigningKeyMissing(keys.dynamic, times, now) || keys.static.length === 0;
        const rotation = this.#rotate(tenant, times, isWaitedFor);
        if (isWaitedFor) {
          return rotation.then((rotated) => withoutExpired(rotated, times, this.#dependencies.now()));
        }
        rotation.catch((error: unknown) => this.#tell(error));
        return withoutExpired(keys, times, now);
      },
    );
  }

  reload(tenant: Tenant): MaybePromise<KeySet> {
    return whenReady(this.#read(tenant), () => this.current(tenant));
  }

  find(keys: KeySet, kid: string): SigningKey | undefined {
    return keys[isDynamic(kid) ? 'dynamic' : 'static'].find((key) => key.kid === kid);
  }

  masterKey(tenant: Tenant): MaybePromise<string> {
    const known = this.#masterKeys.get(tenant.app);
    if (known !== undefined) return known;
    return this.#readingMasterKeys.once(tenant.app, () => this.#readMasterKey(tenant.app));
  }

  #readMasterKey(app: AppNumber): MaybePromise<string> {
    return whenReady(
      this.#dependencies.store.read((reader) => readKeyValue(reader, app, 'refresh_token_key')),
      (kept) => {
        if (kept === undefined) return this.#makeMasterKey(app);
        this.#masterKeys.set(app, kept);
        return kept;
      },
    );
  }

  async #makeMasterKey(app: AppNumber): Promise<string> {
    const { store, now, randomBytes } = this.#dependencies;
    const key = await keepFirstKeyValue(store, app, 'refresh_token_key', newRefreshTokenMasterKey(randomBytes), now());
    this.#masterKeys.set(app, key);
    return key;
  }

  /** The keys as remembered, unless an operator has changed them since. */
  #known({ app, keyChanges }: Tenant): KeySet | undefined {
    const known = this.#sets.get(app);
    return known?.changes === keyChanges ? known.keys : undefined;
  }

  #read(tenant: Tenant): MaybePromise<KeySet> {
    const records = this.#dependencies.store.read((reader) => reader.list(signingKeys, undefined, keysOf(tenant.app)));
    return whenReady(records, (found) => this.#remember(tenant, found));
  }

  #remember({ app, keyChanges }: Tenant, records: readonly SigningKeyRecord[]): KeySet {
    const keys = keySetFrom(records, this.#sets.get(app)?.keys);
    this.#sets.set(app, { keys, changes: keyChanges });
    return keys;
  }

  /** Makes due keys and deletes those no token can need: one run at a time per app and thread, one winner among all. */
  #rotate(tenant: Tenant, times: KeyTimes, isWaitedFor: boolean): Promise<KeySet> {
    const running = this.#rotating.get(tenant.app);
    if (running) {
      if (isWaitedFor) this.#hurry(running.asked);
      return running.done;
    }
    const asked: Asked = { isWaitedFor, purposes: [] };
    const done = this.#makeMissingKeys(tenant, times, asked).finally(() => this.#rotating.delete(tenant.app));
    this.#rotating.set(tenant.app, { done, asked });
    return done;
  }

  #pairFor(purpose: string, asked: Asked): Promise<RsaKeyPair> {
    asked.purposes.push(purpose);
    return this.#dependencies.crypto.keyPairFor(purpose, asked.isWaitedFor);
  }

  /** Lets the stock know that somebody waits now for what was asked for in advance. */
  #hurry(asked: Asked): void {
    if (asked.isWaitedFor) return;
    asked.isWaitedFor = true;
    for (const purpose of asked.purposes) {
      this.#dependencies.crypto.keyPairFor(purpose, true).catch(() => {
        // Who asked first is told.
      });
    }
  }

  async #makeMissingKeys(tenant: Tenant, times: KeyTimes, asked: Asked): Promise<KeySet> {
    const { store, now, trail } = this.#dependencies;
    const { app } = tenant;
    const recorder = { trail, now, tenant, actor: SYSTEM, via: 'key-rotation' };
    const before = await this.#read(tenant);
    const isDue = { dynamic: isRotationDue(before.dynamic, times, now()), static: before.static.length === 0 };
    if (!isDue.dynamic && !isDue.static) return before;
    const [dynamicPair, staticPair] = await Promise.all([
      isDue.dynamic ? this.#pairFor(`${app} dynamic after ${before.dynamic[0]?.createdAt ?? 'none'}`, asked) : undefined,
      isDue.static ? this.#pairFor(`${app} static`, asked) : undefined,
    ]);
    const staticKid = `s-${randomUUID()}`;
    const records = await store.transact(async (tx) => {
      // Meanwhile the app may have been removed and purged, and nothing must be left behind.
      if (!(await tenantExists(tx, app, tenant.tenant))) throw new Refusal('tenant-not-found', tenant);
      const stored = await tx.list(signingKeys, undefined, keysOf(app));
      const time = now();
      const youngEnough = time - times.intervalMs + times.overlapMs;
      const made: SigningKeyRecord[] = [];
      if (dynamicPair && !stored.some((key) => isDynamic(key.kid) && key.createdAt >= youngEnough)) {
        const createdAt = freeTime(stored, time);
        made.push({ app, kid: `d-${createdAt}`, ...dynamicPair, createdAt });
      }
      if (staticPair && !stored.some((key) => !isDynamic(key.kid))) made.push({ app, kid: staticKid, ...staticPair, createdAt: time });
      for (const key of made) {
        await tx.put(signingKeys, key);
        await recordEvent(tx, recorder, 'signing-key.created', { details: { key: key.kid } });
      }
      const expired = stored.filter((key) => isDynamic(key.kid) && key.createdAt + times.verifiableMs < time);
      for (const key of expired) await tx.delete(signingKeys, [app, key.kid]);
      return [...stored.filter((key) => !expired.includes(key)), ...made];
    });
    return this.#remember(tenant, records);
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

/** The keys of an app at a time (ms since the epoch), made of what is stored. @throws Error where one is no key */
export function keySetAt(records: readonly SigningKeyRecord[], times: KeyTimes, now: number): KeySet {
  return withoutExpired(keySetFrom(records, undefined), times, now);
}

export function openSigningKeys(dependencies: Dependencies): SigningKeys {
  return new ThreadSigningKeys(dependencies);
}
