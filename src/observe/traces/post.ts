import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** From the connection to the last byte of the answer, however slowly it comes. */
const LIMIT_MS = 5_000;
/** Bytes of an answer; a collector answers in a few. */
const MOST_ANSWER_BYTES = 65_536;

/** The status of the answer; or the code of the failure, such as ECONNREFUSED. */
export type Posted = { readonly status: number } | { readonly failure: string };

/** Posts to one URL by one connection that is kept. Redirects are not followed. */
export class Poster {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: HttpAgent;
  readonly #limitMs: number;

  constructor(url: URL, headers: Readonly<Record<string, string>>, limitMs: number = LIMIT_MS) {
    const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#url = url;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#limitMs = limitMs;
  }

  /** Never rejects. What follows the status is read, so that the connection can be kept, and means nothing. */
  post(body: Uint8Array): Promise<Posted> {
    return new Promise((resolve) => {
      const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
      const headers = { ...this.#headers, 'content-length': body.length };
      const request = send(this.#url, { method: 'POST', agent: this.#agent, headers });
      let posted: Posted = { failure: 'ETIMEDOUT' };
      const settle = (): void => {
        clearTimeout(limit);
        resolve(posted);
      };
      const limit = setTimeout(() => {
        settle();
        request.destroy();
      }, this.#limitMs);
      request.on('error', (error) => {
        if ('failure' in posted) posted = { failure: codeOf(error) };
        settle();
      });
      request.on('response', (response) => {
        posted = { status: response.statusCode ?? 0 };
        drain(response, settle);
      });
      request.end(body);
    });
  }

  /** Ends the connection, and what is under way with it. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Reads an answer to its end, or to the most that is read. */
function drain(response: IncomingMessage, ended: () => void): void {
  let size = 0;
  response.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > MOST_ANSWER_BYTES) response.destroy();
  });
  response.on('error', ended);
  response.on('close', ended);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
