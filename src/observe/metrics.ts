import { Counter, Gauge, Histogram, type MetricValueWithName, Registry } from 'prom-client';
import { LATENCY_BOUNDS_SECONDS, type RouteCount, sumRoute } from './counters.ts';
import type { Observation, Series } from './observation.ts';
import { PRODUCT_SERIES } from './product-series.ts';
import { SERIES } from './series.ts';

/** The text form of all metrics (Prometheus exposition format 0.0.4), read from what the threads counted. */
export class Metrics {
  readonly #registry = new Registry();

  constructor(observed: Observation) {
    for (const series of [...SERIES, ...PRODUCT_SERIES]) this.#registry.registerMetric(sampled(series, observed));
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
        // To the library, a gauge without labels is 0 until it says something else.
        if (samples.length === 0) this.remove();
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

/** The series of latencies. */
export const LATENCIES = { name: 'watchword_http_request_seconds', help: 'Time from the whole request to its answer, by route' };

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
