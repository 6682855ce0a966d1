import type { LaneCounters } from '../lanes/lane.ts';
import type { Counters, GaugeName, RouteCount } from './counters.ts';
import type { SpanCounts } from './traces/collector.ts';

/** All that a scrape reads; nothing is copied or sent before. */
export interface Observation {
  /** Of the product. */
  readonly version: string;
  /** Labels of the counted rows, by their position in the counters. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** One per HTTP thread. */
  readonly threads: readonly Counters[];
  /** Of the threads that serve no requests: their stores and their event loops. */
  readonly others: { readonly main: Counters; readonly jobs: Counters };
  /** The lanes of the pool; those that sign, one per HTTP thread, are read from the threads' gauges. */
  readonly lanes: () => Promise<Readonly<Record<string, LaneCounters>>>;
  /** What `Counters.tally` counts, by its number. */
  readonly tallies: readonly { readonly subject: string; readonly outcome: string }[];
  /** What the jobs thread works on, by the number under which it counts that like a request. */
  readonly works: readonly string[];
  /** What became of the spans of all threads; undefined where nothing is traced. */
  readonly spans: () => SpanCounts | undefined;
  /** How many threads died that had to be replaced: of those that serve, and of those for jobs. */
  readonly restarts: () => { readonly http: number; readonly jobs: number };
}

/** A value of a series, as a scrape shows it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape shows under one name. */
export interface Series {
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
    oldestSeconds: Math.max(0, ...threads.map((counters) => counters.gauge('signOldestSeconds'))),
    running: sum('signRunning'),
    completed: sum('signCompleted'),
    rejected: sum('signRejected'),
    died: 0,
  };
}

/** All lanes by their names, those that sign included. */
export async function allLanes({ lanes, threads }: Observation): Promise<Readonly<Record<string, LaneCounters>>> {
  return { ...(await lanes()), sign: signing(threads) };
}

/** By lane. */
export const lane =
  (field: keyof LaneCounters) =>
  async (observed: Observation): Promise<readonly Sample[]> =>
    Object.entries(await allLanes(observed)).map(([name, count]) => ({
      labels: { lane: name },
      value: count[field],
    }));

/** The sum over all threads. */
export const total =
  (gauge: GaugeName) =>
  ({ threads, others }: Observation): readonly Sample[] => [
    { labels: {}, value: [...Object.values(others), ...threads].reduce((sum, counters) => sum + counters.gauge(gauge), 0) },
  ];

/** By thread. */
export const byThread =
  (gauge: GaugeName) =>
  ({ threads, others }: Observation): readonly Sample[] => [
    ...Object.entries(others).map(([thread, counters]) => ({ labels: { thread }, value: counters.gauge(gauge) })),
    ...threads.map((counters, index) => ({ labels: { thread: `http-${index}` }, value: counters.gauge(gauge) })),
  ];

/** What main alone says. */
export const ofMain =
  (gauge: GaugeName) =>
  ({ others }: Observation): readonly Sample[] => [{ labels: {}, value: others.main.gauge(gauge) }];

/** What a gauge of the jobs thread says, unless it never said anything. */
export const ofJobs =
  (gauge: GaugeName) =>
  ({ others }: Observation): readonly Sample[] => {
    const value = others.jobs.gauge(gauge);
    return value === 0 ? [] : [{ labels: {}, value }];
  };

/** A number without labels. */
export const one =
  (read: (observed: Observation) => number) =>
  (observed: Observation): readonly Sample[] => [{ labels: {}, value: read(observed) }];

/** What main found out so far, unless it cannot be known here (NaN), or nobody has looked. */
export const known =
  (gauge: GaugeName) =>
  ({ others }: Observation): readonly Sample[] => {
    const isLookedAt = others.main.gauge('storeBytes') > 0;
    const value = others.main.gauge(gauge);
    return !isLookedAt || Number.isNaN(value) ? [] : [{ labels: {}, value }];
  };

/** The tallies of some subjects. @param labels of one of them */
export const tallied =
  (isOf: (subject: string) => boolean, labels: (subject: string, outcome: string) => Sample['labels']) =>
  ({ tallies, threads }: Observation): readonly Sample[] =>
    tallies.flatMap(({ subject, outcome }, number) => {
      if (!isOf(subject)) return [];
      const value = threads.reduce((sum, counters) => sum + counters.tallied(number), 0);
      return [{ labels: labels(subject, outcome), value }];
    });

/** The works of the jobs thread. @param value of one of them */
export const byWork =
  (value: (count: RouteCount) => number) =>
  ({ works, others }: Observation): readonly Sample[] =>
    works.map((name, number) => ({ labels: { name }, value: value(others.jobs.route(number)) }));
