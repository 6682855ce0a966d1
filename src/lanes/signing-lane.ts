import { createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import { Remembered } from '../caches/remembered.ts';
import { type LaneCounters, secondsSince } from './lane.ts';
import { SIGN_QUEUE } from './lane-limits.ts';
import { LaneFullError } from './lane-errors.ts';

/** Keys kept ready: a handful of apps sign at a time, and an old key leaves at its rotation. */
const MAX_KEYS = 128;

/** Told once how work on libuv's threads has ended. */
type Ended<T> = (error: Error | null, result: T) => void;

/** Work of the lane; `reject` is told what went wrong, even before it began. */
interface Job {
  /** On the clock of `performance.now`. */
  readonly askedAt: number;
  readonly start: (place: Place, ended: () => void) => void;
  readonly reject: (error: unknown) => void;
}

/** A check of a signature: the digest of `node:crypto`, what was signed, and with which key's other half. */
export interface Check {
  readonly digest: string | null;
  readonly data: Uint8Array;
  readonly key: KeyObject;
  readonly signature: Uint8Array;
}

/**
 * A place for one signature at a time, with key objects of its own: Node locks an object while it signs with it, and a
 * second signature with the same object would make the calling thread wait for the lock.
 */
class Place {
  readonly #keys = new Remembered<string, KeyObject>(MAX_KEYS);

  key(privateKey: string): KeyObject {
    const known = this.#keys.get(privateKey);
    if (known) return known;
    const made = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    this.#keys.set(privateKey, made);
    return made;
  }
}

/**
 * The sign lane of one HTTP thread: RSASSA-PKCS1-v1_5 with SHA-256, and checks of signatures that take as long, on
 * libuv's threads, at normal priority, with a bounded queue (docs/decisions/0007). It leaves some of these threads free
 * for commits, which use them too.
 */
export class SigningLane {
  readonly #free: Place[];
  readonly #waiting: Job[] = [];
  #running = 0;
  #completed = 0;
  #rejected = 0;

  /** @param width signatures under way at a time */
  constructor(width: number) {
    this.#free = Array.from({ length: width }, () => new Place());
  }

  /** Counts since the start, and the present load; threads of libuv do not die. */
  get counters(): LaneCounters {
    return {
      queued: this.#waiting.length,
      oldestSeconds: secondsSince(this.#waiting[0]?.askedAt),
      running: this.#running,
      completed: this.#completed,
      rejected: this.#rejected,
      died: 0,
    };
  }

  /**
   * Signs the UTF-8 of `input`; the key is base64 PKCS#8 DER. Rejects with `LaneFullError`, and for malformed keys.
   * @param onStart called when the signature has its turn
   */
  sign(input: string, privateKey: string, onStart?: () => void): Promise<Uint8Array> {
    return this.#queue((place, ended) => {
      onStart?.();
      sign('sha256', Buffer.from(input), place.key(privateKey), ended);
    });
  }

  /** Checks a signature that takes long; false for malformed ones too. Rejects with `LaneFullError`. */
  verify({ digest, data, key, signature }: Check): Promise<boolean> {
    return this.#queue((_, ended) => verify(digest, data, key, signature, ended));
  }

  #queue<T>(start: (place: Place, ended: Ended<T>) => void): Promise<T> {
    if (this.#waiting.length >= SIGN_QUEUE) {
      this.#rejected += 1;
      return Promise.reject(new LaneFullError('sign'));
    }
    return new Promise((resolve, reject) => {
      const begin: Job['start'] = (place, ended) =>
        start(place, (error, result) => {
          ended();
          if (error) reject(error);
          else resolve(result);
        });
      this.#waiting.push({ askedAt: performance.now(), start: begin, reject });
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let place = this.#free.pop(); place; place = this.#free.pop()) {
      const job = this.#waiting.shift();
      if (job) this.#start(job, place);
      else {
        this.#free.push(place);
        return;
      }
    }
  }

  #start(job: Job, place: Place): void {
    this.#running += 1;
    const end = (): void => {
      this.#running -= 1;
      this.#completed += 1;
      this.#free.push(place);
      this.#startWaiting();
    };
    try {
      job.start(place, end);
    } catch (error) {
      end();
      job.reject(error);
    }
  }
}
