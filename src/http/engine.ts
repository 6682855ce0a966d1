import type { ConnectionLimit } from './connection-limit.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { LongReply, Reply } from './reply.ts';
import type { HttpRequest } from './request.ts';

/** What an engine serves. */
export interface Handler {
  /** Answers a request; never throws and never rejects. */
  handle(request: HttpRequest): MaybePromise<Reply | LongReply>;
  /** POST paths whose head may be read by name, for speed; some contradictions go unseen (docs/decisions/0008). */
  readonly hotPaths: readonly string[];
  /** Header, in lower case, by which back ends tell the end user's address; none unless configured. */
  readonly addressHeader?: string | undefined;
  /** Whether requests are traced, so that the header `traceparent` is read on hot paths too. */
  readonly isTraced?: boolean;
  /** Whether uWebSockets.js takes bodies in chunks (docs/decisions/0019); node:http always does. */
  readonly takesChunks: boolean;
  /** Bodies up to this size may be sent to every path; one in a single piece needs no leave, as none of it is kept. */
  readonly smallBodyBytes: number;
  /** What body this request may send, asked before more than one socket read is taken in. Never throws or rejects. */
  admitBody(request: Omit<HttpRequest, 'body'>): MaybePromise<BodyLeave>;
}

/** Leave to send a body; or the answer, where nothing of it is wanted. */
export type BodyLeave = BodyPlace | Reply;

/** The place of a body among those that its thread holds, until it is released. */
export interface BodyPlace {
  /** Most bytes of the body. */
  readonly limit: number;
  /** False where nothing reads the body: none of it needs to be kept. */
  readonly isRead: boolean;
  /** Takes room for so many bytes of it in all; false where there is none. */
  hold(bytes: number): boolean;
  /** Gives the room back; does nothing the second time. */
  release(): void;
}

/** The answer in the place of leave to send a body. */
export const isRefused = (leave: BodyLeave): leave is Reply => 'status' in leave;

/** A listening engine. */
export interface Listening {
  readonly port: number;
  /** Requests that came in and are not answered yet. */
  inFlight(): number;
  /** Accepts nothing more, gives requests in flight so many milliseconds to finish, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/** The HTTP engines; both behave alike and hold the same limits. */
export type EngineName = 'uws' | 'node';

/** An engine that is loaded. */
export interface Engine {
  readonly name: EngineName;
  /** Whether several threads can listen on one port. */
  readonly sharesPort: boolean;
  /**
   * Rejects when the address cannot be listened on.
   * @param port 0 for any free one
   * @param connections counts the connections, and closes those that are too many; without it there is no limit
   */
  listen(host: string, port: number, handler: Handler, connections?: ConnectionLimit): Promise<Listening>;
}

/** The listener could not be opened, usually because the address is taken or not ours. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  constructor(host: string, port: number, options?: ErrorOptions) {
    super(`cannot listen on ${host}:${port}`, options);
  }
}

/** Counts requests in flight and tells when none is left. */
export class InFlight {
  #count = 0;
  #whenIdle: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  started(): void {
    this.#count += 1;
  }

  ended(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenIdle?.();
  }

  /** Resolves when nothing is in flight, or after so many milliseconds. */
  idle(limitMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.#whenIdle = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }
}
