/** Upper bounds of the latency histogram in seconds; slower requests fall into a last bucket without a bound. */
export const LATENCY_BOUNDS_SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** The classes of answers that are told apart, as label values. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

/** What a thread says of itself besides its requests; written once a second. Delays are in seconds. */
export const GAUGES = [
  'commits',
  'conflicts',
  'exclusive',
  'loopDelayMean',
  'loopDelayP99',
  'loopDelayMax',
  'heapUsedBytes',
  'inFlight',
  'readers',
  'oldestReaderCommits',
  'oldestReaderSeconds',
  'signQueued',
  'signOldestSeconds',
  'signRunning',
  'signCompleted',
  'signRejected',
  'backupAt',
  'backupBytes',
  'backupFailures',
  'auditLag',
  'webhookLagSeconds',
  'webhooksDelivered',
  'webhooksFailed',
  'webhooksGivenUp',
  'webhookDeadLetters',
  'tracesSkipped',
  'storeBytes',
  'storeFreeBytes',
  'storeDiskFreeBytes',
  'importQueueSince',
] as const;

export type GaugeName = (typeof GAUGES)[number];

/** What one row of the route list has answered so far. */
export interface RouteCount {
  /** By position in `STATUS_CLASSES`. */
  readonly byStatus: readonly number[];
  /** By position in `LATENCY_BOUNDS_SECONDS`, not cumulative, with one more entry for the slower ones. */
  readonly byLatency: readonly number[];
  readonly secondsSpent: number;
}

/** Rows there is room for: more than the product has, so the main thread need not load the routes to count them. */
export const MOST_ROWS = 512;

/** Tallies there is room for (`Counters.tally`): more than the product has. */
export const MOST_TALLIES = 128;

const BUCKETS = LATENCY_BOUNDS_SECONDS.length + 1;
const STATUS_AT = 0;
const SPENT_AT = STATUS_CLASSES.length;
const BUCKETS_AT = SPENT_AT + 1;
const ROW_SIZE = BUCKETS_AT + BUCKETS;
const BOUNDS_MICROSECONDS = LATENCY_BOUNDS_SECONDS.map((seconds) => seconds * 1e6);

/**
 * The counters of one thread in memory that the main thread reads without asking. The thread is the only writer, so
 * plain additions suffice. A thread that replaces a dead one goes on in the same memory.
 */
export class Counters {
  readonly #gauges: Float64Array;
  readonly #tallies: Float64Array;
  readonly #cells: Float64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#gauges = new Float64Array(buffer, 0, GAUGES.length);
    this.#tallies = new Float64Array(buffer, this.#gauges.byteLength, MOST_TALLIES);
    this.#cells = new Float64Array(buffer, this.#gauges.byteLength + this.#tallies.byteLength);
  }

  /** Memory for the counters of one thread. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer((GAUGES.length + MOST_TALLIES + MOST_ROWS * ROW_SIZE) * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Counts an answer of the row at this position. */
  add(route: number, status: number, microseconds: number): void {
    const row = route * ROW_SIZE;
    this.#increase(row + STATUS_AT + Math.min(Math.max(Math.floor(status / 100) - 2, 0), STATUS_CLASSES.length - 1), 1);
    this.#increase(row + SPENT_AT, microseconds / 1e6);
    let bucket = 0;
    while (bucket < BUCKETS - 1 && microseconds > (BOUNDS_MICROSECONDS[bucket] ?? Infinity)) bucket += 1;
    this.#increase(row + BUCKETS_AT + bucket, 1);
  }

  /** Counts what has this number among the tallies. */
  tally(tally: number): void {
    this.#tallies[tally] = (this.#tallies[tally] ?? 0) + 1;
  }

  tallied(tally: number): number {
    return this.#tallies[tally] ?? 0;
  }

  setGauge(name: GaugeName, value: number): void {
    this.#gauges[GAUGES.indexOf(name)] = value;
  }

  gauge(name: GaugeName): number {
    return this.#gauges[GAUGES.indexOf(name)] ?? 0;
  }

  route(route: number): RouteCount {
    const row = this.#cells.subarray(route * ROW_SIZE, (route + 1) * ROW_SIZE);
    return {
      byStatus: [...row.subarray(STATUS_AT, SPENT_AT)],
      secondsSpent: row[SPENT_AT] ?? 0,
      byLatency: [...row.subarray(BUCKETS_AT)],
    };
  }

  #increase(cell: number, by: number): void {
    this.#cells[cell] = (this.#cells[cell] ?? 0) + by;
  }
}

/** Adds up what several threads counted for one row. */
export function sumRoute(threads: readonly Counters[], route: number): RouteCount {
  const counts = threads.map((thread) => thread.route(route));
  return {
    byStatus: STATUS_CLASSES.map((_, position) => sum(counts.map((count) => count.byStatus[position] ?? 0))),
    byLatency: Array.from({ length: BUCKETS }, (_, position) => sum(counts.map((count) => count.byLatency[position] ?? 0))),
    secondsSpent: sum(counts.map((count) => count.secondsSpent)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
