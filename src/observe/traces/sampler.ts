/** The span of a caller, of which a request is part (W3C Trace Context section 3.2). */
export interface CallerSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/** How much is traced. */
export interface SamplingRate {
  /** Part of the requests whose callers do not say whether they are traced, 0 to 1. */
  readonly ratio: number;
  /** Traces of this thread in a second, whoever asked for them. */
  readonly mostPerSecond: number;
}

/** A request that is traced, with its caller's span if that is known. */
export interface Sampled {
  readonly caller: CallerSpan | undefined;
}

/** Version, trace id, id of the caller's span, flags; later versions may go on behind a dash. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const SAMPLED_FLAG = 1;
const NO_CALLER: Sampled = { caller: undefined };

/**
 * Decides which requests are traced: where the caller says so by the header `traceparent`, as the caller says, else by
 * chance. What callers ask for is bounded: whoever reaches the port may send the header. One per thread.
 */
export class Sampler {
  #rate: SamplingRate;
  readonly #random: () => number;
  readonly #elapsed: () => number;
  #second = -1;
  #left = 0;
  #skipped = 0;

  /** @param elapsed ms on a clock that only goes forward */
  constructor(rate: SamplingRate, random: () => number = Math.random, elapsed: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#random = random;
    this.#elapsed = elapsed;
  }

  /** How many traces were wanted, and not recorded because they were too many. */
  get skipped(): number {
    return this.#skipped;
  }

  use(rate: SamplingRate): void {
    this.#rate = rate;
    this.#second = -1;
  }

  /** Undefined for a request that is not traced. @param traceparent the header as sent */
  decide(traceparent?: string): Sampled | undefined {
    const wanted = traceparent === undefined || traceparent === '' ? this.#byChance() : this.#byCaller(traceparent);
    return wanted && this.#hasRoom() ? wanted : undefined;
  }

  #byChance(): Sampled | undefined {
    return this.#random() < this.#rate.ratio ? NO_CALLER : undefined;
  }

  /** A header that is malformed counts as none. */
  #byCaller(traceparent: string): Sampled | undefined {
    const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
    if (traceId === undefined || spanId === undefined || (version === '00' && more !== '')) return this.#byChance();
    return (Number.parseInt(flags ?? '', 16) & SAMPLED_FLAG) === 0 ? undefined : { caller: { traceId, spanId } };
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#elapsed() / 1e3);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = this.#rate.mostPerSecond;
    }
    this.#left -= 1;
    if (this.#left < 0) this.#skipped += 1;
    return this.#left >= 0;
  }
}
