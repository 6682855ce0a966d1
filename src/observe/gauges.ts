import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { LaneCounters } from '../lanes/lane.ts';
import type { StoreStats } from '../store/store.ts';
import type { Counters } from './counters.ts';

const EVERY_MS = 1_000;
/** How often the event loop is looked at; a look that comes late shows a delay. */
const RESOLUTION_MS = 20;

/** What a thread is asked about itself every second. */
export interface GaugeSources {
  readonly store: () => StoreStats;
  readonly inFlight: () => number;
  /** Left out by a thread that does not sign. */
  readonly signing?: () => LaneCounters;
  /** Where something is traced: how many traces were one too many. */
  readonly tracesSkipped?: (() => number) | undefined;
}

/** Keeps the gauges of this thread up to date until the answered function is called. Never keeps a thread alive. */
export function watchGauges(counters: Counters, { store, inFlight, signing, tracesSkipped }: GaugeSources): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  // The histogram holds the time between two looks, which is the resolution where they are punctual.
  const secondsLate = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3) || 0;
  const timer = setInterval(() => {
    const { commits, conflicts, exclusive } = store();
    counters.setGauge('commits', commits);
    counters.setGauge('conflicts', conflicts);
    counters.setGauge('exclusive', exclusive);
    counters.setGauge('inFlight', inFlight());
    counters.setGauge('loopDelayMean', secondsLate(delays.mean));
    counters.setGauge('loopDelayP99', secondsLate(delays.percentile(99)));
    counters.setGauge('loopDelayMax', secondsLate(delays.count === 0 ? 0 : delays.max));
    counters.setGauge('heapUsedBytes', getHeapStatistics().used_heap_size);
    if (signing) writeSigning(counters, signing());
    if (tracesSkipped) counters.setGauge('tracesSkipped', tracesSkipped());
    delays.reset();
  }, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}

function writeSigning(counters: Counters, { queued, oldestSeconds, running, completed, rejected }: LaneCounters): void {
  counters.setGauge('signQueued', queued);
  counters.setGauge('signOldestSeconds', oldestSeconds);
  counters.setGauge('signRunning', running);
  counters.setGauge('signCompleted', completed);
  counters.setGauge('signRejected', rejected);
}
