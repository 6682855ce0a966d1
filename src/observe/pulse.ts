import { MOST_ROWS } from './counters.ts';

/** Where a thread is in its life. `gone`: it has not begun, or has ended. */
const STAGES = ['gone', 'starting', 'running', 'ending'] as const;

export type Stage = (typeof STAGES)[number];

/** In the order in which they stand in the memory; the last ones count what is under way, by its number. */
const STAGE_AT = 0;
const BEATS_AT = 1;
const LAST_AT = 2;
const UNDER_WAY_AT = 3;

/**
 * Signs of life of one thread in memory that others read without asking: its stage, its beats, and what it is working on, by numbers that thread and
 * reader agree on (rows of requests, jobs). Only the thread writes, but for the stages before its beginning and after its end; so plain stores suffice.
 */
export class Pulse {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /** Memory of the pulse of one thread, which is `gone` in it. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer((UNDER_WAY_AT + MOST_ROWS) * Int32Array.BYTES_PER_ELEMENT);
  }

  get stage(): Stage {
    return STAGES[this.#cells[STAGE_AT] ?? 0] ?? 'gone';
  }

  set stage(stage: Stage) {
    this.#cells[STAGE_AT] = STAGES.indexOf(stage);
  }

  /** Changes with each beat. */
  get beats(): number {
    return this.#cells[BEATS_AT] ?? 0;
  }

  beat(): void {
    this.#cells[BEATS_AT] = this.beats + 1;
  }

  /** Work with this number begins, which is a sign of life too: requests that arrive together may leave no time for anything else. */
  begin(work: number): void {
    this.#cells[LAST_AT] = work;
    this.#add(work, 1);
  }

  /** Work with this number that was begun is done. */
  end(work: number): void {
    this.#add(work, -1);
  }

  /** The numbers of what is under way, first that which was begun last: a thread that hangs mostly hangs in it, and in one of the others where it had paused. */
  underWay(): number[] {
    const last = this.#cells[LAST_AT] ?? 0;
    const all = [...this.#cells.subarray(UNDER_WAY_AT)].flatMap((count, work) => (count > 0 ? [work] : []));
    return all.includes(last) ? [last, ...all.filter((work) => work !== last)] : all;
  }

  #add(work: number, by: number): void {
    this.beat();
    this.#cells[UNDER_WAY_AT + work] = (this.#cells[UNDER_WAY_AT + work] ?? 0) + by;
  }
}
