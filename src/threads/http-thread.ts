import { adminPage } from '../http/admin-page.ts';
import { ConnectionLimit } from '../http/connection-limit.ts';
import { countedNumbers, NO_ROW } from '../http/counted-rows.ts';
import { loadEngine } from '../http/load-engine.ts';
import { plainEndpoints } from '../http/plain-endpoints.ts';
import { listenAddress } from '../http/probe-port.ts';
import { type Observer, Server } from '../http/server.ts';
import { SigningLane } from '../lanes/signing-lane.ts';
import { watchGauges } from '../observe/gauges.ts';
import { SecondCounter } from '../observe/request-stats.ts';
import { watchStore } from '../observe/watch-store.ts';
import type { Services } from '../recipes/context.ts';
import type { Route } from '../recipes/route.ts';
import { ROUTES } from '../recipes/routes.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import { openServices } from './http-services.ts';
import type { HttpPart, ThreadPlan } from './plan.ts';
import { requestTraces } from './request-traces.ts';
import { Thread } from './thread.ts';
import { openThreadTraces } from './thread-traces.ts';

/* One HTTP thread: its own store handle, its own server, and one port to main. */

const EVERY_SECOND_MS = 1_000;

const thread = new Thread<ThreadPlan & HttpPart>();
const { plan, log, opened, counters, pulse } = thread;
const { config } = thread.loaded;

/** Opens everything but the listener, while main does the same, and tells main. */
async function open(): Promise<(port: number) => Promise<number>> {
  const signing = new SigningLane(plan.signingWidth);
  const [traces, engine, { services, main, port }] = await Promise.all([
    openThreadTraces(thread),
    // All threads meet the same engine; the first one says it for all.
    loadEngine(config.http_engine, (line) => plan.name === 'http-0' && log.warn(line)),
    openServices(thread, signing),
  ]);
  opened.push(watchStore(services.store, log));
  const plain = plainEndpoints(services, main, () => thread.isEnding(), config);
  const traced = traces && requestTraces(traces, { services, port, signing });
  const page = config.admin_page ? await adminPage() : [];
  const parts = { routes: ROUTES, services, config, observer: observer(), traces: traced };
  const isApart = config.admin_page && config.admin_port !== 0;
  const server = new Server({
    ...parts,
    plain: new Map([...plain, ...(isApart ? [] : page)]),
    door: { takesKeys: true, takesCookies: config.admin_page && !isApart },
  });
  // What the main port does with keys, this one does with the cookies of operators.
  const admin = isApart
    ? new Server({ ...parts, plain: new Map([...plain, ...page]), door: { takesKeys: false, takesCookies: true } })
    : undefined;
  thread.reloading.push((next) => {
    server.use(next);
    admin?.use(next);
  });
  const { memory, most } = plan.connections;
  const connections = new ConnectionLimit(memory, most, () =>
    log.warn({ most }, 'connections are refused: the limit of open files has no room for more'),
  );
  thread.tellMain({ kind: 'prepared', sharesPort: engine.sharesPort });
  return async (asked) => {
    opened.push(() => connections.end());
    const listening = await engine.listen(listenAddress(config.host), asked, server, connections);
    opened.push((graceMs) => listening.close(graceMs));
    const beside = admin && (await engine.listen(listenAddress(config.admin_host), config.admin_port, admin, connections));
    if (beside) opened.push((graceMs) => beside.close(graceMs));
    const inFlight = (): number => listening.inFlight() + (beside?.inFlight() ?? 0);
    const sources = { store: () => services.store.stats(), inFlight, signing: () => signing.counters };
    opened.push(watchGauges(counters, { ...sources, tracesSkipped: traces && (() => traces.skipped) }));
    void meetBaseApp(services);
    return listening.port;
  };
}

/** Asks for the base app before anybody does, so that missing keys are made in the background. */
async function meetBaseApp({ directory }: Services): Promise<void> {
  try {
    await directory.find(BASE_ADDRESS);
  } catch (error) {
    log.warn({ err: error }, 'the base app could not be read');
  }
}

/** Counts requests and shows them in the pulse. */
function observer(): Observer {
  const rows = countedNumbers();
  const seconds = new SecondCounter((count) => thread.tellMain({ kind: 'counted', count }));
  const timer = setInterval(() => seconds.flush(), EVERY_SECOND_MS);
  opened.push(() => {
    clearInterval(timer);
    seconds.flush();
  });
  const numberOf = (route: Route): number => rows.get(route) ?? NO_ROW;
  const finished = (route: Route | undefined, status: number, microseconds: number): void => {
    const row = route ? numberOf(route) : NO_ROW;
    counters.add(row, status, microseconds);
    if (route) pulse.end(row);
    if (thread.loaded.config.request_log) logRequest(route, status, microseconds);
  };
  return {
    began: (route) => pulse.begin(numberOf(route)),
    finished,
    counted: (app) => seconds.add(app, Date.now()),
    faulted: (error, route, traceId) =>
      log.error({ err: error, method: route?.method, route: route?.path, traceId }, 'a request met a fault'),
  };
}

function logRequest(route: Route | undefined, status: number, microseconds: number): void {
  log.info({ method: route?.method, route: route?.path, status, ms: Math.round(microseconds) / 1000 }, 'request');
}

thread.start(open);
