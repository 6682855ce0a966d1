import type { Passwords } from '../crypto/crypto.ts';
import { type HashFamily, hashFamily } from '../crypto/password-hashes.ts';
import type { KeyMaker, RsaKeyPair } from '../crypto/rsa-keys.ts';
import type { SamlAnswer, SamlXml } from '../crypto/saml/saml.ts';
import { Lane, type LaneCounters } from '../lanes/lane.ts';
import { TaskTimeoutError } from '../lanes/lane-errors.ts';
import { LANES, type OpenLane } from '../lanes/lane-limits.ts';
import { Slots } from '../lanes/slots.ts';
import type { Served } from '../lanes/tasks.ts';
import type { ReadUpload, UploadReader, UploadRules } from '../recipes/uploads.ts';

export interface PoolOptions {
  /** `argon2_hashing_pool_size`: argon2 operations at a time in this process; at least 1. */
  readonly argon2PoolSize: number;
  /** `firebase_password_hashing_pool_size`; at least 1. */
  readonly firebasePoolSize: number;
  /** Cores to size the lanes by. */
  readonly cores: number;
}

const TOO_SLOW: SamlAnswer = { status: 'REFUSED', reason: 'checking took too long' };

/** The only pool of worker threads: hashing, uploads, XML, keys. Main owns it; other threads reach it by their port. */
export class WorkerPool implements UploadReader, KeyMaker {
  readonly #hash: Lane<Passwords>;
  readonly #import: Lane<Pick<Passwords, 'hashPassword'> & UploadReader>;
  readonly #xml: Lane<SamlXml>;
  readonly #keys: Lane<KeyMaker>;
  /** What all threads may ask of it. */
  readonly tasks: Served<Passwords & SamlXml>;

  constructor({ argon2PoolSize, firebasePoolSize, cores }: PoolOptions) {
    this.#hash = new Lane('hash', LANES.hash, cores);
    this.#import = new Lane('import', LANES.import, cores);
    this.#xml = new Lane('xml', LANES.xml, cores);
    this.#keys = new Lane('keys', LANES.keys, cores);
    const firebase = new Slots(firebasePoolSize);
    // Both kinds of scrypt take memory: they share their slots.
    const slots = { argon2: new Slots(argon2PoolSize), firebase, scrypt: firebase };
    const slotsOf: Readonly<Partial<Record<HashFamily, Slots>>> = slots;
    this.tasks = {
      hashPassword: ([password, parameters, { lane = 'hash' } = {}], asking) => {
        const placement = { ...asking, slots: parameters.algorithm === 'ARGON2' ? slots.argon2 : undefined };
        if (lane === 'hash') return this.#hash.run('hashPassword', [password, parameters], placement);
        return this.#import.run('hashPassword', [password, parameters], placement);
      },
      verifyPassword: (asked, asking) => {
        const family = hashFamily(asked[1]);
        return family !== undefined && this.#hash.run('verifyPassword', asked, { ...asking, slots: slotsOf[family] });
      },
      readIdpMetadata: (asked, asking) => inTime(this.#xml.run('readIdpMetadata', asked, asking), undefined),
      checkSamlResponse: (asked, asking) => inTime(this.#xml.run('checkSamlResponse', asked, asking), TOO_SLOW),
    };
  }

  readUpload(body: Uint8Array<ArrayBuffer>, rules: UploadRules): Promise<ReadUpload> {
    return this.#import.run('readUpload', [body, rules]);
  }

  /** A new RSA-2048 pair, at the lowest priority. */
  makeKeyPair(): Promise<RsaKeyPair> {
    return this.#keys.run('makeKeyPair', []);
  }

  /** What each lane has done and has to do. */
  counters(): Readonly<Record<OpenLane, LaneCounters>> {
    return { hash: this.#hash.counters, import: this.#import.counters, xml: this.#xml.counters, keys: this.#keys.counters };
  }

  /** Finishes what runs, refuses what waits, ends the threads. */
  async close(): Promise<void> {
    await Promise.all([this.#hash, this.#import, this.#xml, this.#keys].map((lane) => lane.close()));
  }
}

/** A document that takes too long is not accepted: its fault, not ours. */
function inTime<T>(reading: Promise<T>, tooSlow: T): Promise<T> {
  return reading.catch((error: unknown) => {
    if (error instanceof TaskTimeoutError) return tooSlow;
    throw error;
  });
}
