import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as a browser gets it. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The members of a JSON answer; none of any other. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type Headers = Readonly<Record<string, string>>;

/** One request, with every header as given: `fetch` would not let a test choose its host. */
export function send(port: number, method: string, path: string, headers: Headers = {}, body?: object | string): Promise<BrowserAnswer> {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers: { ...sent, ...headers }, timeout: 20_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: text.trim(), body: isJson ? JSON.parse(text) : {} });
      });
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : content);
  });
}

export const PASSWORD = 'a good password 1';
export const COOKIE = '__Host-watchword';

/** The value of the cookie that an answer sets; empty where it takes the cookie away. */
export function cookieOf({ headers }: BrowserAnswer): string | undefined {
  const [set] = headers['set-cookie'] ?? [];
  return set === undefined ? undefined : new RegExp(`^${COOKIE}=([^;]*)`).exec(set)?.[1];
}

/** A browser with the page of a core open: it keeps the cookie, and the page sends the CSRF token. */
export class Browser {
  readonly port: number;
  readonly #always: Headers;
  cookie: string | undefined;
  csrfToken: string | undefined;

  /** @param always headers of every request, such as those of a proxy */
  constructor(port: number, always: Headers = {}) {
    this.port = port;
    this.#always = { host: `localhost:${port}`, ...always };
  }

  /** What the browser sends by itself, and the page with it. */
  headers(method = 'GET'): Headers {
    return {
      ...this.#always,
      'sec-fetch-site': 'same-origin',
      ...(this.cookie !== undefined && { cookie: `${COOKIE}=${this.cookie}` }),
      ...(method !== 'GET' && {
        origin: `http://${this.#always['host']}`,
        ...(this.csrfToken !== undefined && { 'x-csrf-token': this.csrfToken }),
      }),
      ...this.#always,
    };
  }

  /** @param other headers in the place of those that the browser would send; an empty one is left out */
  async ask(method: string, path: string, body?: object, other: Headers = {}): Promise<BrowserAnswer> {
    const headers = Object.fromEntries(Object.entries({ ...this.headers(method), ...other }).filter(([, value]) => value !== ''));
    const answer = await send(this.port, method, path, headers, body);
    const cookie = cookieOf(answer);
    if (cookie !== undefined) this.cookie = cookie === '' ? undefined : cookie;
    const { csrfToken } = answer.body;
    if (typeof csrfToken === 'string') this.csrfToken = csrfToken;
    return answer;
  }

  signIn(email: string, password: string = PASSWORD, totp?: string): Promise<BrowserAnswer> {
    return this.ask('POST', '/manage/v1/operator/sign-in', { email, password, ...(totp !== undefined && { totp }) });
  }
}

/** A dashboard user with a role, made by whoever has a key. */
export async function addOperator(port: number, key: string, email: string, role: string): Promise<void> {
  const answer = await send(port, 'POST', '/manage/v1/operators/add', { 'api-key': key }, { email, password: PASSWORD, role });
  if (answer.body['status'] !== 'OK') throw new Error(`${answer.status} ${answer.text}`);
}
