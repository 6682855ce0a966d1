import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { endAtOnce } from '../observe/end-at-once.ts';
import type { Log } from '../observe/log.ts';
import { Pulse } from '../observe/pulse.ts';
import { Watchdog } from '../observe/watchdog.ts';

/** Looking up the names of what a thread hangs in reads files, and a dead disk may be why it hangs. */
const NAMING_LIMIT_MS = 5_000;

/**
 * Main's watch over its threads: if one misses ten of main's turns, the log names it and its work, and the process
 * ends, so that its supervisor restarts it. A hanging thread may hold the write lock of all, and cannot be ended alone.
 */
export class ThreadWatch {
  /** Memory of main's own pulse, which the threads watch. */
  readonly main: SharedArrayBuffer = Pulse.allocate();
  readonly #own = new Pulse(this.main);
  readonly #log: Log;
  readonly #watchdog: Watchdog;

  constructor(log: Log) {
    this.#log = log;
    this.#watchdog = new Watchdog(this.#own, (name, pulse) => void this.#end(name, pulse));
    this.#watchdog.start();
    this.#own.stage = 'running';
  }

  /** Starts a thread and watches it as long as it lives. @param start given the memory of its pulse */
  spawn(name: string, start: (pulse: SharedArrayBuffer) => Worker): Worker {
    const memory = Pulse.allocate();
    const pulse = new Pulse(memory);
    pulse.stage = 'starting';
    const worker = start(memory);
    worker.once('exit', this.#watchdog.watch(name, pulse));
    return worker;
  }

  /** Main begins to stop, which has a limit of its own. */
  stopping(): void {
    this.#own.stage = 'ending';
  }

  async #end(thread: string, pulse: Pulse): Promise<void> {
    const { stage } = pulse;
    const works = pulse.underWay();
    const naming = (thread === 'jobs' ? jobNames() : routeNames()).catch(() => []);
    const names: readonly string[] = await Promise.race([naming, wait(NAMING_LIMIT_MS, [])]);
    const [last = null, ...others] = works.map((work) => names[work] ?? `number ${work}`);
    endAtOnce(this.#log, { hangs: thread, stage, in: last, orIn: others }, 'a thread does not go on, ending the process');
  }
}

async function routeNames(): Promise<readonly string[]> {
  const { COUNTED_ROWS } = await import('../http/counted-rows.ts');
  return COUNTED_ROWS.map(({ method, path }) => `${method} ${path}`);
}

async function jobNames(): Promise<readonly string[]> {
  const { WORKS } = await import('../jobs/works.ts');
  return WORKS;
}
