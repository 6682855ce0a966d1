import { createRequire } from 'node:module';
import type * as Uws from 'uWebSockets.js';
import { Refusal } from '../recipes/refusal.ts';
import { type Engine, type Handler, InFlight, isRefused, type LargeBody, type Listening, ListenError } from './engine.ts';
import { freePort } from './probe-port.ts';
import { refusalReply } from './refusals.ts';
import type { Reply } from './reply.ts';
import { bodyTimeMs, emptyHead, headFault, type HttpRequest, NO_BODY, type RequestHead, takeHeader } from './request.ts';
import { statusLine } from './status-line.ts';

/** Registration of a handler by method, so that the method need not be asked of each request. */
const METHODS = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  del: 'DELETE',
  head: 'HEAD',
  options: 'OPTIONS',
  patch: 'PATCH',
  trace: 'TRACE',
} as const;
type Registration = keyof typeof METHODS;

const TOO_LARGE = refusalReply(new Refusal('body-too-large'));
const TOO_SLOW = refusalReply(new Refusal('body-too-slow'));

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
  const serve = (response: Uws.HttpResponse, request: Uws.HttpRequest, method: string): void =>
    new UwsExchange(response, fullHead(request, method, handler.addressHeader), handler, inFlight, life).start();
  for (const path of handler.hotPaths) {
    app.post(path, (response, request) => new UwsExchange(response, hotHead(request, path), handler, inFlight, life).start());
  }
  for (const registration of Object.keys(METHODS) as Registration[]) {
    const method = METHODS[registration];
    app[registration]('/*', (response, request) => serve(response, request, method));
  }
  app.any('/*', (response, request) => serve(response, request, request.getMethod()));
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
class UwsExchange implements HttpRequest {
  readonly #response: Uws.HttpResponse;
  readonly #handler: Handler;
  readonly #inFlight: InFlight;
  readonly #life: { readonly isClosing: boolean };
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
  body: Uint8Array = NO_BODY;
  /** The connection is gone or the answer is out: the response object may not be touched any more. */
  #isOver = false;
  #isHandled = false;
  #limit = 0;
  #size = 0;
  /** The pieces of the body before the last, if it comes in several; let go of once it is too large and only drained. */
  #chunks: Buffer[] | undefined;
  #timer: NodeJS.Timeout | undefined;
  #large: LargeBody | undefined;

  constructor(
    response: Uws.HttpResponse,
    { method, path, query, head }: ReceivedHead,
    handler: Handler,
    inFlight: InFlight,
    life: { readonly isClosing: boolean },
  ) {
    this.#response = response;
    this.#handler = handler;
    this.#inFlight = inFlight;
    this.#life = life;
    this.method = method;
    this.path = path;
    this.query = query;
    this.head = head;
  }

  peer(): string {
    return this.#isOver ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
  }

  start(): void {
    this.#inFlight.started();
    this.#response.onAborted(() => this.#abort());
    const fault = headFault(this.head);
    // The library would go on to read what follows as further requests, although nobody knows where this one ends; so no answer, but the end.
    if (this.head.isContradictory) this.#response.close();
    else if (fault) this.#refuse(refusalReply(fault));
    else if (this.head.isChunked || (this.head.contentLength ?? 0) > 0) this.#receive();
    else this.#handle(NO_BODY);
  }

