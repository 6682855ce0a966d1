import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { UsageError } from './command-line.ts';

/** What a core answered. */
export interface CoreAnswer {
  readonly status: number;
  /** Seconds that the core asks to wait. */
  readonly retryAfter: number | undefined;
  readonly text: string;
}

/** No answer came; whether the core got the request is not known. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Reads the address of a core. @throws UsageError */
export function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // It is shown and kept in files.
  if (url && `${url.username}${url.password}${url.search}` !== '') throw new UsageError('--url must not hold a password or a query');
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError('--url must be an http or https URL');
}

/** Where a core is and how it is spoken to. */
export interface CoreAddress {
  readonly url: URL;
  readonly apiKey: string | undefined;
  readonly appId: string | undefined;
  /** Connection URI domain, as the `Host` header names it. */
  readonly host: string | undefined;
}

/** A core that says nothing for so long has lost the request. */
const SILENCE_MS = 120_000;
/** Connections at a time. */
const CONNECTIONS = 16;
/** An answer about 10,000 users takes a few MiB; one that lists entries with large metadata takes more. */
const LONGEST_ANSWER_BYTES = 128 * 1024 * 1024;

/** Speaks to one app of a core. */
export class CoreClient {
  readonly #address: CoreAddress;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #prefix: string;

  constructor(address: CoreAddress) {
    this.#address = address;
    const { protocol, pathname } = address.url;
    const options = { keepAlive: true, maxSockets: CONNECTIONS };
    this.#agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    this.#prefix = pathname.replace(/\/$/, '') + (address.appId === undefined ? '' : `/appid-${encodeURIComponent(address.appId)}`);
  }

  /** @param path with its query, below the app @param rid the recipe that is meant @throws ConnectionLost */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: Buffer, rid?: string): Promise<CoreAnswer> {
    const { url, apiKey, host } = this.#address;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const lost = (error: Error): void => reject(new ConnectionLost(error.message, { cause: error }));
      const request = send({
        method,
        agent: this.#agent,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        path: this.#prefix + path,
        timeout: SILENCE_MS,
        headers: {
          ...(rid !== undefined && { rid }),
          ...(apiKey !== undefined && { 'api-key': apiKey }),
          ...(host !== undefined && { host }),
          ...(body && { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }),
        },
      });
      request.once('timeout', () => request.destroy(new Error('the core does not answer')));
      request.once('error', lost);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
          if (length > LONGEST_ANSWER_BYTES) request.destroy(new Error('the answer is too long'));
        });
        response.once('error', lost);
        response.once('aborted', () => lost(new Error('the connection was closed')));
        response.once('end', () => {
          const seconds = Number(response.headers['retry-after']);
          const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
          resolve({ status: response.statusCode ?? 0, retryAfter, text: Buffer.concat(chunks).toString() });
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
