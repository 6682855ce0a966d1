import { MOST_ROWS } from './counters.ts';

/** Where a thread is in its life. `gone`: it has not begun, or has ended. */
const STAGES = ['gone', 'starting', 'running', 'ending'] as const;

export type Stage = (typeof STAGES)[number];

/** Positions in the memory; from `UNDER_WAY_AT` on, how much of each work is under way, by its number. */
const STAGE_AT = 0;
const BEATS_AT = 1;
const LAST_AT = 2;
const UNDER_WAY_AT = 3;

/**
 * Signs of life of a thread, in memory that others read: stage, beats, and what it works on, by agreed numbers (rows of
 * requests, jobs). Only the thread writes, apart from stages before and after its life, so plain stores suffice.
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

  /** Work with this number begins. Also a beat: requests that arrive together may leave no time for another. */
  begin(work: number): void {
    this.#cells[LAST_AT] = work;
    this.#add(work, 1);
  }

  /** Work with this number that was begun is done. */
  end(work: number): void {
    this.#add(work, -1);
  }

  /** The numbers of what is under way. The last begun comes first: a hanging thread mostly hangs in that. */
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
