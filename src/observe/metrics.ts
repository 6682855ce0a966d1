import { Counter, Gauge, Histogram, type MetricValueWithName, Registry } from 'prom-client';
import type { LaneCounters } from '../lanes/lane.ts';
import { type Counters, type GaugeName, LATENCY_BOUNDS_SECONDS, type RouteCount, STATUS_CLASSES, sumRoute } from './counters.ts';

/** All that a scrape reads; nothing is copied or sent before. */
export interface Observation {
  /** Labels of the counted rows, by their position in the counters. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** One per HTTP thread. */
  readonly threads: readonly Counters[];
  /** Of the threads that serve no requests: their stores and their event loops. */
  readonly others: { readonly main: Counters; readonly jobs: Counters };
  /** The lanes of the pool; those that sign, one per HTTP thread, are read from the threads' gauges. */
  readonly lanes: () => Promise<Readonly<Record<string, LaneCounters>>>;
  /** How many threads died that had to be replaced: of those that serve, and of those for jobs. */
  readonly restarts: () => { readonly http: number; readonly jobs: number };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Series {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (observed: Observation) => readonly Sample[] | Promise<readonly Sample[]>;
}

/** The signing lanes of all threads as one. They have no workers of their own that could die. */
function signing(threads: readonly Counters[]): LaneCounters {
  const sum = (gauge: GaugeName): number => threads.reduce((total, counters) => total + counters.gauge(gauge), 0);
  return {
    queued: sum('signQueued'),
    running: sum('signRunning'),
    completed: sum('signCompleted'),
    rejected: sum('signRejected'),
    died: 0,
  };
}

const lane =
  (field: keyof LaneCounters) =>
  async ({ lanes, threads }: Observation): Promise<readonly Sample[]> =>
    Object.entries({ ...(await lanes()), sign: signing(threads) }).map(([name, count]) => ({
      labels: { lane: name },
      value: count[field],
    }));

const total =
  (gauge: GaugeName) =>
  ({ threads, others }: Observation): readonly Sample[] => [
    { labels: {}, value: [...Object.values(others), ...threads].reduce((sum, counters) => sum + counters.gauge(gauge), 0) },
  ];

const byThread =
  (gauge: GaugeName) =>
  ({ threads, others }: Observation): readonly Sample[] => [
    ...Object.entries(others).map(([thread, counters]) => ({ labels: { thread }, value: counters.gauge(gauge) })),
    ...threads.map((counters, index) => ({ labels: { thread: `http-${index}` }, value: counters.gauge(gauge) })),
  ];

const ofMain =
  (gauge: GaugeName) =>
  ({ others }: Observation): readonly Sample[] => [{ labels: {}, value: others.main.gauge(gauge) }];

/** What a gauge of the jobs thread says, unless it never said anything. */
const ofJobs =
  (gauge: GaugeName) =>
  ({ others }: Observation): readonly Sample[] => {
    const value = others.jobs.gauge(gauge);
    return value === 0 ? [] : [{ labels: {}, value }];
  };

const one =
  (read: (observed: Observation) => number) =>
  (observed: Observation): readonly Sample[] => [{ labels: {}, value: read(observed) }];

const requests = ({ threads, routes }: Observation): readonly Sample[] =>
  routes.flatMap(({ method, path }, position) =>
    sumRoute(threads, position).byStatus.flatMap((value, status) =>
      value === 0 ? [] : [{ labels: { method, path, status: STATUS_CLASSES[status] ?? '' }, value }],
    ),
  );

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Where attempts at webhooks are counted, by what came of them. */
const WEBHOOK_OUTCOMES: Readonly<Record<string, GaugeName>> = {
  delivered: 'webhooksDelivered',
  failed: 'webhooksFailed',
  given_up: 'webhooksGivenUp',
};

/** All series but the latencies. */
const SERIES: readonly Series[] = [
  {
    type: 'counter',
    name: 'watchword_http_requests_total',
    help: 'Answers by route and status class',
    labels: ['method', 'path', 'status'],
    read: requests,
  },
  { type: 'gauge', name: 'watchword_http_in_flight', help: 'Requests being answered', labels: ['thread'], read: byThread('inFlight') },
  {
    type: 'counter',
    name: 'watchword_http_thread_restarts_total',
    help: 'HTTP threads that died and were replaced',
    labels: [],
    read: one(({ restarts }) => restarts().http),
  },
  {
    type: 'counter',
    name: 'watchword_jobs_thread_restarts_total',
    help: 'Threads for jobs and imports that died and were replaced',
    labels: [],
    read: one(({ restarts }) => restarts().jobs),
  },
  {
    type: 'gauge',
    name: 'watchword_lane_queued',
    help: 'Tasks waiting in a lane',
    labels: ['lane'],
    read: lane('queued'),
  },
  { type: 'gauge', name: 'watchword_lane_running', help: 'Tasks running in a lane', labels: ['lane'], read: lane('running') },
  {
    type: 'counter',
    name: 'watchword_lane_completed_total',
    help: 'Tasks that a lane finished',
    labels: ['lane'],
    read: lane('completed'),
  },
  {
    type: 'counter',
    name: 'watchword_lane_rejected_total',
    help: 'Tasks refused because a lane was full',
    labels: ['lane'],
    read: lane('rejected'),
  },
  {
    type: 'counter',
    name: 'watchword_lane_died_total',
    help: 'Workers of a lane that died and were replaced',
    labels: ['lane'],
    read: lane('died'),
  },
  {
    type: 'counter',
    name: 'watchword_store_commits_total',
    help: 'Committed transactions of this process',
    labels: [],
    read: total('commits'),
  },
  {
    type: 'counter',
    name: 'watchword_store_conflicts_total',
    help: 'Transactions run again after a conflict',
    labels: [],
    read: total('conflicts'),
  },
  {
    type: 'counter',
    name: 'watchword_store_exclusive_total',
    help: 'Transactions that had to run alone',
    labels: [],
    read: total('exclusive'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_readers',
    help: 'Snapshots of the store that are being read, of all processes',
    labels: [],
    read: ofMain('readers'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_oldest_reader_commits',
    help: 'Commits since the oldest snapshot that is being read',
    labels: [],
    read: ofMain('oldestReaderCommits'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_oldest_reader_seconds',
    help: 'Time for which the oldest snapshot that is being read has not been the newest',
    labels: [],
    read: ofMain('oldestReaderSeconds'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_mean_seconds',
    help: 'Mean event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayMean'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_p99_seconds',
    help: '99th percentile of the event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayP99'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_max_seconds',
    help: 'Longest event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayMax'),
  },
  { type: 'gauge', name: 'watchword_heap_used_bytes', help: 'Used JavaScript heap', labels: ['thread'], read: byThread('heapUsedBytes') },
  {
    type: 'gauge',
    name: 'watchword_backup_last_success_timestamp_seconds',
    help: 'When the last backup on the schedule was finished, since the epoch',
    labels: [],
    read: ofJobs('backupAt'),
  },
  {
    type: 'gauge',
    name: 'watchword_backup_last_success_size_bytes',
    help: 'Size of the last backup on the schedule',
    labels: [],
    read: ofJobs('backupBytes'),
  },
  {
    type: 'counter',
    name: 'watchword_backup_failures_total',
    help: 'Backups on the schedule that failed',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('backupFailures')),
  },
  {
    type: 'gauge',
    name: 'watchword_audit_lag_seconds',
    help: 'How long the oldest event of the audit trail has waited to be sealed',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('auditLag')),
  },
  {
    type: 'gauge',
    name: 'watchword_webhook_lag_seconds',
    help: 'Age of the oldest event that waits for a webhook, where this process delivers',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('webhookLagSeconds')),
  },
  {
    type: 'gauge',
    name: 'watchword_webhook_dead_letters',
    help: 'Messages to webhooks that were given up and are kept',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('webhookDeadLetters')),
  },
  {
    type: 'counter',
    name: 'watchword_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks, by what came of them',
    labels: ['outcome'],
    read: ({ others }) =>
      Object.entries(WEBHOOK_OUTCOMES).map(([outcome, gauge]) => ({ labels: { outcome }, value: others.jobs.gauge(gauge) })),
  },
  {
    type: 'counter',
    name: 'watchword_major_page_faults_total',
    help: 'Page faults that waited for the disk',
    labels: [],
    read: one(() => process.resourceUsage().majorPageFault),
  },
  {
    type: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Resident memory, mapped store pages included',
    labels: [],
    read: one(() => process.memoryUsage.rss()),
  },
  { type: 'counter', name: 'process_cpu_seconds_total', help: 'Processor time spent', labels: [], read: one(cpuSeconds) },
  {
    type: 'gauge',
    name: 'process_start_time_seconds',
    help: 'Start of the process since the epoch',
    labels: [],
    read: one(() => STARTED_AT_SECONDS),
  },
];

