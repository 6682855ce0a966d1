/** How far a transfer is. */
export interface Standing {
  /** Users (or entries) done, whatever became of them. */
  readonly done: number;
  /** Those of them that are not imported; left out where none can be. */
  readonly failures?: number;
  /** Part of the whole, 0 to 1; undefined where the whole is not known. */
  readonly part: number | undefined;
  /** What is going on, when it is not the usual. */
  readonly note?: string;
}

/** Where progress is shown. */
export interface Screen {
  readonly isTerminal: boolean;
  /** In characters. */
  readonly width: () => number;
  readonly write: (text: string) => void;
  /** ms on a clock that only goes forward. */
  readonly now: () => number;
}

const BAR_WIDTH = 24;
/** A terminal is written to so often at most, anything else so seldom. */
const TERMINAL_MS = 100;
const LINE_MS = 5000;
/** The rate is that of the last so many ms. */
const RATE_SPAN_MS = 20_000;
const CLEAR = '\r\u001b[2K';

interface Sample {
  readonly time: number;
  readonly done: number;
  readonly part: number;
}

/** Tells how far a transfer is, how fast, and how long to go: by a bar on a terminal, else by a line now and then. */
export class Progress {
  readonly #screen: Screen;
  readonly #verb: string;
  readonly #counted: (number: number) => string;
  readonly #samples: Sample[] = [];
  #written: number;

  /** @param verb what happens to users, such as `imported` @param counted a number of what is done */
  constructor(screen: Screen, verb: string, counted = countUsers) {
    this.#screen = screen;
    this.#verb = verb;
    this.#counted = counted;
    this.#written = screen.isTerminal ? Number.NEGATIVE_INFINITY : screen.now();
  }

  show(standing: Standing): void {
    const { isTerminal, now, write, width } = this.#screen;
    const time = now();
    this.#remember({ time, done: standing.done, part: standing.part ?? 0 });
    if (time - this.#written < (isTerminal ? TERMINAL_MS : LINE_MS)) return;
    this.#written = time;
    const text = describe(standing, this.#pace(), (done) => `${this.#counted(done)} ${this.#verb}`);
    write(isTerminal ? CLEAR + `${bar(standing.part)}${text}`.slice(0, Math.max(20, width() - 1)) : `${text}\n`);
  }

  /** Makes room for other lines. */
  clear(): void {
    if (this.#screen.isTerminal) this.#screen.write(CLEAR);
    this.#written = this.#screen.isTerminal ? Number.NEGATIVE_INFINITY : this.#written;
  }

  #remember(sample: Sample): void {
    this.#samples.push(sample);
    const oldest = (): Sample | undefined => this.#samples[1];
    while ((oldest()?.time ?? sample.time) < sample.time - RATE_SPAN_MS) this.#samples.shift();
  }

  #pace(): Pace {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.time <= first.time) return { perSecond: undefined, secondsLeft: undefined };
    const seconds = (last.time - first.time) / 1000;
    const partPerSecond = (last.part - first.part) / seconds;
    return {
      perSecond: (last.done - first.done) / seconds,
      secondsLeft: partPerSecond > 0 ? (1 - last.part) / partPerSecond : undefined,
    };
  }
}

interface Pace {
  readonly perSecond: number | undefined;
  readonly secondsLeft: number | undefined;
}

function describe({ done, failures, part, note }: Standing, { perSecond, secondsLeft }: Pace, named: (done: number) => string): string {
  return [
    part === undefined ? undefined : `${Math.floor(part * 100)} %`,
    named(done),
    perSecond === undefined ? undefined : `${count(Math.round(perSecond))}/s`,
    secondsLeft === undefined || part === undefined ? undefined : `${duration(secondsLeft)} left`,
    failures === undefined ? undefined : `${count(failures)} failed`,
    note,
  ]
    .filter((piece) => piece !== undefined)
    .join(', ');
}

function bar(part: number | undefined): string {
  if (part === undefined) return '';
  const full = Math.round(Math.min(1, part) * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] `;
}

/** A number with its thousands set apart. */
export const count = (number: number): string => number.toLocaleString('en-US');

/** A number of users. */
export const countUsers = (number: number): string => `${count(number)} ${number === 1 ? 'user' : 'users'}`;

/** A number of entries of a store. */
export const countEntries = (number: number): string => `${count(number)} ${number === 1 ? 'entry' : 'entries'}`;

/** A time in its two largest units. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}
