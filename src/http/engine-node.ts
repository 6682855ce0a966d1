import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../config/limits.ts';
import { Refusal } from '../recipes/refusal.ts';
import { type Engine, type Handler, InFlight, isRefused, type LargeBody, type Listening, ListenError } from './engine.ts';
import { refusalReply } from './refusals.ts';
import type { Reply } from './reply.ts';
import { bodyTimeMs, emptyHead, headFault, type HttpRequest, NO_BODY, type RequestHead, takeHeader } from './request.ts';

/** The same patience as uWebSockets.js has, which closes idle connections after 10 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** First release in which several threads of node:http can listen on one port. */
const REUSE_PORT_SINCE = { major: 23, minor: 1 };

const TOO_LARGE = refusalReply(new Refusal('body-too-large'));
const TOO_SLOW = refusalReply(new Refusal('body-too-slow'));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canReusePort =
  (major > REUSE_PORT_SINCE.major || (major === REUSE_PORT_SINCE.major && minor >= REUSE_PORT_SINCE.minor)) && process.platform === 'linux';

/** node:http, for platforms without a uWebSockets.js binary. */
export const nodeEngine: Engine = { name: 'node', sharesPort: canReusePort, listen };

function listen(host: string, port: number, handler: Handler): Promise<Listening> {
  const inFlight = new InFlight();
  const server = createServer({
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0, // each body has its own limit, see below
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 2_000,
    noDelay: true,
  });
  server.on('request', (request, response) => new NodeExchange(request, response, handler, inFlight).start());
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

/** One request and its answer. */
class NodeExchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #handler: Handler;
  readonly #inFlight: InFlight;
  readonly #path: string;
  readonly #query: string;
  readonly #head: RequestHead;
  #isHandled = false;
  #limit = 0;
  #size = 0;
  /** The body as far as it came in; undefined once it is too large and only drained. */
  #chunks: Buffer[] | undefined = [];
  #timer: NodeJS.Timeout | undefined;
  #large: LargeBody | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, handler: Handler, inFlight: InFlight) {
    this.#request = request;
    this.#response = response;
    this.#handler = handler;
    this.#inFlight = inFlight;
    const { method = '', url = '/', rawHeaders } = request;
    const question = url.indexOf('?');
    this.#path = question < 0 ? url : url.slice(0, question);
    this.#query = question < 0 ? '' : url.slice(question + 1);
    this.#head = emptyHead(method.length + url.length);
    for (let i = 0; i < rawHeaders.length; i += 2)
      takeHeader(this.#head, (rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '', handler.addressHeader);
  }

  start(): void {
    this.#inFlight.started();
    this.#response.on('close', () => this.#closed());
    const fault = headFault(this.#head);
    if (fault) this.#refuse(refusalReply(fault));
    else if (this.#head.isChunked || (this.#head.contentLength ?? 0) > 0) this.#receive();
    else this.#handle(NO_BODY);
  }

  #receive(): void {
    const leave = this.#handler.admitBody(this.#told());
    if (isRefused(leave)) {
      this.#refuse(leave);
      return;
    }
    if (typeof leave === 'object') this.#large = leave;
    this.#limit = typeof leave === 'object' ? leave.limit : leave;
    const expected = this.#head.contentLength ?? this.#limit;
    if (expected > 2 * this.#limit) {
      this.#refuse(TOO_LARGE);
      return;
    }
    this.#timer = setTimeout(() => this.#refuse(TOO_SLOW), bodyTimeMs(expected));
    this.#request.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#request.on('end', () => this.#received());
  }

  #take(chunk: Buffer): void {
    this.#size += chunk.byteLength;
    if (this.#size <= this.#limit) this.#chunks?.push(chunk);
    else this.#chunks = undefined;
    if (this.#size > 2 * this.#limit && !this.#isHandled) this.#refuse(TOO_LARGE);
  }

  #received(): void {
    if (this.#isHandled) return;
    if (this.#chunks) this.#handle(Buffer.concat(this.#chunks));
    else this.#refuse(TOO_LARGE);
  }

  #handle(body: Uint8Array): void {
    this.#isHandled = true;
    clearTimeout(this.#timer);
    this.#chunks = undefined;
    const reply = this.#handler.handle({ ...this.#told(), body });
    if (reply instanceof Promise) void reply.then((value) => this.#finish(value));
    else this.#finish(reply);
  }

  #finish(reply: Reply): void {
    this.#write(reply, false);
    this.#ended();
  }

  #ended(): void {
    this.#large?.release();
    this.#inFlight.ended();
  }

  /** The request without its body. */
  #told(): Omit<HttpRequest, 'body'> {
    return {
      method: this.#request.method ?? '',
      path: this.#path,
      query: this.#query,
      head: this.#head,
      peer: () => this.#request.socket.remoteAddress ?? '',
    };
  }

  /** Answers without asking the handler, and closes the connection, on which more of the refused request may follow. */
  #refuse(reply: Reply): void {
    this.#isHandled = true;
    clearTimeout(this.#timer);
    this.#chunks = undefined;
    this.#write(reply, true);
    this.#ended();
  }

  #write(reply: Reply, closes: boolean): void {
    if (this.#response.destroyed) return;
    const body = Buffer.from(reply.body);
    this.#response.writeHead(reply.status, [
      'Content-Type',
      reply.contentType,
      'Content-Length',
      String(body.byteLength),
      ...(reply.headers ?? []).flat(),
      ...(closes ? ['Connection', 'close'] : []),
    ]);
    this.#response.end(body);
  }

  /** The answer is out or the connection is gone. A handler that runs goes on; its answer is dropped. */
  #closed(): void {
    clearTimeout(this.#timer);
    this.#chunks = undefined;
    if (!this.#isHandled) this.#ended();
    this.#isHandled = true;
  }
}
