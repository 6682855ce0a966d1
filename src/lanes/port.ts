import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { LaneFullError, type LaneName } from './lane-errors.ts';
import { type Asking, memoryOf, type Served, type Tasks } from './tasks.ts';

/*
 * How a thread reaches the tasks that main does for it: one port, and one message for all calls, or answers, of a turn.
 */

/** `isTimed`: the caller wants to know how long the task itself took. */
type Call = readonly [id: number, name: string, asked: readonly unknown[], isTimed?: boolean];

/** What comes back. */
type Reply =
  | readonly [id: number, kind: 'value', value: unknown, workedMs?: number]
  | readonly [id: number, kind: 'full', lane: LaneName]
  | readonly [id: number, kind: 'error', message: string, said: Said];

/** An error as sent between threads, where it loses its class. `outcome`: of a store that did not answer. */
interface Said {
  readonly name: string;
  readonly outcome?: string;
}

type Serve = (asked: readonly unknown[], asking: Asking) => unknown;

/** Told of a task that waited for its turn in a lane: when it was asked for (`performance.now`), how long it took. */
export type Worked = (name: string, askedAt: number, workedMs: number) => void;

/** Serves the calls of one thread. When the port closes, its waiting tasks are taken out of the lanes. */
export function serveTasks<T extends Tasks<T>>(tasks: Served<T>, port: MessagePort): void {
  const byName = new Map(Object.entries<unknown>(tasks)) as ReadonlyMap<string, Serve>;
  const closed = new AbortController();
  // As many as tasks of the thread wait.
  setMaxListeners(0, closed.signal);
  const replies = new Outbox<Reply>(port);
  const untimed: Asking = { signal: closed.signal };
  const perform = async ([id, name, asked, isTimed]: Call): Promise<void> => {
    const timing: { startedAt: number | undefined } = { startedAt: undefined };
    const asking = isTimed ? { ...untimed, onStart: () => (timing.startedAt = performance.now()) } : untimed;
    try {
      const value = await byName.get(name)?.(asked, asking);
      const { startedAt } = timing;
      const reply: Reply = startedAt === undefined ? [id, 'value', value] : [id, 'value', value, performance.now() - startedAt];
      replies.add(reply, memoryOf(value));
    } catch (error) {
      replies.add(refusal(id, error));
    }
  };
  port.on('message', (calls: readonly Call[]) => {
    for (const call of calls) void perform(call);
  });
  port.on('close', () => {
    replies.close();
    closed.abort();
  });
}

function refusal(id: number, error: unknown): Reply {
  if (error instanceof LaneFullError) return [id, 'full', error.lane];
  if (!(error instanceof Error)) return [id, 'error', String(error), { name: 'Error' }];
  const { name, message } = error;
  const isOutcomeTold = 'outcome' in error && typeof error.outcome === 'string';
  return [id, 'error', message, isOutcomeTold ? { name, outcome: String(error.outcome) } : { name }];
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onWorked: ((workedMs: number) => void) | undefined;
}

/** A thread's end of a port: the tasks of a table, done by whoever serves the other end. */
export class TaskPort<T extends Tasks<T>> {
  readonly #port: MessagePort;
  readonly #calls: Outbox<Call>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#calls = new Outbox(port);
    port.on('message', (replies: readonly Reply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    port.on('close', () => this.#rejectAll());
  }

  /** Functions that ask for these tasks. They reject as the task does, when its lane is full, and once closed. */
  tasks<N extends keyof T & string>(...names: readonly N[]): Pick<T, N> {
    const functions: unknown[][] = names.map((name) => [name, (...asked: readonly unknown[]) => this.#call(name, asked)]);
    return Object.fromEntries(functions);
  }

  /** `tasks` that tell how long they took, apart from waiting. */
  timedTasks<N extends keyof T & string>(worked: Worked, ...names: readonly N[]): Pick<T, N> {
    const timed = (name: N, asked: readonly unknown[]): unknown => {
      const askedAt = performance.now();
      return this.#call(name, asked, (workedMs) => worked(name, askedAt, workedMs));
    };
    const functions: unknown[][] = names.map((name) => [name, (...asked: readonly unknown[]) => timed(name, asked)]);
    return Object.fromEntries(functions);
  }

  /** Closes the port; what is under way rejects. */
  close(): void {
    this.#rejectAll();
    this.#port.close();
  }

  #call(name: string, asked: readonly unknown[], onWorked?: (workedMs: number) => void): Promise<unknown> {
    if (this.#closed) return Promise.reject(portClosed());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onWorked });
      this.#calls.add(onWorked ? [id, name, asked, true] : [id, name, asked], memoryOf(asked));
    });
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply[0]);
    if (!pending) return;
    this.#pending.delete(reply[0]);
    if (reply[1] === 'value') {
      if (reply[3] !== undefined) pending.onWorked?.(reply[3]);
      pending.resolve(reply[2]);
    } else pending.reject(reply[1] === 'full' ? new LaneFullError(reply[2]) : Object.assign(new Error(reply[2]), reply[3]));
  }

  #rejectAll(): void {
    this.#closed = true;
    this.#calls.close();
    for (const pending of this.#pending.values()) pending.reject(portClosed());
    this.#pending.clear();
  }
}

const portClosed = (): Error => new Error('the port to the main thread is closed');

/** Collects what is to be sent in a turn of the event loop. */
class Outbox<T> {
  readonly #port: MessagePort;
  #waiting: T[] = [];
  #gives: ArrayBuffer[] = [];
  #closed = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** @param gives memory that is given away with the item */
  add(item: T, gives: readonly ArrayBuffer[] = []): void {
    if (this.#closed) return;
    this.#gives.push(...gives);
    // Runs when the sockets of this turn have been read, before the loop waits again.
    if (this.#waiting.push(item) === 1) setImmediate(() => this.#send());
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#gives = [];
  }

  #send(): void {
    const items = this.#waiting;
    const gives = this.#gives;
    this.#waiting = [];
    this.#gives = [];
    if (items.length > 0) this.#port.postMessage(items, gives);
  }
}
