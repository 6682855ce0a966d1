import { availableParallelism } from 'node:os';
import { Lane, type LaneCounters, type Placement } from './lane.ts';
import { LANES, type OpenLane } from './lane-limits.ts';
import type { CallOptions, HashOptions, HashParameters, Passwords } from './lanes.ts';
import { TaskTimeoutError } from './lane-errors.ts';
import { hashFamily, unknownUserHash } from './password-hashes.ts';
import type { RsaKeyPair } from './rsa-keys.ts';
import type { IdpMetadata, SamlAnswer, SamlQuestion, SamlXml } from './saml/saml.ts';
import type { XmlTask } from './saml/xml-task.ts';
import { Slots } from './slots.ts';
import type { HashTask, UploadTask } from './task.ts';
import type { ReadUpload, UploadReader, UploadRules } from './upload.ts';

export interface PoolOptions {
  /** `argon2_hashing_pool_size`: argon2 operations at a time in this process; at least 1. */
  readonly argon2PoolSize: number;
  /** `firebase_password_hashing_pool_size`; at least 1. */
  readonly firebasePoolSize: number;
  /** Cores to size the lanes by; those of the machine when left out. */
  readonly cores?: number;
}

const TOO_SLOW: SamlAnswer = { status: 'REFUSED', reason: 'checking took too long' };

/** The process's only pool of threads for hashing, uploads and XML. The main thread owns it; others reach it through `port.ts`. */
export class CryptoPool implements Passwords, SamlXml, UploadReader {
  readonly #lanes: Readonly<Record<OpenLane, Lane>>;
  readonly #argon2: Slots;
  readonly #firebase: Slots;

  constructor({ argon2PoolSize, firebasePoolSize, cores = availableParallelism() }: PoolOptions) {
    this.#lanes = {
      hash: new Lane('hash', LANES.hash, cores),
      import: new Lane('import', LANES.import, cores),
      xml: new Lane('xml', LANES.xml, cores),
      keys: new Lane('keys', LANES.keys, cores),
    };
    this.#argon2 = new Slots(argon2PoolSize);
    this.#firebase = new Slots(firebasePoolSize);
  }

  hashPassword(password: string, parameters: HashParameters, { lane = 'hash', signal }: HashOptions = {}): Promise<string> {
    const task: HashTask = { kind: 'hash', password, parameters };
    return this.#lanes[lane].run(task, { slots: parameters.algorithm === 'ARGON2' ? this.#argon2 : undefined, signal });
  }

  verifyPassword(password: string, hash: string, firebaseSignerKey: string | null, { signal }: CallOptions = {}): Promise<boolean> {
    const family = hashFamily(hash);
    if (family === undefined) return Promise.resolve(false);
    const task: HashTask = { kind: 'verify', password, hash, firebaseSignerKey };
    const placements: Readonly<Record<typeof family, Placement>> = {
      argon2: { slots: this.#argon2, signal },
      bcrypt: { signal },
      firebase: { slots: this.#firebase, signal },
    };
    return this.#lanes.hash.run(task, placements[family]);
  }

  unknownUserHash(parameters: HashParameters): Promise<string> {
    return Promise.resolve(unknownUserHash(parameters));
  }

  readUpload(body: Uint8Array<ArrayBuffer>, rules: UploadRules): Promise<ReadUpload> {
    const task: UploadTask = { kind: 'upload', body, rules };
    return this.#lanes.import.run(task, { gives: [body.buffer] });
  }

  /** A new RSA-2048 pair, at the lowest priority. */
  makeKeyPair(): Promise<RsaKeyPair> {
    return this.#lanes.keys.run({});
  }

  readIdpMetadata(metadata: string, options?: CallOptions): Promise<IdpMetadata | undefined> {
    return this.#readXml({ kind: 'metadata', metadata }, undefined, options);
  }

  checkSamlResponse(question: SamlQuestion, options?: CallOptions): Promise<SamlAnswer> {
    return this.#readXml<SamlAnswer>({ kind: 'check', question }, TOO_SLOW, options);
  }

  /** A document that takes too long is not accepted: that is its own fault, and none of ours. */
  #readXml<T>(task: XmlTask, tooSlow: T, { signal }: CallOptions = {}): Promise<T> {
    return this.#lanes.xml.run<T>(task, { signal }).catch((error: unknown) => {
      if (error instanceof TaskTimeoutError) return tooSlow;
      throw error;
    });
  }

  /** What each lane has done and has to do. */
  counters(): Readonly<Record<OpenLane, LaneCounters>> {
    const { hash, import: imports, xml, keys } = this.#lanes;
    return { hash: hash.counters, import: imports.counters, xml: xml.counters, keys: keys.counters };
  }

  /** Finishes what runs, refuses what waits, ends the threads. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.close()));
  }
}
