import { Refusal } from '../recipes/refusal.ts';
import type { Handler, InFlight } from './engine.ts';
import { type BodyReceiver, IncomingBody } from './incoming-body.ts';
import { refusalReply } from './refusals.ts';
import type { LongReply, Reply } from './reply.ts';
import { headFault, NO_BODY, type RequestHead } from './request.ts';
import { type PieceSink, Sending } from './send-pieces.ts';

const NO_LENGTH = refusalReply(new Refusal('length-missing'));

/** What an engine read of a request before its body. */
export interface ReceivedHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
  /** Read by name: whatever length was declared, the body is taken as it comes. */
  readonly isHot: boolean;
}

/** What the requests of an engine share. */
export interface ExchangeParts {
  readonly handler: Handler;
  readonly inFlight: InFlight;
  /** Whether bodies may come in chunks. */
  readonly takesChunks: boolean;
}

/**
 * One request and its answer, from the head on: what body is let in, what is handled or refused, when it is over. An
 * engine adds how its socket is read and written, as a subclass: the session path pays for each further object.
 */
export abstract class Exchange implements BodyReceiver {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
  body: Uint8Array = NO_BODY;
  protected readonly isHot: boolean;
  /** Handled, refused or gone: further bytes of the body do not count. */
  protected isHandled = false;
  readonly #parts: ExchangeParts;
  #incoming: IncomingBody | undefined;
  #sending: Sending | undefined;

  constructor({ method, path, query, head, isHot }: ReceivedHead, parts: ExchangeParts) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.head = head;
    this.isHot = isHot;
    this.#parts = parts;
  }

  abstract peer(): string;
  abstract pause(): void;
  abstract resume(): void;
  abstract complete(body: Uint8Array): void;
  abstract refuse(reply: Reply, goesOn?: boolean): void;
  /** Begins to give the body to `take`. */
  protected abstract receive(): void;
  /** Writes an answer, and calls `ended`. @param isLate whether the engine's call with the request has returned */
  protected abstract finish(reply: Reply, isLate: boolean): void;
  /** Whether nothing can be written any more. */
  protected abstract isGone(): boolean;
  /** Writes the head of an answer in pieces; answers where they go. @param drained called when the client took them */
  protected abstract beginPieces(reply: LongReply, drained: () => void): PieceSink;

  /** @param fault what the engine alone finds wrong with the head */
  protected begin(fault?: Reply): void {
    const { handler, inFlight, takesChunks } = this.#parts;
    inFlight.started();
    if (this.isHot) {
      this.receive();
      return;
    }
    const { isChunked, contentLength = 0 } = this.head;
    const invalid = fault ? undefined : headFault(this.head);
    if (fault) this.refuse(fault);
    else if (invalid) this.refuse(refusalReply(invalid));
    else if (isChunked || contentLength > handler.smallBodyBytes) {
      this.receive();
      const incoming = this.#expectBody();
      if (isChunked && !takesChunks) incoming.refuse(NO_LENGTH);
      else incoming.ask();
    } else if (contentLength > 0) this.receive();
    else this.complete(NO_BODY);
  }

  /** A piece of the body is there, lent for the call. */
  protected take(piece: Uint8Array, isLast: boolean): void {
    if (this.isHandled) return;
    if (isLast && !this.#incoming && piece.length <= this.#parts.handler.smallBodyBytes) this.complete(piece);
    else this.#expectBody().take(piece, isLast);
  }

  /** @param isLate later than in the call of the engine that brought the request */
  protected handle(body: Uint8Array, isLate: boolean): void {
    this.isHandled = true;
    this.body = body;
    const reply = this.#parts.handler.handle(this);
    this.body = NO_BODY;
    this.#incoming?.drop();
    if (reply instanceof Promise) {
      this.awaitAnswer();
      void reply.then((value) => this.#answer(value, true));
    } else this.#answer(reply, isLate);
  }

  /** The answer comes later. */
  protected awaitAnswer(): void {}

  /** The answer is out, or nothing is left to be answered. */
  protected ended(): void {
    this.#incoming?.end();
    this.#parts.inFlight.ended();
  }

  /** The connection is gone. A handler that runs goes on; its answer is dropped. */
  protected gone(): void {
    this.#sending?.gone();
    if (this.isHandled) this.#incoming?.drop();
    else this.ended();
    this.isHandled = true;
  }

  #expectBody(): IncomingBody {
    this.#incoming ??= new IncomingBody(this, this.#parts.handler);
    return this.#incoming;
  }

  #answer(reply: Reply | LongReply, isLate: boolean): void {
    if ('pieces' in reply) void this.#send(reply).then(() => this.ended());
    else this.finish(reply, isLate);
  }

  /** Sends a body in chunks while it is made. `HEAD` tells no length: that would take making the whole body. */
  async #send(reply: LongReply): Promise<void> {
    const { pieces } = reply;
    const isHead = this.method === 'HEAD';
    if (isHead || this.isGone()) await pieces.end();
    if (this.isGone()) return;
    const sink = this.beginPieces(reply, () => this.#sending?.drained());
    if (isHead) {
      sink.finish();
      return;
    }
    this.#sending = new Sending(pieces, sink);
    await this.#sending.run();
  }
}
