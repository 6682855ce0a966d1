import { parentPort, workerData } from 'node:worker_threads';
import type { LaneCounters } from '../crypto/lane.ts';
import { SigningLane } from '../crypto/signing-lane.ts';
import { closeAll } from '../observe/close-all.ts';
import { Counters } from '../observe/counters.ts';
import { watchGauges } from '../observe/gauges.ts';
import { type Log, openLog } from '../observe/log.ts';
import { Pulse } from '../observe/pulse.ts';
import { SecondCounter } from '../observe/request-stats.ts';
import type { Services } from '../recipes/context.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import { watchStore } from '../observe/watch-store.ts';
import { watchMain } from '../observe/watchdog.ts';
import type { Route } from '../recipes/route.ts';
import { ROUTES } from '../recipes/routes.ts';
import { AskMain } from './ask-main.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { countedNumbers, NO_ROW } from './counted-rows.ts';
import { loadEngine } from './load-engine.ts';
import { plainEndpoints } from './plain-endpoints.ts';
import { listenAddress } from './probe-port.ts';
import { type Observer, Server } from './server.ts';
import type { FromThread, ThreadPlan, ToThread } from './thread-messages.ts';
import { openServices } from './thread-services.ts';

/*
 * One HTTP thread: its own store handle, its own server, one port to main for crypto and one for everything else. Whatever happens, it
 * closes its listening app before it ends: a thread that ends with an open app aborts the whole process.
 */

/** How long requests in flight may take when the thread is told to stop; after a fault, when little can be trusted, they get less. */
const GRACE_MS = 5_000;
const FAULT_GRACE_MS = 500;
const EVERY_SECOND_MS = 1_000;

const toMain = (message: FromThread): void => parentPort?.postMessage(message);

class HttpThread {
  readonly #plan: ThreadPlan;
  readonly #log: Log;
  readonly #main = new AskMain(toMain);
  readonly #counters: Counters;
  readonly #pulse: Pulse;
  readonly #signing: SigningLane;
  readonly #closers: ((graceMs: number) => Promise<void> | void)[] = [];
  #listen: ((port: number) => Promise<number>) | undefined;
  #opening: Promise<void> | undefined;
  #isListening = false;
  #isEnding = false;

  constructor(plan: ThreadPlan) {
    const { log_level: level, info_log_path: infoPath, error_log_path: errorPath } = plan.loaded.config;
    this.#plan = plan;
    this.#log = openLog({ level, infoPath, errorPath, thread: plan.name });
    this.#counters = new Counters(plan.counters);
    this.#pulse = new Pulse(plan.pulse);
    this.#signing = new SigningLane(plan.signingWidth);
  }

  /** Opens everything but the listener, while main does the same, and tells main. */
  async prepare(): Promise<void> {
    const { config } = this.#plan.loaded;
    watchMain(this.#pulse, new Pulse(this.#plan.mainPulse), this.#log);
    const [engine, services] = await Promise.all([
      loadEngine(config.http_engine, (line) => this.#warnOnce(line)),
      openServices(this.#plan, this.#main, this.#log, this.#signing, (close) => this.#closers.push(close)),
    ]);
    this.#closers.push(watchStore(services.store, this.#log));
    const plain = plainEndpoints(services, this.#main, () => this.#isEnding);
    const server = new Server({ routes: ROUTES, services, config, plain, observer: this.#observer() });
    const { memory, most } = this.#plan.connections;
    const connections = new ConnectionLimit(memory, most, () =>
      this.#log.warn({ most }, 'connections are refused: the limit of open files has no room for more'),
    );
    this.#listen = async (port) => {
      this.#closers.push(() => connections.end());
      const listening = await engine.listen(listenAddress(config.host), port, server, connections);
      this.#closers.push((graceMs) => listening.close(graceMs));
      const signing = (): LaneCounters => this.#signing.counters;
      const sources = { store: () => services.store.stats(), inFlight: () => listening.inFlight(), signing };
      this.#closers.push(watchGauges(this.#counters, sources));
      void this.#meetBaseApp(services);
      return listening.port;
    };
    this.#pulse.stage = 'running';
    toMain({ kind: 'prepared', sharesPort: engine.sharesPort });
  }

  /** Asks for the base app before anybody does: whatever keys it lacks are made in the background. */
  async #meetBaseApp({ directory }: Services): Promise<void> {
    try {
      await directory.find(BASE_ADDRESS);
    } catch (error) {
      this.#log.warn({ err: error }, 'the base app could not be read');
    }
  }

  /** Takes in a message of main. */
  receive(message: ToThread): void {
    if (message.kind === 'stop') void this.#end(0, GRACE_MS);
    else if (message.kind === 'listen')
      this.#opening = this.#open(message.port).catch((error: unknown) => queueMicrotask(() => this.fail(error)));
    else this.#main.accept(message);
  }

  async #open(port: number): Promise<void> {
    if (!this.#listen || this.#isEnding) return;
    const found = await this.#listen(port);
    this.#isListening = true;
    toMain({ kind: 'listening', port: found });
  }

  /** Something is broken: say what, close what is open and end, so that main starts a sound thread. */
  fail(error: unknown): void {
    // A thread that never listened belongs to a start that fails: main says why in one line.
    this.#log[this.#isListening ? 'error' : 'debug']({ err: error }, 'the HTTP thread cannot go on');
    toMain({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    void this.#end(1, FAULT_GRACE_MS);
  }

  /** All threads meet the same engine; the first one says it for all. */
  #warnOnce(line: string): void {
    if (this.#plan.name === 'http-0') this.#log.warn(line);
  }

  async #end(code: number, graceMs: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#pulse.stage = 'ending';
    await this.#opening;
    const closers = this.#closers.map((close) => () => close(graceMs));
    await closeAll(closers, this.#log);
    process.exit(code);
  }

  #observer(): Observer {
    const rows = countedNumbers();
    const seconds = new SecondCounter((count) => toMain({ kind: 'counted', count }));
    const timer = setInterval(() => seconds.flush(), EVERY_SECOND_MS);
    this.#closers.push(() => {
      clearInterval(timer);
      seconds.flush();
    });
    const [counters, pulse] = [this.#counters, this.#pulse];
    const numberOf = (route: Route): number => rows.get(route) ?? NO_ROW;
    const finished = (route: Route | undefined, status: number, microseconds: number): void => {
      const row = route ? numberOf(route) : NO_ROW;
      counters.add(row, status, microseconds);
      if (route) pulse.end(row);
    };
    return {
      began: (route) => pulse.begin(numberOf(route)),
      finished: this.#plan.loaded.config.request_log ? this.#logging(finished) : finished,
      counted: (app) => seconds.add(app, Date.now()),
      faulted: (error, route) => this.#log.error({ err: error, method: route?.method, route: route?.path }, 'a request met a fault'),
    };
  }

  #logging(finished: NonNullable<Observer['finished']>): NonNullable<Observer['finished']> {
    return (route, status, microseconds) => {
      finished(route, status, microseconds);
      this.#log.info({ method: route?.method, route: route?.path, status, ms: Math.round(microseconds) / 1000 }, 'request');
    };
  }
}

const thread = new HttpThread(workerData as ThreadPlan);
process.on('uncaughtException', (error) => thread.fail(error));
process.on('unhandledRejection', (error) => thread.fail(error));
parentPort?.on('message', (message: ToThread) => thread.receive(message));
thread.prepare().catch((error: unknown) => thread.fail(error));
