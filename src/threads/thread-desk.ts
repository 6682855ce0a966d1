import { productVersion } from '../config/product-version.ts';
import type { Reloaded } from '../config/reload.ts';
import type { MainProbes, MainState } from '../http/plain-endpoints.ts';
import type { Served } from '../lanes/tasks.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observation } from '../observe/observation.ts';
import { snapshot } from '../observe/snapshot.ts';
import { RequestWindows, type SecondCount } from '../observe/request-stats.ts';
import type { ServerInfo } from '../recipes/context.ts';
import type { OverviewParts } from './overview.ts';

/** What main tells its threads of the process, and does to it. */
export type ObservedTasks = Served<MainProbes & Pick<ServerInfo, 'requestStats' | 'reload' | 'overview'>>;

/** What a scrape reads, but for the names of what is counted. */
type ThreadObservation = Omit<Observation, 'version' | 'routes' | 'tallies' | 'works'>;

/** What the desk tells and does, and what it learns that from. */
export interface DeskParts {
  readonly observed: ThreadObservation;
  readonly overview: OverviewParts;
  readonly state: () => MainState;
  readonly reload: () => Promise<Reloaded>;
}

/** Pages of operators ask every few seconds. */
const OVERVIEW_MS = 1_000;

/** The main thread's desk for what HTTP threads count, and ask of it. */
export class ThreadDesk {
  readonly #windows = new RequestWindows();
  readonly tasks: ObservedTasks;

  constructor({ observed, overview, state, reload }: DeskParts) {
    this.tasks = {
      requestStats: ([app]) => this.#windows.stats(app, Date.now()),
      metrics: lazyMetrics(observed),
      overview: lazyOverview(observed, overview),
      state,
      reload,
    };
  }

  /** Adds up what a thread counted. */
  count(count: SecondCount): void {
    this.#windows.add(count);
  }
}

/** The names of what is counted load when they are first asked for: a start does not wait for them. */
async function named(observed: ThreadObservation): Promise<Observation> {
  const [{ COUNTED_ROWS }, { TALLIES }, { WORKS }] = await Promise.all([
    import('../http/counted-rows.ts'),
    import('../recipes/statistics/tallies.ts'),
    import('../jobs/works.ts'),
  ]);
  return { ...observed, version: productVersion(), routes: COUNTED_ROWS, tallies: TALLIES, works: WORKS };
}

/** The metrics library loads at the first scrape. */
function lazyMetrics(observed: ThreadObservation): MainProbes['metrics'] {
  let loading: Promise<Metrics> | undefined;
  const load = async (): Promise<Metrics> => {
    const [{ Metrics }, all] = await Promise.all([import('../observe/metrics.ts'), named(observed)]);
    return new Metrics(all);
  };
  return async () => {
    loading ??= load();
    const metrics = await loading;
    return { contentType: metrics.contentType, text: await metrics.text() };
  };
}

/** The checks load with the first overview. */
function lazyOverview(observed: ThreadObservation, parts: OverviewParts): ServerInfo['overview'] {
  return snapshot(OVERVIEW_MS, async () => {
    const [{ takeOverview }, all] = await Promise.all([import('./overview.ts'), named(observed)]);
    return takeOverview(all, parts, Date.now());
  });
}
