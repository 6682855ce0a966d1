import { createRequire } from 'node:module';
import type * as Uws from 'uWebSockets.js';
import { Refusal } from '../recipes/refusal.ts';
import { type Engine, type Handler, InFlight, type Listening, ListenError } from './engine.ts';
import { freePort } from './probe-port.ts';
import { refusalReply } from './refusals.ts';
import type { Reply } from './reply.ts';
import { bodyTimeMs, decodeBody, emptyHead, headFault, type RequestHead, takeHeader } from './request.ts';
import { statusLine } from './status-line.ts';

const METHODS: ReadonlyMap<string, string> = new Map(
  ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'].map((method) => [method.toLowerCase(), method]),
);

/** Loads the native binary; throws where there is none for this platform. */
export function loadUws(): Engine {
  const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;
  return { name: 'uws', sharesPort: true, listen: (host, port, handler) => listen(uws, host, port, handler) };
}

async function listen(uws: typeof Uws, host: string, asked: number, handler: Handler): Promise<Listening> {
  const port = asked === 0 ? await freePort(host) : asked;
  const inFlight = new InFlight();
  const life = { isClosing: false };
  const app = uws.App();
  app.any('/*', (response, request) => new UwsExchange(response, request, handler, inFlight, life).start());
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (!socket) {
        reject(new ListenError(host, port));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket as Uws.us_socket),
        inFlight: () => inFlight.count,
        close: async (graceMs) => {
          life.isClosing = true;
          uws.us_listen_socket_close(socket);
          await inFlight.idle(graceMs);
          app.close();
        },
      });
    });
  });
}

/** One request and its answer. The library's request object is only valid until `start` returns, so all that is needed is read there. */
class UwsExchange {
  readonly #response: Uws.HttpResponse;
  readonly #handler: Handler;
  readonly #inFlight: InFlight;
  readonly #life: { readonly isClosing: boolean };
  readonly #method: string;
  readonly #path: string;
  readonly #query: string;
  readonly #head: RequestHead;
  /** The connection is gone or the answer is out: the response object may not be touched any more. */
  #isOver = false;
  #isHandled = false;
  #limit = 0;
  #size = 0;
  /** The body as far as it came in; undefined once it is too large and only drained. */
  #chunks: Buffer[] | undefined = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    response: Uws.HttpResponse,
    request: Uws.HttpRequest,
    handler: Handler,
    inFlight: InFlight,
    life: { readonly isClosing: boolean },
  ) {
    this.#response = response;
    this.#handler = handler;
    this.#inFlight = inFlight;
    this.#life = life;
    const method = request.getMethod();
    this.#method = METHODS.get(method) ?? method;
    this.#path = request.getUrl();
    this.#query = request.getQuery() ?? '';
    const head = emptyHead(method.length + this.#path.length + this.#query.length);
    request.forEach((name, value) => takeHeader(head, name, value));
    this.#head = head;
  }

  start(): void {
    this.#inFlight.started();
    this.#response.onAborted(() => this.#abort());
    const fault = headFault(this.#head);
    if (fault) this.#refuse(fault);
    else if (this.#head.isChunked || (this.#head.contentLength ?? 0) > 0) this.#receive();
    else this.#handle('');
  }

  #receive(): void {
    this.#limit = this.#handler.bodyLimit(this.#path, this.#head);
    // What is declared far too large is not even drained.
    if ((this.#head.contentLength ?? 0) > 2 * this.#limit) this.#refuse(new Refusal('body-too-large'));
    else this.#response.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isHandled) return;
    this.#size += chunk.byteLength;
    if (this.#size > this.#limit) {
      this.#chunks = undefined;
      // Drained before it is refused, since most clients send all before they read; one that sends without end is cut off.
      if (isLast || this.#size > 2 * this.#limit) this.#refuse(new Refusal('body-too-large'));
    } else if (isLast) {
      const view = Buffer.from(chunk);
      this.#handle(decodeBody(this.#chunks?.length ? Buffer.concat([...this.#chunks, view]) : view));
    } else {
      // The library takes the chunk's memory back when this returns.
      this.#chunks?.push(Buffer.from(new Uint8Array(chunk).slice().buffer));
      this.#timer ??= setTimeout(() => this.#refuse(new Refusal('body-too-slow')), bodyTimeMs(this.#head.contentLength ?? this.#limit));
    }
  }

  #handle(body: string | undefined): void {
    this.#isHandled = true;
    clearTimeout(this.#timer);
    this.#chunks = undefined;
    const reply = this.#handler.handle({
      method: this.#method,
      path: this.#path,
      query: this.#query,
      head: this.#head,
      body,
      peer: () => (this.#isOver ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1')),
    });
    if (reply instanceof Promise) void reply.then((value) => this.#finish(value));
    else this.#finish(reply);
  }

  #finish(reply: Reply): void {
    this.#write(reply, this.#life.isClosing);
    this.#inFlight.ended();
  }

  /** Answers without asking the handler, and closes the connection, on which more of the refused request may follow. */
  #refuse(refusal: Refusal): void {
    this.#isHandled = true;
    clearTimeout(this.#timer);
    this.#chunks = undefined;
    this.#write(refusalReply(refusal), true);
    this.#inFlight.ended();
  }

  #write(reply: Reply, closes: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const response = this.#response;
    response.cork(() => {
      if (reply.status !== 200) response.writeStatus(statusLine(reply.status));
      response.writeHeader('Content-Type', reply.contentType);
      for (const [name, value] of reply.headers ?? []) response.writeHeader(name, value);
      if (closes) response.writeHeader('Connection', 'close');
      if (this.#method === 'HEAD') response.endWithoutBody(Buffer.byteLength(reply.body), closes);
      else response.end(reply.body, closes);
    });
  }

  /** The connection is gone. A handler that runs goes on; its answer is dropped. */
  #abort(): void {
    this.#isOver = true;
    this.#chunks = undefined;
    clearTimeout(this.#timer);
    if (!this.#isHandled) this.#inFlight.ended();
    this.#isHandled = true;
  }
}
