import type { Socket } from 'node:net';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../config/limits.ts';
import { Refusal } from '../recipes/refusal.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { type Engine, type Handler, InFlight, type Listening, ListenError } from './engine.ts';
import { type BodyReceiver, IncomingBody } from './incoming-body.ts';
import { refusalReply } from './refusals.ts';
import type { LongReply, Reply } from './reply.ts';
import { Sending } from './send-pieces.ts';
import { emptyHead, headFault, type HttpRequest, NO_BODY, takeHeader } from './request.ts';

/** The same patience as uWebSockets.js has, which closes idle connections after 10 s. */
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
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange = new NodeExchange(request, response, handler, inFlight, (isLast) => turns.over(request.socket, isLast));
    turns.take(request.socket, () => exchange.start());
  };
  server.on('request', serve);
  // An expectation that nobody knows is no reason to refuse (RFC 9110 section 10.1.1), and uWebSockets.js does not ask.
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

/** Requests that come behind one another on a connection run one after the other (RFC 9112 section 9.3.2), and behind the last one none. */
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

/** One request and its answer. */
class NodeExchange implements BodyReceiver {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #handler: Handler;
  readonly #inFlight: InFlight;
  readonly #answered: (isLast: boolean) => void;
  /** The request without its body. */
  readonly #told: Omit<HttpRequest, 'body'>;
  #isHandled = false;
  #incoming: IncomingBody | undefined;

  /** @param answered told of the answer; `isLast` closes the connection */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    handler: Handler,
    inFlight: InFlight,
    answered: (isLast: boolean) => void,
  ) {
    this.#request = request;
    this.#response = response;
    this.#handler = handler;
    this.#inFlight = inFlight;
    this.#answered = answered;
    const { method = '', url = '/', rawHeaders } = request;
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    const query = question < 0 ? '' : url.slice(question + 1);
    const head = emptyHead(method, path, query);
    for (let i = 0; i < rawHeaders.length; i += 2)
      takeHeader(head, (rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '', handler.addressHeader);
    this.#told = { method, path, query, head, peer: () => request.socket.remoteAddress ?? '' };
  }

  start(): void {
    const { head } = this.#told;
    this.#inFlight.started();
    this.#response.on('close', () => this.#closed());
    const fault = headFault(head);
    if (this.#request.httpVersionMajor !== 1 || this.#request.httpVersionMinor !== 1) this.refuse(OTHER_VERSION);
    else if (fault) this.refuse(refusalReply(fault));
    else if (head.isChunked || (head.contentLength ?? 0) > 0) this.#receive();
    else this.complete(NO_BODY);
  }

  complete(body: Uint8Array): void {
    this.#isHandled = true;
    const reply = this.#handler.handle({ ...this.#told, body });
    this.#incoming?.drop();
    if (reply instanceof Promise) void reply.then((value) => this.#answer(value));
    else this.#answer(reply);
  }

  /** Answers without asking the handler. What is left of the body is let pass, for as long as an idle connection is kept. */
  refuse(reply: Reply, goesOn = false): void {
    this.#isHandled = true;
    this.#finish(reply, !goesOn);
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

  #receive(): void {
    const incoming = new IncomingBody(this.#told, this.#handler, this);
    this.#incoming = incoming;
    let left = this.#told.head.contentLength ?? Number.POSITIVE_INFINITY;
    if (left > this.#handler.smallBodyBytes) incoming.ask();
    this.#request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      incoming.take(chunk, left === 0);
    });
    this.#request.on('end', () => incoming.take(NO_BODY, true));
  }

  #answer(reply: Reply | LongReply): void {
    if (!('pieces' in reply)) this.#finish(reply, false);
    else void this.#send(reply).then(() => this.#over(false));
  }

  #finish(reply: Reply, closes: boolean): void {
    this.#write(reply, closes);
    this.#over(closes);
  }

  #over(closes: boolean): void {
    this.#ended();
    this.#answered(closes);
  }

  #ended(): void {
    this.#incoming?.end();
    this.#inFlight.ended();
  }

  #write(reply: Reply, closes: boolean): void {
    if (this.#response.destroyed) return;
    const body = Buffer.from(reply.body);
    this.#writeHead(reply, ['Content-Length', String(body.byteLength), ...(closes ? ['Connection', 'close'] : [])]);
    this.#response.end(body);
  }

  #writeHead({ status, contentType, headers = [] }: Omit<Reply, 'body'>, more: readonly string[]): void {
    this.#response.writeHead(status, ['Content-Type', contentType, ...more, ...headers.flat()]);
  }

  /** Sends a body in chunks while it is made. A `HEAD` is told no length: to know it, all of the body would have to be made. */
  async #send(reply: LongReply): Promise<void> {
    const { pieces } = reply;
    const response = this.#response;
    if (response.destroyed || this.#told.method === 'HEAD') await pieces.end();
    if (response.destroyed) return;
    this.#writeHead(reply, []);
    if (this.#told.method === 'HEAD') {
      response.end();
      return;
    }
    const sending = new Sending(pieces, {
      write: (piece) => response.write(piece),
      finish: () => response.end(),
      cut: () => response.destroy(),
    });
    response.on('drain', () => sending.drained());
    response.once('close', () => sending.gone());
    await sending.run();
  }

  /** The answer is out or the connection is gone. A handler that runs goes on; its answer is dropped. */
  #closed(): void {
    if (!this.#isHandled) this.#ended();
    this.#isHandled = true;
  }
}
