import type { SpCredential } from '../crypto/saml/saml.ts';
import { newSpCredential } from '../crypto/saml/sp-credential.ts';
import { LaneFullError } from './lane-errors.ts';
import { SP_KEY_QUEUE } from './lane-limits.ts';

/**
 * Makes service providers' keys in one HTTP thread, one after another: metadata, which anybody may ask for without an
 * API key, makes a tenant's first key, and a hundred at once would keep commits and signatures from libuv's threads.
 */
export class SpKeyQueue {
  readonly #make: (now: number) => Promise<SpCredential>;
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  constructor(make: (now: number) => Promise<SpCredential> = newSpCredential) {
    this.#make = make;
  }

  /** A new key whose certificate begins at `now` (ms). Rejects with `LaneFullError` where too many are under way. */
  make(now: number): Promise<SpCredential> {
    if (this.#pending >= SP_KEY_QUEUE) return Promise.reject(new LaneFullError('sign'));
    this.#pending += 1;
    const made = this.#last.then(() => this.#make(now)).finally(() => (this.#pending -= 1));
    this.#last = made.catch(() => {
      // Told to whoever waits for it; the next one is made all the same.
    });
    return made;
  }
}