/** Computed once: the clock may be set, and a moving start would read as a new process. */
const STARTED_AT_SECONDS = Date.now() / 1000 - process.uptime();

/** The text form of all metrics (Prometheus exposition format 0.0.4), read from what the threads counted. */
export class Metrics {
  readonly #registry = new Registry();

  constructor(observed: Observation) {
    for (const series of SERIES) this.#registry.registerMetric(sampled(series, observed));
    this.#registry.registerMetric(new FilledHistogram(observed));
  }

  /** Content type of `text()`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function sampled({ type, name, help, labels, read }: Series, observed: Observation): Counter | Gauge {
  const shared = { name, help, labelNames: [...labels], registers: [] };
  if (type === 'gauge') {
    return new Gauge({
      ...shared,
      async collect() {
        const samples = await read(observed);
        this.reset();
        for (const { labels, value } of samples) this.set(labels, value);
      },
    });
  }
  return new Counter({
    ...shared,
    async collect() {
      const samples = await read(observed);
      this.reset();
      for (const { labels, value } of samples) this.inc(labels, value);
    },
  });
}

const LATENCIES = { name: 'watchword_http_request_seconds', help: 'Time from the whole request to its answer, by route' };

/** The latencies of all routes. The library's own histogram only observes single values; ours come in buckets. */
class FilledHistogram extends Histogram {
  readonly #observed: Observation;

  constructor(observed: Observation) {
    super({ ...LATENCIES, labelNames: ['method', 'path'], registers: [] });
    this.#observed = observed;
  }

  /** What the registry writes out; the library's declarations leave this out. */
  getForPromString(): { name: string; help: string; type: string; values: readonly MetricValueWithName<string>[] } {
    const { routes, threads } = this.#observed;
    const values = routes.flatMap(({ method, path }, position) => latencies({ method, path }, sumRoute(threads, position)));
    return { ...LATENCIES, type: 'histogram', values };
  }
}

function latencies(labels: { method: string; path: string }, { byLatency, secondsSpent }: RouteCount): MetricValueWithName<string>[] {
  let running = 0;
  const buckets = byLatency.map((count, position) => {
    running += count;
    return {
      metricName: `${LATENCIES.name}_bucket`,
      labels: { ...labels, le: LATENCY_BOUNDS_SECONDS[position] ?? '+Inf' },
      value: running,
    };
  });
  if (running === 0) return [];
  return [
    ...buckets,
    { metricName: `${LATENCIES.name}_sum`, labels, value: secondsSpent },
    { metricName: `${LATENCIES.name}_count`, labels, value: running },
  ];
}
