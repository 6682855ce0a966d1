import type { Config } from '../config/config.ts';
import { productVersion } from '../config/product-version.ts';
import type { SamplingRate } from '../observe/traces/sampler.ts';
import type { Traces } from '../observe/traces/traces.ts';
import type { Thread } from './thread.ts';

/** The traces of a thread, whose library is loaded only where the configuration names a collector. */
export async function openThreadTraces(thread: Thread): Promise<Traces | undefined> {
  const { config } = thread.loaded;
  if (config.otel_collector_connection_uri === null) return undefined;
  const { Traces } = await import('../observe/traces/traces.ts');
  const origin = {
    serviceName: config.otel_service_name,
    version: productVersion(),
    instanceId: thread.plan.instanceId,
    thread: thread.plan.name,
  };
  const traces = new Traces(origin, rateOf(config), ({ count, bytes }) => thread.tellMain({ kind: 'spans', count, bytes }));
  thread.reloading.push((next) => traces.use(rateOf(next)));
  // It is closed after the listener, so that the last requests are recorded too.
  thread.opened.push(() => traces.close());
  return traces;
}

/** The share of one thread of what the process may record. */
function rateOf({ otel_sampling_ratio: ratio, otel_most_traces_per_second: most, http_threads: threads }: Config): SamplingRate {
  return { ratio, mostPerSecond: Math.ceil(most / threads) };
}
