import { Remembered } from '../caches/remembered.ts';

const MINUTES = 1440;
const SECONDS_PER_MINUTE = 60;
/** Counts of a second arrive up to a second late, so a minute is closed once its successor is over. */
const OPEN_MINUTES = 2;
/** A process that meets more apps than this forgets those asked about least: a bound on memory only. */
const MAX_APPS = 20_000;

/** Traffic of an app per minute (contract 01 section 3.6), from 1440 minutes ago to the last full one; -1 = no data. */
export interface RequestStats {
  readonly atMinute: number;
  readonly averageRequestsPerSecond: readonly number[];
  readonly peakRequestsPerSecond: readonly number[];
}

/** How many requests each app (by its number) had in one second since the epoch. */
export interface SecondCount {
  readonly second: number;
  readonly counts: readonly (readonly [app: number, requests: number])[];
}

interface OpenMinute {
  readonly minute: number;
  readonly seconds: Uint32Array;
}

interface ClosedMinute {
  readonly minute: number;
  readonly total: number;
  readonly peak: number;
}

/** One app's day. Only minutes with traffic take memory. */
class AppWindow {
  /** The first minute of which something is known. */
  #since: number;
  #open: OpenMinute[] = [];
  #closed: ClosedMinute[] = [];

  constructor(minute: number) {
    this.#since = minute;
  }

  add(second: number, requests: number): void {
    const minute = Math.floor(second / SECONDS_PER_MINUTE);
    this.#reach(minute);
    let open = this.#open.find((candidate) => candidate.minute === minute);
    if (!open) {
      open = { minute, seconds: new Uint32Array(SECONDS_PER_MINUTE) };
      this.#open.push(open);
      this.#close(minute);
    }
    const position = second % SECONDS_PER_MINUTE;
    open.seconds[position] = (open.seconds[position] ?? 0) + requests;
  }

  stats(atMinute: number): RequestStats {
    this.#reach(atMinute);
    const first = atMinute - MINUTES;
    const known = (index: number): number => (first + index < this.#since ? -1 : 0);
    const averages = Array.from({ length: MINUTES }, (_, index) => known(index));
    const peaks = [...averages];
    for (const { minute, total, peak } of [...this.#closed, ...this.#open.map(summary)]) {
      const index = minute - first;
      if (index < 0 || index >= MINUTES) continue;
      averages[index] = Math.max(averages[index] ?? 0, 0) + total / SECONDS_PER_MINUTE;
      peaks[index] = Math.max(peaks[index] ?? 0, peak);
    }
    return { atMinute, averageRequestsPerSecond: averages, peakRequestsPerSecond: peaks };
  }

  /** Extends the day back to a minute before its first one: the clock was set back. */
  #reach(minute: number): void {
    this.#since = Math.min(this.#since, minute);
  }

  /** Closes and forgets minutes far from the newest on either side: so none stays if the clock is set back. */
  #close(newest: number): void {
    const isOpen = ({ minute }: OpenMinute): boolean => Math.abs(minute - newest) < OPEN_MINUTES;
    this.#closed.push(...this.#open.filter((open) => !isOpen(open)).map(summary));
    this.#open = this.#open.filter(isOpen);
    this.#closed = this.#closed.filter(({ minute }) => Math.abs(minute - newest) <= MINUTES);
  }
}

function summary(open: OpenMinute): ClosedMinute {
  return { minute: open.minute, total: open.seconds.reduce((total, count) => total + count, 0), peak: Math.max(...open.seconds) };
}

/** What all threads of the process counted, kept on the main thread. */
export class RequestWindows {
  readonly #apps = new Remembered<number, AppWindow>(MAX_APPS);

  add({ second, counts }: SecondCount): void {
    for (const [app, requests] of counts) this.#window(app, Math.floor(second / SECONDS_PER_MINUTE)).add(second, requests);
  }

  /** The day of one app; asking starts its window, as a request does. */
  stats(app: number, nowMs: number): RequestStats {
    const minute = Math.floor(nowMs / 60_000);
    return this.#window(app, minute).stats(minute);
  }

  #window(app: number, minute: number): AppWindow {
    const known = this.#apps.get(app);
    if (known) return known;
    const fresh = new AppWindow(minute);
    this.#apps.set(app, fresh);
    return fresh;
  }
}

/** Counts of the running second in one thread, handed over as seconds end. */
export class SecondCounter {
  #second = 0;
  #counts = new Map<number, number>();
  readonly #send: (count: SecondCount) => void;

  constructor(send: (count: SecondCount) => void) {
    this.#send = send;
  }

  add(app: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.flush();
      this.#second = second;
    }
    this.#counts.set(app, (this.#counts.get(app) ?? 0) + 1);
  }

  /** Hands over what was counted so far; a second may be handed over in parts. */
  flush(): void {
    if (this.#counts.size === 0) return;
    const count = { second: this.#second, counts: [...this.#counts] };
    this.#counts = new Map();
    this.#send(count);
  }
}
