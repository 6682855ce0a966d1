import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Services } from '../recipes/context.ts';
import { isBaseTenantThere } from '../recipes/tenants/ensure-base-tenant.ts';
import { apiDocs } from './api-docs.ts';
import { type Reply, textReply } from './reply.ts';
import type { PlainEndpoint } from './plain-endpoint.ts';

/** Main answers at once, though on a busy machine it may wait for a core; after this long it is stuck or gone. */
const ANSWER_LIMIT_MS = 10_000;

/** What the probes ask of main. */
export interface MainProbes {
  /** The metrics of the whole process as text. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Answered while main, which owns the worker pool, is alive. */
  state(): Promise<MainState>;
}

/** How main is; `reload-refused`: what it runs with is older than what it was last told to run with. */
export type MainState = 'ready' | 'reload-refused' | 'stopping';

const notReady = (reason: string): Reply => textReply(503, `not ready: ${reason}`);
const STOPPING = notReady('it is stopping');
const NO_ANSWER = notReady('the main thread does not answer');
const NO_TENANT = notReady('the store holds no base tenant');
const NO_READS = notReady('the store cannot be read');
/** Reads go on, so that who needs them may still ask. */
const NO_WRITES = notReady('the store takes no writes');

const ANSWERS: Readonly<Record<MainState, Reply>> = {
  ready: textReply(200, 'ready'),
  'reload-refused': textReply(200, 'ready; the last reload was refused: see the log'),
  stopping: STOPPING,
};

/**
 * The endpoints beside the contract's: probes, metrics, the description of the interface.
 * @param isEnding true once the thread stops
 * @param config the base configuration
 */
export function plainEndpoints(
  services: Services,
  main: MainProbes,
  isEnding: () => boolean,
  config: Pick<Config, 'api_docs' | 'base_path'>,
): ReadonlyMap<string, PlainEndpoint> {
  const dropped =
    (what: string) =>
    (error: unknown): undefined =>
      void services.dropped(error, what);
  const ready = async (): Promise<Reply> => {
    if (isEnding()) return STOPPING;
    if (services.store.blockedBy() !== undefined) return NO_WRITES;
    const [isTenantThere, state] = await Promise.all([
      isBaseTenantThere(services.store).catch(dropped('the store cannot be read')),
      Promise.race([main.state().catch(dropped('the main thread does not answer')), wait(ANSWER_LIMIT_MS, undefined, { ref: false })]),
    ]);
    if (isTenantThere === undefined) return NO_READS;
    if (!isTenantThere) return NO_TENANT;
    return state === undefined ? NO_ANSWER : ANSWERS[state];
  };
  const metrics = async (): Promise<Reply> => {
    const { contentType, text } = await main.metrics();
    return { status: 200, contentType, body: text };
  };
  return new Map<string, PlainEndpoint>([
    ['/livez', { isOpen: true, answer: () => textReply(200, 'alive') }],
    ['/readyz', { isOpen: true, answer: ready }],
    ['/metrics', { isOpen: false, answer: metrics }],
    ...(config.api_docs ? apiDocs(config.base_path) : []),
  ]);
}
