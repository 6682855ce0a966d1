import { endAtOnce } from './end-at-once.ts';
import type { Log } from './log.ts';
import type { Pulse, Stage } from './pulse.ts';

const TURN_MS = 1_000;

/** Turns that a stage may take: without a beat if running, else in all (it may wait for a disk, or for requests). */
const PATIENCE: { readonly [S in Exclude<Stage, 'gone'>]: number } = { starting: 120, running: 10, ending: 30 };

/** A thread that is watched. */
interface Watched {
  readonly name: string;
  readonly pulse: Pulse;
  stage: Stage;
  beats: number;
  missed: number;
}

/**
 * Gives the beat of the calling thread, and watches other threads in the same turns. Only its own turns count: while
 * the whole process is stopped (signal, debugger, suspended machine) nobody has turns, so nobody misses any.
 */
export class Watchdog {
  readonly #own: Pulse;
  readonly #watched = new Set<Watched>();
  readonly #onHang: (name: string, pulse: Pulse) => void;

  /** @param onHang told once of each thread that hangs */
  constructor(own: Pulse, onHang: (name: string, pulse: Pulse) => void) {
    this.#own = own;
    this.#onHang = onHang;
  }

  /** Watches a thread until the answered function is called. */
  watch(name: string, pulse: Pulse): () => void {
    const watched: Watched = { name, pulse, stage: 'gone', beats: 0, missed: 0 };
    this.#watched.add(watched);
    return () => this.#watched.delete(watched);
  }

  /** Begins with the turns; never keeps a thread alive. */
  start(): void {
    setInterval(() => this.turn(), TURN_MS).unref();
  }

  /** One turn of the calling thread. */
  turn(): void {
    this.#own.beat();
    for (const watched of this.#watched) this.#look(watched);
  }

  #look(watched: Watched): void {
    const { name, pulse } = watched;
    const { stage, beats } = pulse;
    const isAlive = stage !== watched.stage || (stage === 'running' && beats !== watched.beats);
    watched.missed = isAlive || stage === 'gone' ? 0 : watched.missed + 1;
    watched.stage = stage;
    watched.beats = beats;
    if (stage === 'gone' || watched.missed < PATIENCE[stage]) return;
    this.#watched.delete(watched);
    this.#onHang(name, pulse);
  }
}

/** The beat and turns of the calling thread, which watches main: nobody else would notice that main hangs. */
export function watchMain(own: Pulse, main: Pulse, log: Log): void {
  const watchdog = new Watchdog(own, () => {
    endAtOnce(log, {}, 'the main thread does not go on, ending the process');
  });
  watchdog.watch('main', main);
  watchdog.start();
}
