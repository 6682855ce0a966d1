/** Characters of the part of an id that counts the events of a thread: more than a thread can make in its life. */
const COUNT_CHARS = 9;
const THREAD_BYTES = 6;

/** What one thread needs to write events: ids and times in order, and whether there is a trail at all. */
export class AuditTrail {
  readonly #isOn: () => boolean;
  readonly #thread: string;
  #count = 0;
  #at = 0;

  /** @param isOn whether the configuration in force asks for a trail */
  constructor(isOn: () => boolean, randomBytes: (size: number) => Buffer) {
    this.#isOn = isOn;
    this.#thread = randomBytes(THREAD_BYTES).toString('hex');
  }

  get isOn(): boolean {
    return this.#isOn();
  }

  /** Id and time of the next event: both in the order of the calls, even where the clock was set back. @param now ms */
  stamp(now: number): { readonly id: string; readonly at: number } {
    this.#at = Math.max(this.#at, now);
    this.#count += 1;
    return { id: this.#thread + this.#count.toString(36).padStart(COUNT_CHARS, '0'), at: this.#at };
  }
}
