import { productVersion } from '../config/product-version.ts';
import type { Reloaded } from '../config/reload.ts';
import type { MainProbes, MainState } from '../http/plain-endpoints.ts';
import type { Served } from '../lanes/tasks.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observation } from '../observe/observation.ts';
import { RequestWindows, type SecondCount } from '../observe/request-stats.ts';
import type { ServerInfo } from '../recipes/context.ts';

/** What main tells its threads of the process, and does to it. */
export type ObservedTasks = Served<MainProbes & Pick<ServerInfo, 'requestStats' | 'reload'>>;

/** What a scrape reads, but for the names of what is counted. */
type ThreadObservation = Omit<Observation, 'version' | 'routes' | 'tallies' | 'works'>;

/** The main thread's desk for what HTTP threads count, and ask of it. */
export class ThreadDesk {
  readonly #windows = new RequestWindows();
  readonly tasks: ObservedTasks;

  constructor(observed: ThreadObservation, state: () => MainState, reload: () => Promise<Reloaded>) {
    this.tasks = {
      requestStats: ([app]) => this.#windows.stats(app, Date.now()),
      metrics: lazyMetrics(observed),
      state,
      reload,
    };
  }

  /** Adds up what a thread counted. */
  count(count: SecondCount): void {
    this.#windows.add(count);
  }
}

/** The metrics library and the labels load at the first scrape: a start does not wait for them. */
function lazyMetrics(observed: ThreadObservation): MainProbes['metrics'] {
  let loading: Promise<Metrics> | undefined;
  const load = async (): Promise<Metrics> => {
    const [{ Metrics }, { COUNTED_ROWS }, { TALLIES }, { WORKS }] = await Promise.all([
      import('../observe/metrics.ts'),
      import('../http/counted-rows.ts'),
      import('../recipes/statistics/tallies.ts'),
      import('../jobs/works.ts'),
    ]);
    return new Metrics({ ...observed, version: productVersion(), routes: COUNTED_ROWS, tallies: TALLIES, works: WORKS });
  };
  return async () => {
    loading ??= load();
    const metrics = await loading;
    return { contentType: metrics.contentType, text: await metrics.text() };
  };
}
