import type { CollectorAddress } from '../../config/collector.ts';
import type { Log } from '../log.ts';
import type { EncodedSpans } from './encoded-spans.ts';
import { type Posted, Poster } from './post.ts';

/** Spans that wait for the collector, some 2 MiB; what comes beyond is lost. */
const MOST_WAITING = 8_192;
/** After a failure it is tried again after so long, twice as long each time. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** What a stop waits for the last spans to be taken. */
const STOP_LIMIT_MS = 2_000;
/** Answers after which the same spans may be sent once more (OTLP 1 section "Retryable Response Codes"). */
const PASSING = [429, 502, 503, 504];

/** What became of spans since the start. */
export interface SpanCounts {
  readonly sent: number;
  /** Refused by the collector, or one too many while it was away. */
  readonly lost: number;
}

/**
 * Sends the spans of all threads to the collector, one batch at a time by one connection, and keeps those that wait.
 * Nobody waits for it. Its log has a line when the collector stops taking spans, and one when it takes them again.
 */
export class Collector {
  readonly #poster: Poster;
  readonly #address: string;
  readonly #log: Log;
  readonly #waiting: EncodedSpans[] = [];
  #waitingSpans = 0;
  #sent = 0;
  #lost = 0;
  #isAway = false;
  #restMs = 0;
  #sending: Promise<void> | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor({ url, headers }: CollectorAddress, log: Log) {
    this.#poster = new Poster(url, { ...headers, 'content-type': 'application/x-protobuf' });
    // A path may hold a key.
    this.#address = url.origin;
    this.#log = log;
  }

  get counts(): SpanCounts {
    return { sent: this.#sent, lost: this.#lost };
  }

  /** Takes spans of a thread. */
  add(spans: EncodedSpans): void {
    if (this.#waitingSpans + spans.count > MOST_WAITING) {
      this.#lost += spans.count;
      return;
    }
    this.#waiting.push(spans);
    this.#waitingSpans += spans.count;
    if (!this.#rest) this.#send();
  }

  /** Sends what waits, for as long as a stop may take; what is left then is lost. */
  async close(limitMs: number = STOP_LIMIT_MS): Promise<void> {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    if (!this.#isAway) this.#send();
    let limit: NodeJS.Timeout | undefined;
    await Promise.race([this.#sending, new Promise((resolve) => (limit = setTimeout(resolve, limitMs)))]);
    clearTimeout(limit);
    clearTimeout(this.#rest);
    this.#poster.close();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const fault = faultOf(await this.#poster.post(next.bytes));
      this.#note(fault);
      if (fault?.isPassing) {
        this.#wait();
        return;
      }
      this.#waiting.shift();
      this.#waitingSpans -= next.count;
      if (fault) this.#lost += next.count;
      else this.#sent += next.count;
    }
  }

  #wait(): void {
    this.#restMs = Math.min(Math.max(FIRST_REST_MS, this.#restMs * 2), LONGEST_REST_MS);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#send();
    }, this.#restMs).unref();
  }

  #note(fault: Fault | undefined): void {
    if (!fault) this.#restMs = 0;
    if ((fault !== undefined) === this.#isAway) return;
    this.#isAway = fault !== undefined;
    const collector = this.#address;
    if (fault) this.#log.warn({ collector, reason: fault.reason }, 'the collector does not take traces, they will be lost');
    else this.#log.warn({ collector }, 'the collector takes traces again');
  }
}

/** Why spans were not taken. */
interface Fault {
  readonly reason: string | number;
  /** The same spans may be taken later. */
  readonly isPassing: boolean;
}

/** Undefined where the spans were taken: what else a good answer says nobody here can act upon. */
function faultOf(posted: Posted): Fault | undefined {
  if ('failure' in posted) return { reason: posted.failure, isPassing: true };
  const { status } = posted;
  return status >= 200 && status < 300 ? undefined : { reason: status, isPassing: PASSING.includes(status) };
}
