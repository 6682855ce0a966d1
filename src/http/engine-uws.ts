import { createRequire } from 'node:module';
import type * as Uws from 'uWebSockets.js';
import { Refusal } from '../recipes/refusal.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { type Engine, type Handler, InFlight, type Listening, ListenError } from './engine.ts';
import { Exchange, type ExchangeParts, type ReceivedHead } from './exchange.ts';
import { freePort } from './probe-port.ts';
import { refusalReply } from './refusals.ts';
import { isHeadOnly, type LongReply, type Reply } from './reply.ts';
import { emptyHead, type RequestHead, takeHeader } from './request.ts';
import type { PieceSink } from './send-pieces.ts';
import { statusLine } from './status-line.ts';

/** Registers a handler by method, so that no request needs a look at its method. */
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

/** What the requests of one listener share. */
interface UwsParts extends ExchangeParts {
  readonly life: { readonly isClosing: boolean };
}

/** Loads the native binary; throws where there is none for this platform. */
export function loadUws(): Engine {
  const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;
  return { name: 'uws', sharesPort: true, listen: (...asked) => listen(uws, ...asked) };
}

async function listen(uws: typeof Uws, host: string, asked: number, handler: Handler, connections?: ConnectionLimit): Promise<Listening> {
  const port = asked === 0 ? await freePort(host) : asked;
  const inFlight = new InFlight();
  const life = { isClosing: false };
  const parts: UwsParts = { handler, inFlight, takesChunks: handler.takesChunks, life };
  const app = uws.App();
  if (connections)
    app.filter((connection, change) => {
      if (Number(change) < 0) connections.closed();
      else if (!connections.opened()) connection.close();
    });
  const serve = (response: Uws.HttpResponse, request: Uws.HttpRequest, method: string): void =>
    new UwsExchange(response, fullHead(request, method, handler.addressHeader), parts).start();
  for (const path of handler.hotPaths) {
    app.post(path, (response, request) => new UwsExchange(response, hotHead(request, path, handler.isTraced === true), parts).start());
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

/** One request and its answer. The library's request object is only valid until `start` returns, so it is not kept. */
class UwsExchange extends Exchange {
  readonly #response: Uws.HttpResponse;
  readonly #life: { readonly isClosing: boolean };
  /** The connection is gone or the answer is out: the response object may not be touched any more. */
  #isOver = false;
  /** The connection ends with the answer. */
  #isLast: boolean;
  #isPaused = false;
  /** The library is through with all that came in one go with this request. */
  #isSettled = false;

  constructor(response: Uws.HttpResponse, received: ReceivedHead, parts: UwsParts) {
    super(received, parts);
    this.#response = response;
    this.#life = parts.life;
    this.#isLast = received.head.isChunked || received.head.endsConnection;
  }

  peer(): string {
    return this.#isOver ? '' : Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
  }

  start(): void {
    this.#response.onAborted(() => {
      this.#isOver = true;
      this.gone();
    });
    this.begin(this.isHot || KNOWN.has(this.method) ? undefined : UNKNOWN_METHOD);
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
    // Without a body, only reading every line of the head would tell whether really none was declared.
    if (this.isHot && body.length === 0) this.#isLast = true;
    if (!this.#isLast) {
      this.handle(body, false);
      return;
    }
    this.isHandled = true;
    const own = Buffer.from(body);
    this.#whenSettled(
      () => this.handle(own, true),
      () => this.ended(),
    );
  }

  /** Answers without asking the handler. The library discards the rest of the body while it waits for a request. */
  refuse(reply: Reply, goesOn = false): void {
    this.isHandled = true;
    if (goesOn && !this.#isLast) {
      this.finish(reply, true);
      return;
    }
    this.#isLast = true;
    this.#whenSettled(
      () => this.finish(reply, true),
      () => this.ended(),
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

  protected receive(): void {
    this.#response.onData((chunk, isLast) => {
      // Where the head came alone, the library first reports an empty part of the body.
      if (chunk.byteLength > 0 || isLast) this.take(new Uint8Array(chunk), isLast);
    });
  }

  /** Requests that follow an unanswered one stay in the system's buffer: the library would close the connection. */
  protected override awaitAnswer(): void {
    this.pause();
  }

  protected finish(reply: Reply, isLate: boolean): void {
    if (!this.#isOver) {
      // Within a callback of the library the response is corked already.
      if (isLate) this.#response.cork(() => this.#write(reply));
      else this.#write(reply);
    }
    this.ended();
  }

  protected isGone(): boolean {
    return this.#isOver;
  }

  protected beginPieces(reply: LongReply, drained: () => void): PieceSink {
    const response = this.#response;
    const closes = this.#closes();
    const finish = (end: () => void): void => {
      if (!closes) this.resume();
      this.#isOver = true;
      response.cork(end);
    };
    response.cork(() => this.#writeHead(reply, closes));
    response.onWritable(() => {
      drained();
      return true;
    });
    return {
      // Pieces are larger than what the library buffers within `cork`, so it tells whether they were sent.
      write: (piece) => {
        let isTaken = false;
        response.cork(() => {
          isTaken = response.write(piece);
        });
        return isTaken;
      },
      finish: () =>
        finish(() => (this.method === 'HEAD' ? endHead(response, undefined, this.#isCutShort()) : response.end(undefined, closes))),
      cut: () => response.close(),
    };
  }

  /**
   * Pauses the connection, and acts once the library is through with what it has read; until then nothing is answered.
   * Rather than run a further request in those bytes the library closes: what follows chunks or a refusal never is one.
   */
  #whenSettled(act: () => void, lost: () => void): void {
    this.pause();
    setImmediate(() => {
      this.#isSettled = true;
      if (this.#isOver) lost();
      else act();
    });
  }

  #closes(): boolean {
    return this.#isLast || this.#life.isClosing;
  }

  /** The connection ends, though the client did not ask for that. */
  #isCutShort(): boolean {
    return this.#isLast && !this.head.endsConnection;
  }

  #write(reply: Reply): void {
    const closes = this.#closes();
    if (!closes) this.resume();
    this.#isOver = true;
    const response = this.#response;
    this.#writeHead(reply, closes);
    if (isHeadOnly(reply.status)) endHead(response, undefined, this.#isCutShort());
    else if (this.method === 'HEAD') endHead(response, Buffer.byteLength(reply.body), this.#isCutShort());
    // As bytes: of a string that V8 keeps as Latin-1, the binary for Node 24 would send the Latin-1 bytes.
    else response.end(typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body, closes);
  }

  #writeHead({ status, contentType, headers }: Omit<Reply, 'body'>, closes: boolean): void {
    const response = this.#response;
    if (status !== 200) response.writeStatus(statusLine(status));
    response.writeHeader('Content-Type', contentType);
    if (headers) for (const [name, value] of headers) response.writeHeader(name, value);
    if (closes) response.writeHeader('Connection', 'close');
  }
}

/**
 * A known length is written as any header: given to the library, it makes the answer count as unfinished. Only the
 * library can close, though, where the client did not ask for that; such a refusal declares no length.
 */
function endHead(response: Uws.HttpResponse, length: number | undefined, closes: boolean): void {
  if (!closes && length !== undefined) response.writeHeader('Content-Length', String(length));
  if (closes) response.endWithoutBody(0, true);
  else response.endWithoutBody();
}

/** Reads every line of the head, so that contradictions are seen. */
function fullHead(request: Uws.HttpRequest, method: string, addressHeader?: string): ReceivedHead {
  const path = request.getUrl();
  const query = request.getQuery() ?? '';
  const head = emptyHead(method, path, query);
  request.forEach((name, value) => takeHeader(head, name, value, addressHeader));
  return { method, path, query, head, isHot: false };
}

/** A head of which only some headers are looked at. */
const PLAIN_HEAD: RequestHead = { ...emptyHead('POST', '/', ''), size: 0 };

/**
 * The head of a POST to a hot path by name, for a quarter of the cost; the full one for chunks, to tell an empty header
 * from none, and where a cookie stands for a key. The library refuses a missing Host, a malformed length, and a length
 * beside a transfer encoding.
 */
function hotHead(request: Uws.HttpRequest, path: string, isTraced: boolean): ReceivedHead {
  const cdiVersion = request.getHeader('cdi-version');
  const apiKey = request.getHeader('api-key');
  const host = request.getHeader('host');
  const isPlain = cdiVersion !== '' && host !== '' && request.getHeader('transfer-encoding') === '';
  if (!isPlain || (apiKey === '' && (request.getHeader('authorization') !== '' || request.getHeader('cookie') !== '')))
    return fullHead(request, 'POST');
  const traceparent = isTraced ? request.getHeader('traceparent') : undefined;
  const head: RequestHead = { ...PLAIN_HEAD, host, cdiVersion, apiKey: apiKey === '' ? undefined : apiKey, traceparent };
  return { method: 'POST', path, query: '', head, isHot: true };
}
