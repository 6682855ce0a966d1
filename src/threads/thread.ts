import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { TaskPort } from '../lanes/port.ts';
import { closeAll } from '../observe/close-all.ts';
import { Counters } from '../observe/counters.ts';
import { logOptions, type OpenLog, openLog } from '../observe/log.ts';
import { Pulse } from '../observe/pulse.ts';
import { watchMain } from '../observe/watchdog.ts';
import type { MainTasks } from './main-tasks.ts';
import type { FromThread, ToThread } from './messages.ts';
import type { InForce, ThreadPlan } from './plan.ts';

/** What requests in flight get when the thread is told to stop; after a fault they get less: little can be trusted. */
const GRACE_MS = 5_000;
const FAULT_GRACE_MS = 500;

/** Listens; resolves with the port. @param port 0 for any free one */
type Listen = (port: number) => Promise<number>;

/**
 * A thread of the process as it sees itself: its plan, log, signs of life, port to main, what it has open, and how it
 * ends. It always closes what it has open first: a thread that ends with an open listener aborts the process.
 */
export class Thread<P extends ThreadPlan = ThreadPlan> {
  readonly plan: P = workerData as P;
  readonly log: OpenLog;
  readonly counters: Counters;
  readonly pulse: Pulse;
  /** Closed before the end, the newest first. What serves requests may take `graceMs` to end them. */
  readonly opened: ((graceMs: number) => Promise<void> | void)[] = [];
  /** Who takes a new configuration over: all in one turn of the event loop, so that no check of a request meets two. */
  readonly reloading: ((config: Config) => void)[] = [];
  #loaded: InForce = this.plan.loaded;
  #opening: Promise<void> = Promise.resolve();
  #listen: Listen | undefined;
  #isWorking = false;
  #isEnding = false;

  constructor() {
    const { name, counters, pulse } = this.plan;
    this.log = openLog(logOptions(this.#loaded.config, name));
    this.counters = new Counters(counters);
    this.pulse = new Pulse(pulse);
  }

  /** The configuration in force. */
  get loaded(): InForce {
    return this.#loaded;
  }

  /** Opens what the thread works with; a failure ends it. @param open answers how to listen, if main decides when */
  start(open: () => Promise<Listen | undefined>): void {
    process.on('uncaughtException', (error) => this.#fail(error));
    process.on('unhandledRejection', (error) => this.#fail(error));
    parentPort?.on('message', (message: ToThread) => this.#receive(message));
    watchMain(this.pulse, new Pulse(this.plan.mainPulse), this.log);
    this.#next(async () => {
      this.#listen = await open();
      this.#isWorking = this.#listen === undefined;
      this.pulse.stage = 'running';
    });
  }

  /** Opens the port to main. */
  connect(): TaskPort<MainTasks> {
    const port = new TaskPort<MainTasks>(this.plan.port);
    this.opened.push(() => port.close());
    return port;
  }

  /** True once the thread was told to stop, or met a fault. */
  isEnding(): boolean {
    return this.#isEnding;
  }

  tellMain(message: FromThread): void {
    parentPort?.postMessage(message);
  }

  #receive(message: ToThread): void {
    if (message.kind === 'stop') void this.#end(0, GRACE_MS);
    else if (message.kind === 'reload') this.#next(async () => this.#reload(message.loaded));
    else
      this.#next(async () => {
        const port = await this.#listen?.(message.port);
        this.#isWorking = true;
        if (port !== undefined) this.tellMain({ kind: 'listening', port });
      });
  }

  #reload(loaded: InForce): void {
    this.#loaded = loaded;
    for (const takeOver of this.reloading) takeOver(loaded.config);
    try {
      this.log.reopen(logOptions(loaded.config, this.plan.name));
    } catch (error) {
      this.log.error({ err: error }, 'the log could not be opened anew, it goes on as before');
    }
    this.tellMain({ kind: 'reloaded' });
  }

  #next(step: () => Promise<void>): void {
    this.#opening = this.#opening.then(() => (this.#isEnding ? undefined : step())).catch((error: unknown) => this.#fail(error));
  }

  /** Something is broken: say what, close what is open and end, so that main starts a sound thread. */
  #fail(error: unknown): void {
    // Of a thread that never worked main says why it ended, in one line.
    this.log[this.#isWorking ? 'error' : 'debug']({ err: error }, 'this thread cannot go on');
    this.tellMain({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    void this.#end(1, FAULT_GRACE_MS);
  }

  async #end(code: number, graceMs: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    // What is opened later would never be closed.
    await this.#opening;
    this.pulse.stage = 'ending';
    await closeAll(
      this.opened.map((close) => () => close(graceMs)),
      this.log,
    );
    process.exit(code);
  }
}
