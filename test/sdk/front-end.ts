/** What a front end keeps of a session, in headers or in cookies, sent along and updated with every answer. */
export type Transfer = 'header' | 'cookie';

export interface AppAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const TOKENS = {
  access: { header: 'st-access-token', cookie: 'sAccessToken' },
  refresh: { header: 'st-refresh-token', cookie: 'sRefreshToken' },
} as const;

/** A front end of the test application; like a browser it remembers tokens, and unlike one it lets a test look at them and change them. */
export class FrontEnd {
  access = '';
  refreshToken = '';
  antiCsrf = '';
  /** Whether the last answer brought a new access token. */
  renewed = false;
  /** Where the proxy in front of the application says that it is. */
  address = '';
  readonly #url: string;
  readonly #transfer: Transfer;

  constructor(url: string, transfer: Transfer) {
    this.#url = url;
    this.#transfer = transfer;
  }

  signUp(email: string, password: string): Promise<AppAnswer> {
    return this.#form('/auth/signup', email, password);
  }

  signIn(email: string, password: string): Promise<AppAnswer> {
    return this.#form('/auth/signin', email, password);
  }

  signOut(): Promise<AppAnswer> {
    return this.send('POST', '/auth/signout');
  }

  refresh(): Promise<AppAnswer> {
    return this.send('POST', '/auth/session/refresh', undefined, this.refreshToken);
  }

  get(path: string): Promise<AppAnswer> {
    return this.send('GET', path);
  }

  post(path: string, body?: unknown): Promise<AppAnswer> {
    return this.send('POST', path, body);
  }

  /** Sends a request with the tokens it has; the bearer token is the access token unless another is given. */
  async send(method: string, path: string, body?: unknown, bearer = this.access): Promise<AppAnswer> {
    const response = await fetch(this.#url + path, {
      method,
      signal: AbortSignal.timeout(20_000),
      headers: {
        'st-auth-mode': this.#transfer,
        rid: 'anti-csrf',
        ...(this.address === '' ? {} : { 'x-forwarded-for': this.address }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.antiCsrf === '' ? {} : { 'anti-csrf': this.antiCsrf }),
        ...(bearer === '' ? {} : this.#credentials(bearer)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.#remember(response.headers);
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  }

  #credentials(bearer: string): Record<string, string> {
    if (this.#transfer === 'header') return { authorization: `Bearer ${bearer}` };
    return {
      cookie: `${TOKENS.access.cookie}=${encodeURIComponent(this.access)}; ${TOKENS.refresh.cookie}=${encodeURIComponent(this.refreshToken)}`,
    };
  }

  #remember(headers: Headers): void {
    const access = this.#received(headers, 'access');
    const refresh = this.#received(headers, 'refresh');
    this.renewed = access !== undefined;
    this.access = access ?? this.access;
    this.refreshToken = refresh ?? this.refreshToken;
    this.antiCsrf = headers.get('anti-csrf') ?? this.antiCsrf;
  }

  #received(headers: Headers, token: keyof typeof TOKENS): string | undefined {
    if (this.#transfer === 'header') return headers.get(TOKENS[token].header) ?? undefined;
    const prefix = `${TOKENS[token].cookie}=`;
    const cookie = headers.getSetCookie().find((line) => line.startsWith(prefix));
    return cookie === undefined ? undefined : decodeURIComponent(String(cookie.slice(prefix.length).split(';')[0]));
  }

  #form(path: string, email: string, password: string): Promise<AppAnswer> {
    const formFields = [
      { id: 'email', value: email },
      { id: 'password', value: password },
    ];
    return this.send('POST', path, { formFields });
  }
}
