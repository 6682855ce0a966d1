import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isPublicAddress } from './public-address.ts';
import { resolveName, type Resolve } from './resolve.ts';
import { refusedTarget } from './target.ts';

/** From the first look at the name to the last byte of the answer. */
const ATTEMPT_MS = 5_000;
/** What is read of an answer; nobody looks at it, but a connection can only be used again when it was read. */
const ANSWER_BYTES = 64 * 1024;
/** Less than the 5 s after which servers made with Node close a connection that is not used. */
const IDLE_MS = 4_000;
const MOST_IDLE = 8;

/** What became of an attempt: the status of an answer, or why there is none, in words that name no address. */
export type PostOutcome = { readonly status: number } | { readonly fault: string };

/** What is sent. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What an `Outbound` needs of the world. */
export interface OutboundParts {
  /** Whether targets may be in this network, and be asked without TLS. */
  readonly allowPrivate: () => boolean;
  readonly resolve?: Resolve;
  /** How long an attempt may take, in ms. */
  readonly attemptMs?: number;
}

/** A name leads only to addresses to which nothing is sent. */
class NoPublicAddress extends Error {
  readonly code = 'NO_PUBLIC_ADDRESS';
}

const TOO_SLOW = 'no whole answer in time';
const BROKEN = 'the connection was broken';

/** What codes of errors mean; others are told as they are. */
const FAULTS: Readonly<Record<string, string>> = {
  NO_PUBLIC_ADDRESS: "the name leads to no public address, and 'webhook_allow_private' is off",
  ENOTFOUND: 'the name is not known',
  ENODATA: 'the name has no address',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: BROKEN,
};

/** The agents that keep connections, and what they may connect to. */
interface Connections {
  readonly allowPrivate: boolean;
  readonly https: HttpsAgent;
  readonly http: HttpAgent;
}

/**
 * Posts to addresses that others have chosen. Names are resolved for each connection, and connected to is exactly what
 * was found and judged: a name that leads elsewhere at a second look gains nothing. Redirects are not followed,
 * certificates are always checked, and proxies of the environment are not asked.
 */
export class Outbound {
  readonly #parts: OutboundParts;
  #connections: Connections | undefined;

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async post(post: Post): Promise<PostOutcome> {
    const allowPrivate = this.#parts.allowPrivate();
    // An address in place of a name is never looked up, so it is judged here.
    const refused = refusedTarget(post.url, allowPrivate);
    if (refused !== undefined) return { fault: refused };
    const connections = this.#connectionsFor(allowPrivate);
    const until = performance.now() + (this.#parts.attemptMs ?? ATTEMPT_MS);
    const first = await this.#attempt(post, connections, until);
    // The other side may close a kept connection at the moment at which it is used again.
    const { outcome } = first.isStale ? await this.#attempt(post, connections, until) : first;
    return outcome;
  }

  /** Breaks what is under way and lets go of connections. */
  close(): void {
    this.#connections?.https.destroy();
    this.#connections?.http.destroy();
    this.#connections = undefined;
  }

  /** Connections that were made under another rule are not used again. */
  #connectionsFor(allowPrivate: boolean): Connections {
    if (this.#connections?.allowPrivate === allowPrivate) return this.#connections;
    this.close();
    const kept = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MOST_IDLE };
    this.#connections = { allowPrivate, https: new HttpsAgent(kept), http: new HttpAgent(kept) };
    return this.#connections;
  }

  /** @param until when it is broken off, on the clock that only goes forward */
  #attempt({ url, headers, body }: Post, { allowPrivate, https, http }: Connections, until: number): Promise<Ended> {
    const target = new URL(url);
    const isHttps = target.protocol === 'https:';
    const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    const shared: RequestOptions = { method: 'POST', headers: sent, lookup: this.#lookup(allowPrivate) };
    const request = isHttps
      ? httpsRequest(target, { ...shared, agent: https, rejectUnauthorized: true })
      : httpRequest(target, { ...shared, agent: http });
    return new Promise((done) => {
      let isLate = false;
      let hasAnswer = false;
      const giveUp = (): void => {
        isLate = true;
        request.destroy(new Error(TOO_SLOW));
      };
      const timer = setTimeout(giveUp, until - performance.now());
      const end = (outcome: PostOutcome): void => {
        clearTimeout(timer);
        done({ outcome, isStale: 'fault' in outcome && !hasAnswer && !isLate && request.reusedSocket });
      };
      const fail = (error: unknown): void => end({ fault: isLate ? TOO_SLOW : faultOf(error) });
      request.once('response', (response) => {
        hasAnswer = true;
        readAnswer(response).then(() => end({ status: response.statusCode ?? 0 }), fail);
      });
      request.on('error', fail);
      // An answer that changes to another protocol ends it without an error.
      request.once('close', () => hasAnswer || end({ fault: BROKEN }));
      request.end(body);
    });
  }

  /** For each new connection: what answers is what is connected to, so nothing can change in between. */
  #lookup(allowPrivate: boolean): LookupFunction {
    const resolve = this.#parts.resolve ?? resolveName;
    const find = callbackify(async (name: string) => {
      const allowed = (await resolve(name)).filter((address) => allowPrivate || isPublicAddress(address));
      if (allowed.length === 0) throw new NoPublicAddress();
      return allowed.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    });
    return (name, _options, done) => find(name, done);
  }
}

/** How an attempt ended. */
interface Ended {
  readonly outcome: PostOutcome;
  /** A connection that was used before broke before there was an answer. */
  readonly isStale: boolean;
}

/** Resolves at the end of an answer, or where enough of it was read; rejects where it breaks off. */
async function readAnswer(response: IncomingMessage): Promise<void> {
  let left = ANSWER_BYTES;
  for await (const chunk of response) {
    left -= (chunk as Buffer).length;
    // Leaving the loop destroys the connection.
    if (left < 0) return;
  }
}

function faultOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FAULTS[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`);
}
