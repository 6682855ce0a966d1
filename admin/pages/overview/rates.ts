import type { Overview } from './nodes.ts';

type RouteLoad = Overview['requests']['routes'][number];

/** What was counted within a while. */
export interface Load {
  readonly perSecond: number;
  /** Of 5xx. */
  readonly errorsPerSecond: number;
  /** In seconds; undefined where nothing was asked, Infinity above the last bound. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

export interface RouteRate extends Load {
  readonly name: string;
}

/** Of the page itself. */
const OWN_PATH = '/manage/v1/overview';
const SERVER_ERRORS = 3;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const nameOf = ({ method, path }: RouteLoad): string => `${method} ${path}`.trim();
const secondsBetween = (from: Overview, to: Overview): number => to.process.uptimeSeconds - from.process.uptimeSeconds;

/** What one endpoint answered between two samples of a process. */
interface Counted {
  readonly name: string;
  readonly byStatus: readonly number[];
  readonly byLatency: readonly number[];
}

function between(from: Overview, to: Overview): readonly Counted[] {
  const before = new Map(from.requests.routes.map((one) => [nameOf(one), one]));
  return to.requests.routes.flatMap((one) => {
    if (one.path === OWN_PATH) return [];
    const name = nameOf(one);
    const old = before.get(name);
    const minus = (counts: readonly number[], less: readonly number[] | undefined): readonly number[] =>
      counts.map((value, at) => value - (less?.[at] ?? 0));
    return [{ name, byStatus: minus(one.byStatus, old?.byStatus), byLatency: minus(one.byLatency, old?.byLatency) }];
  });
}

/** Where a share of what was counted is not exceeded, by straight lines within the classes. @param share 0 to 1 */
export function percentile(byLatency: readonly number[], bounds: readonly number[], share: number): number | undefined {
  const total = sum(byLatency);
  if (total === 0) return undefined;
  let left = total * share;
  for (const [at, number] of byLatency.entries()) {
    if (number >= left && number > 0) {
      const low = bounds[at - 1] ?? 0;
      const high = bounds[at];
      return high === undefined ? Number.POSITIVE_INFINITY : low + ((high - low) * left) / number;
    }
    left -= number;
  }
  return Number.POSITIVE_INFINITY;
}

function loadOf(counted: readonly Counted[], seconds: number, bounds: readonly number[]): Load {
  const buckets = Array.from({ length: bounds.length + 1 }, (_, at) => sum(counted.map(({ byLatency }) => byLatency[at] ?? 0)));
  return {
    perSecond: sum(counted.flatMap(({ byStatus }) => byStatus)) / seconds,
    errorsPerSecond: sum(counted.map(({ byStatus }) => byStatus[SERVER_ERRORS] ?? 0)) / seconds,
    p50: percentile(buckets, bounds, 0.5),
    p99: percentile(buckets, bounds, 0.99),
  };
}

/** All endpoints but the page's own question. @returns undefined where no time lies between the two */
export function loadBetween(from: Overview, to: Overview): Load | undefined {
  const seconds = secondsBetween(from, to);
  return seconds > 0 ? loadOf(between(from, to), seconds, to.requests.boundsSeconds) : undefined;
}

/** The endpoints that were asked between the two, the busiest first. */
export function busiestBetween(from: Overview, to: Overview, most: number): readonly RouteRate[] {
  const seconds = secondsBetween(from, to);
  if (seconds <= 0) return [];
  return between(from, to)
    .filter(({ byStatus }) => sum(byStatus) > 0)
    .map((counted) => ({ name: counted.name, ...loadOf([counted], seconds, to.requests.boundsSeconds) }))
    .toSorted((one, other) => other.perSecond - one.perSecond)
    .slice(0, most);
}

/** Processors that were kept busy between the two. */
export function processorsBetween(from: Overview, to: Overview): number | undefined {
  const seconds = secondsBetween(from, to);
  return seconds > 0 ? (to.process.cpuSeconds - from.process.cpuSeconds) / seconds : undefined;
}
