import type { Socket } from 'node:net';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../config/limits.ts';
import { Refusal } from '../recipes/refusal.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { type Engine, type Handler, InFlight, type Listening, ListenError } from './engine.ts';
import { Exchange, type ExchangeParts, type ReceivedHead } from './exchange.ts';
import { refusalReply } from './refusals.ts';
import { isHeadOnly, type LongReply, type Reply } from './reply.ts';
import { emptyHead, NO_BODY, takeHeader } from './request.ts';
import type { PieceSink } from './send-pieces.ts';

/** As uWebSockets.js, which closes idle connections after 10 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** First release in which several threads of node:http can listen on one port. */
const REUSE_PORT_SINCE = { major: 23, minor: 1 };

const OTHER_VERSION = refusalReply(new Refusal('http-version'));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canReusePort =
  (major > REUSE_PORT_SINCE.major || (major === REUSE_PORT_SINCE.major && minor >= REUSE_PORT_SINCE.minor)) && process.platform === 'linux';

/** node:http, for platforms without a uWebSockets.js binary. */
export const nodeEngine: Engine = { name: 'node', sharesPort: canReusePort, listen };

function listen(host: string, port: number, handler: Handler, connections?: ConnectionLimit): Promise<Listening> {
  const inFlight = new InFlight();
  const server = createServer({
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0, // each body has its own limit, see below
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 2_000,
    noDelay: true,
  });
  if (connections)
    server.on('connection', (socket) => {
      socket.once('close', () => connections.closed());
      if (!connections.opened()) socket.destroy();
    });
  const turns = new Turns();
  const parts: ExchangeParts = { handler, inFlight, takesChunks: true };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = new NodeExchange(request, response, parts, (isLast) => turns.over(request.socket, isLast));
    turns.take(request.socket, () => exchange.start());
  };
  server.on('request', serve);
  // An unknown expectation is no reason to refuse (RFC 9110 section 10.1.1), and uWebSockets.js does not check it.
  server.on('checkExpectation', serve);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(host, port, { cause: error })));
    server.listen({ host, port, ...(canReusePort && { reusePort: true }) }, () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        inFlight: () => inFlight.count,
        close: (graceMs) => close(server, inFlight, graceMs),
      });
    });
  });
}

async function close(server: Server, inFlight: InFlight, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await inFlight.idle(graceMs);
  server.closeAllConnections();
  await closed;
}

/** Runs pipelined requests of a connection one after another (RFC 9112 section 9.3.2), and none behind the last. */
class Turns {
  /** What waits on each connection that is busy. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  take(socket: Socket, start: () => void): void {
    const waiting = this.#waiting.get(socket);
    if (waiting) {
      waiting.push(start);
      return;
    }
    this.#waiting.set(socket, []);
    start();
  }

  over(socket: Socket, isLast: boolean): void {
    if (isLast) return;
    const next = this.#waiting.get(socket)?.shift();
    if (next) next();
    else this.#waiting.delete(socket);
  }
}

function headOf({ method = '', url = '/', rawHeaders }: IncomingMessage, addressHeader?: string): ReceivedHead {
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  const query = question < 0 ? '' : url.slice(question + 1);
  const head = emptyHead(method, path, query);
  for (let i = 0; i < rawHeaders.length; i += 2)
    takeHeader(head, (rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '', addressHeader);
  return { method, path, query, head, isHot: false };
}

/** One request and its answer. */
class NodeExchange extends Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #answered: (isLast: boolean) => void;
  /** No request of the connection comes after this one. */
  #isLast = false;

  /** @param answered told of the answer; `isLast` closes the connection */
  constructor(request: IncomingMessage, response: ServerResponse, parts: ExchangeParts, answered: (isLast: boolean) => void) {
    super(headOf(request, parts.handler.addressHeader), parts);
    this.#request = request;
    this.#response = response;
    this.#answered = answered;
  }

  peer(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  start(): void {
    this.#response.on('close', () => this.gone());
    const { httpVersionMajor, httpVersionMinor } = this.#request;
    this.begin(httpVersionMajor === 1 && httpVersionMinor === 1 ? undefined : OTHER_VERSION);
  }

  complete(body: Uint8Array): void {
    this.handle(body, false);
  }

  /** Answers without asking the handler. The rest of the body is discarded, as long as an idle connection is kept. */
  refuse(reply: Reply, goesOn = false): void {
    this.isHandled = true;
    this.#isLast = !goesOn;
    this.finish(reply);
    if (!goesOn) return;
    const request = this.#request.resume();
    setTimeout(() => request.complete || request.socket.destroy(), KEEP_ALIVE_MS).unref();
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  protected receive(): void {
    let left = this.head.contentLength ?? Number.POSITIVE_INFINITY;
    this.#request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      this.take(chunk, left === 0);
    });
    this.#request.on('end', () => this.take(NO_BODY, true));
  }

  protected finish(reply: Reply): void {
    if (!this.isGone()) {
      const body = Buffer.from(reply.body);
      const length = isHeadOnly(reply.status) ? [] : ['Content-Length', String(body.byteLength)];
      this.#writeHead(reply, [...length, ...(this.#isLast ? ['Connection', 'close'] : [])]);
      this.#response.end(body);
    }
    this.ended();
  }

  protected override gone(): void {
    if (!this.isHandled) this.#isLast = true;
    super.gone();
  }

  protected override ended(): void {
    super.ended();
    this.#answered(this.#isLast);
  }

  protected isGone(): boolean {
    return this.#response.destroyed;
  }

  protected beginPieces(reply: LongReply, drained: () => void): PieceSink {
    const response = this.#response;
    this.#writeHead(reply, []);
    response.on('drain', drained);
    return { write: (piece) => response.write(piece), finish: () => response.end(), cut: () => response.destroy() };
  }

  #writeHead({ status, contentType, headers = [] }: Omit<Reply, 'body'>, more: readonly string[]): void {
    this.#response.writeHead(status, ['Content-Type', contentType, ...more, ...headers.flat()]);
  }
}