  #receive(): void {
    const leave = this.#handler.admitBody(this);
    if (isRefused(leave)) {
      this.#refuse(leave);
      return;
    }
    if (typeof leave === 'object') this.#large = leave;
    this.#limit = typeof leave === 'object' ? leave.limit : leave;
    // What is declared far too large is not even drained.
    if ((this.head.contentLength ?? 0) > 2 * this.#limit) this.#refuse(TOO_LARGE);
    else this.#response.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isHandled) return;
    this.#size += chunk.byteLength;
    if (this.#size > this.#limit) {
      this.#chunks = undefined;
      // Drained before it is refused, since most clients send all before they read; one that sends without end is cut off.
      if (isLast || this.#size > 2 * this.#limit) this.#refuse(TOO_LARGE);
    } else if (isLast) {
      const view = new Uint8Array(chunk);
      this.#handle(this.#chunks ? Buffer.concat([...this.#chunks, view]) : view);
    } else {
      // The library takes the chunk's memory back when this returns.
      this.#chunks ??= [];
      this.#chunks.push(Buffer.from(new Uint8Array(chunk).slice().buffer));
      this.#timer ??= setTimeout(() => this.#refuse(TOO_SLOW), bodyTimeMs(this.head.contentLength ?? this.#limit));
    }
  }

  #handle(body: Uint8Array): void {
    this.#endReceiving();
    this.body = body;
    const reply = this.#handler.handle(this);
    this.body = NO_BODY;
    if (reply instanceof Promise) void reply.then((value) => this.#finishLater(value));
    else {
      // Within a callback of the library the response is corked already.
      this.#write(reply, this.#life.isClosing);
      this.#ended();
    }
  }

  #finishLater(reply: Reply): void {
    if (!this.#isOver) this.#response.cork(() => this.#write(reply, this.#life.isClosing));
    this.#ended();
  }

  #ended(): void {
    this.#large?.release();
    this.#inFlight.ended();
  }

  #endReceiving(): void {
    this.#isHandled = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#chunks = undefined;
  }

  /** Answers without asking the handler, and closes the connection, on which more of the refused request may follow. */
  #refuse(reply: Reply): void {
    this.#endReceiving();
    if (!this.#isOver) this.#response.cork(() => this.#write(reply, true));
    this.#ended();
  }

  #write(reply: Reply, closes: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const response = this.#response;
    if (reply.status !== 200) response.writeStatus(statusLine(reply.status));
    response.writeHeader('Content-Type', reply.contentType);
    if (reply.headers) for (const [name, value] of reply.headers) response.writeHeader(name, value);
    if (closes) response.writeHeader('Connection', 'close');
    if (this.method === 'HEAD') endHead(response, Buffer.byteLength(reply.body), closes);
    // As bytes: of a string that V8 keeps as Latin-1, the binary for Node 24 would send just that.
    else response.end(typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body, closes);
  }

  /** The connection is gone. A handler that runs goes on; its answer is dropped. */
  #abort(): void {
    this.#isOver = true;
    if (!this.#isHandled) this.#ended();
    this.#endReceiving();
  }
}

/** With a length of its own, the library takes an answer that keeps its connection for unfinished, and drops the next request of that connection. */
function endHead(response: Uws.HttpResponse, length: number, closes: boolean): void {
  if (closes) response.endWithoutBody(length, true);
  else response.writeHeader('Content-Length', String(length)).endWithoutBody();
}

/** What is read of a request while the library's object is valid. */
interface ReceivedHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
}

/** Every line of the head, so that what contradicts itself is seen. */
function fullHead(request: Uws.HttpRequest, method: string, addressHeader?: string): ReceivedHead {
  const path = request.getUrl();
  const query = request.getQuery() ?? '';
  const head = emptyHead(method.length + path.length + query.length);
  request.forEach((name, value) => takeHeader(head, name, value, addressHeader));
  return { method, path, query, head };
}

/**
 * The head of a POST to a hot path by name, for a quarter of the cost; the full one where only that tells an empty header from an
 * absent one. The library itself refuses a missing Host, a malformed length, and a length beside a transfer encoding.
 */
function hotHead(request: Uws.HttpRequest, path: string): ReceivedHead {
  const cdiVersion = request.getHeader('cdi-version');
  const apiKey = request.getHeader('api-key');
  const host = request.getHeader('host');
  if (cdiVersion === '' || host === '' || (apiKey === '' && request.getHeader('authorization') !== '')) return fullHead(request, 'POST');
  const head: RequestHead = {
    host,
    cdiVersion,
    apiKey: apiKey === '' ? undefined : apiKey,
    authorization: undefined,
    rid: undefined,
    contentType: undefined,
    endUserAddress: undefined,
    contentLength: undefined,
    // Whatever length was declared, the body is taken as it comes.
    isChunked: true,
    size: 0,
    isContradictory: false,
  };
  return { method: 'POST', path, query: '', head };
}
