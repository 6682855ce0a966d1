import { createRequire } from 'node:module';
import type * as Uws from 'uWebSockets.js';
import { Refusal } from '../recipes/refusal.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { type Engine, type Handler, InFlight, type Listening, ListenError } from './engine.ts';
import { type BodyReceiver, IncomingBody } from './incoming-body.ts';
import { freePort } from './probe-port.ts';
import { refusalReply } from './refusals.ts';
import type { LongReply, Reply } from './reply.ts';
import { emptyHead, headFault, type HttpRequest, NO_BODY, type RequestHead, takeHeader } from './request.ts';
import { Sending } from './send-pieces.ts';
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
const KNOWN: ReadonlySet<string> = new Set(Object.values(METHODS));

const UNKNOWN_METHOD = refusalReply(new Refusal('method-unknown'));
const NO_LENGTH = refusalReply(new Refusal('length-missing'));

/** Loads the native binary; throws where there is none for this platform. */
export function loadUws(): Engine {
  const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;
  return { name: 'uws', sharesPort: true, listen: (...asked) => listen(uws, ...asked) };
}

async function listen(uws: typeof Uws, host: string, asked: number, handler: Handler, connections?: ConnectionLimit): Promise<Listening> {
  const port = asked === 0 ? await freePort(host) : asked;
  const inFlight = new InFlight();
  const life = { isClosing: false };
  const app = uws.App();
  if (connections)
    app.filter((connection, change) => {
      if (Number(change) < 0) connections.closed();
      else if (!connections.opened()) connection.close();
    });
  const serve = (response: Uws.HttpResponse, request: Uws.HttpRequest, method: string): void =>
    new UwsExchange(response, fullHead(request, method, handler.addressHeader), handler, inFlight, life).start();
  for (const path of handler.hotPaths) {
    app.post(path, (response, request) => new UwsExchange(response, hotHead(request, path), handler, inFlight, life).start());
  }
  for (const registration of Object.keys(METHODS) as Registration[]) {
    const method = METHODS[registration];
    app[registration]('/*', (response, request) => serve(response, request, method));
  }
  app.any('/*', (response, request) => serve(response, request, request.getCaseSensitiveMethod()));
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
class UwsExchange implements HttpRequest, BodyReceiver {
  readonly #response: Uws.HttpResponse;
  readonly #handler: Handler;
  readonly #inFlight: InFlight;
  readonly #life: { readonly isClosing: boolean };
  readonly #isHot: boolean;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
  body: Uint8Array = NO_BODY;
  /** The connection is gone or the answer is out: the response object may not be touched any more. */
  #isOver = false;
  #isHandled = false;
  /** The connection ends with the answer. */
  #isLast: boolean;
  #isPaused = false;
  /** The library is through with all that came in one go with this request. */
  #isSettled = false;
  #incoming: IncomingBody | undefined;
  #sending: Sending | undefined;

  constructor(
    response: Uws.HttpResponse,
    { method, path, query, head, isHot }: ReceivedHead,
    handler: Handler,
    inFlight: InFlight,
    life: { readonly isClosing: boolean },
  ) {
    this.#response = response;
    this.#handler = handler;
    this.#inFlight = inFlight;
    this.#life = life;
    this.#isHot = isHot;
    this.#isLast = head.isChunked || head.endsConnection;
    this.method = method;
    this.path = path;
    this.query = query;
    this.head = head;
  }

  peer(): string {
    return this.#isOver ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
  }

  start(): void {
    const { head } = this;
    this.#inFlight.started();
    this.#response.onAborted(() => this.#abort());
    if (this.#isHot) {
      this.#receive();
      return;
    }
    const fault = headFault(head);
    if (!KNOWN.has(this.method)) this.refuse(UNKNOWN_METHOD);
    else if (fault) this.refuse(refusalReply(fault));
    else if (head.isChunked || (head.contentLength ?? 0) > this.#handler.smallBodyBytes) {
      this.#receive();
      this.#incoming = new IncomingBody(this, this.#handler, this);
      if (head.isChunked && !this.#handler.takesChunks) this.#incoming.refuse(NO_LENGTH);
      else this.#incoming.ask();
    } else if ((head.contentLength ?? 0) > 0) this.#receive();
    else this.complete(NO_BODY);
  }

  settled(): Promise<void> | undefined {
    if (this.#isSettled) return undefined;
    return new Promise((resolve, reject) =>
      this.#whenSettled(
        () => resolve(),
        () => reject(new Refusal('connection-lost')),
      ),
    );
  }

  complete(body: Uint8Array): void {
    this.#isHandled = true;
    // Without a body, only a look at every line would tell whether really none was declared.
    if (this.#isHot && body.length === 0) this.#isLast = true;
    if (!this.#isLast) {
      this.#handle(body);
      return;
    }
    const own = Buffer.from(body);
    this.#whenSettled(
      () => this.#handle(own),
      () => this.#ended(),
    );
  }

  /** Answers without asking the handler. What is left of the body the library lets pass, for as long as it waits for a next request. */
  refuse(reply: Reply, goesOn = false): void {
    this.#isHandled = true;
    if (goesOn && !this.#isLast) {
      this.#finish(reply);
      return;
    }
    this.#isLast = true;
    this.#whenSettled(
      () => this.#finish(reply),
      () => this.#ended(),
    );
  }

  pause(): void {
    if (this.#isPaused || this.#isOver) return;
    this.#isPaused = true;
    this.#response.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    this.#isPaused = false;
    this.#response.resume();
  }

  #receive(): void {
    this.#response.onData((chunk, isLast) => {
      // Where the head came alone, the library says first that nothing of the body is there yet.
      if (this.#isHandled || (chunk.byteLength === 0 && !isLast)) return;
      const piece = new Uint8Array(chunk);
      if (isLast && !this.#incoming && piece.length <= this.#handler.smallBodyBytes) this.complete(piece);
      else {
        this.#incoming ??= new IncomingBody(this, this.#handler, this);
        this.#incoming.take(piece, isLast);
      }
    });
  }

  /**
   * Reads nothing more of the connection, and acts when the library is through with what it has read. Until then the request is unanswered, and a further
   * one in what was read would make the library close the connection instead of running it: what follows chunks or a refusal never is a request.
   */
  #whenSettled(act: () => void, lost: () => void): void {
    this.pause();
    setImmediate(() => {
      this.#isSettled = true;
      if (this.#isOver) lost();
      else act();
    });
  }

  #handle(body: Uint8Array): void {
    this.body = body;
    const reply = this.#handler.handle(this);
    this.body = NO_BODY;
    this.#incoming?.drop();
    if (reply instanceof Promise) {
      // What comes behind an unanswered request waits in the system: the library would close the connection over it.
      this.pause();
      void reply.then((value) => this.#finish(value));
    } else if (this.#isSettled || 'pieces' in reply) this.#finish(reply);
    else {
      // Within a callback of the library the response is corked already.
      this.#write(reply);
      this.#ended();
    }
  }

  #finish(reply: Reply | LongReply): void {
    if ('pieces' in reply) {
      void this.#send(reply).then(() => this.#ended());
      return;
    }
    if (!this.#isOver) this.#response.cork(() => this.#write(reply));
    this.#ended();
  }

  #ended(): void {
    this.#incoming?.end();
    this.#inFlight.ended();
  }

  #write(reply: Reply): void {
    if (this.#isOver) return;
    const closes = this.#isLast || this.#life.isClosing;
    if (!closes) this.resume();
    this.#isOver = true;
    const response = this.#response;
    this.#writeHead(reply, closes);
    if (this.method === 'HEAD') endHead(response, Buffer.byteLength(reply.body), this.#isLast && !this.head.endsConnection);
    // As bytes: of a string that V8 keeps as Latin-1, the binary for Node 24 would send just that.
    else response.end(typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body, closes);
  }

  #writeHead({ status, contentType, headers }: Omit<Reply, 'body'>, closes: boolean): void {
    const response = this.#response;
    if (status !== 200) response.writeStatus(statusLine(status));
    response.writeHeader('Content-Type', contentType);
    if (headers) for (const [name, value] of headers) response.writeHeader(name, value);
    if (closes) response.writeHeader('Connection', 'close');
  }

  /** Sends a body in chunks while it is made. A `HEAD` is told no length: to know it, all of the body would have to be made. */
  async #send(reply: LongReply): Promise<void> {
    const { pieces } = reply;
    if (this.#isOver || this.method === 'HEAD') {
      await pieces.end();
      if (this.#isOver) return;
    }
    const response = this.#response;
    const closes = this.#isLast || this.#life.isClosing;
    const finish = (end: () => void): void => {
      if (!closes) this.resume();
      this.#isOver = true;
      response.cork(end);
    };
    response.cork(() => this.#writeHead(reply, closes));
    if (this.method === 'HEAD') {
      finish(() => (this.#isLast && !this.head.endsConnection ? response.endWithoutBody(0, true) : response.endWithoutBody()));
      return;
    }
    // The pieces are larger than what the library collects within `cork`, so that it says whether they were taken.
    const write = (piece: Uint8Array): boolean => {
      let isTaken = false;
      response.cork(() => {
        isTaken = response.write(piece);
      });
      return isTaken;
    };
    this.#sending = new Sending(pieces, {
      write,
      finish: () => finish(() => response.end(undefined, closes)),
      cut: () => response.close(),
    });
    response.onWritable(() => {
      this.#sending?.drained();
      return true;
    });
    await this.#sending.run();
  }

  /** The connection is gone. A handler that runs goes on; its answer is dropped. */
  #abort(): void {
    this.#isOver = true;
    this.#sending?.gone();
    if (this.#isHandled) this.#incoming?.drop();
    else this.#ended();
    this.#isHandled = true;
  }
}

/**
 * The length is written as any header: one that is given to the library makes it take the answer for unfinished. Only so can it be told to close, though,
 * where the client did not ask for that; such a refusal declares nothing.
 */
function endHead(response: Uws.HttpResponse, length: number, closes: boolean): void {
  if (closes) response.endWithoutBody(0, true);
  else response.writeHeader('Content-Length', String(length)).endWithoutBody();
}

/** What is read of a request while the library's object is valid. */
interface ReceivedHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly head: RequestHead;
  /** Read by name: whatever length was declared, the body is taken as it comes. */
  readonly isHot: boolean;
}

/** Every line of the head, so that what contradicts itself is seen. */
function fullHead(request: Uws.HttpRequest, method: string, addressHeader?: string): ReceivedHead {
  const path = request.getUrl();
  const query = request.getQuery() ?? '';
  const head = emptyHead(method, path, query);
  request.forEach((name, value) => takeHeader(head, name, value, addressHeader));
  return { method, path, query, head, isHot: false };
}

/**
 * The head of a POST to a hot path by name, for a quarter of the cost; the full one where only that tells an empty header from an
 * absent one, and for chunks. The library itself refuses a missing Host, a malformed length, and a length beside a transfer encoding.
 */
function hotHead(request: Uws.HttpRequest, path: string): ReceivedHead {
  const cdiVersion = request.getHeader('cdi-version');
  const apiKey = request.getHeader('api-key');
  const host = request.getHeader('host');
  const isPlain = cdiVersion !== '' && host !== '' && request.getHeader('transfer-encoding') === '';
  if (!isPlain || (apiKey === '' && request.getHeader('authorization') !== '')) return fullHead(request, 'POST');
  const head: RequestHead = {
    host,
    cdiVersion,
    apiKey: apiKey === '' ? undefined : apiKey,
    authorization: undefined,
    rid: undefined,
    contentType: undefined,
    endUserAddress: undefined,
    contentLength: undefined,
    isChunked: false,
    endsConnection: false,
    size: 0,
    lines: 0,
    isInvalid: false,
  };
  return { method: 'POST', path, query: '', head, isHot: true };
}
