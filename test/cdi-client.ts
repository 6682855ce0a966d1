/** How one call differs from a plain one. */
export interface CallOptions {
  /** The `cdi-version` header; `null` sends none. */
  readonly cdi?: string | null;
  /** A tenant segment in the path. */
  readonly tenant?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with its body as text and, where it is JSON, parsed as the type the caller expects. */
export interface Reply<T> {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly body: T;
}

const CALL_LIMIT_MS = 20_000;

/** A back end that speaks to one app of a core, at one CDI version unless a call says otherwise. */
export interface CdiClient {
  readonly url: string;
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply<T>>;
  get<T = Record<string, unknown>>(path: string, query?: Readonly<Record<string, string>>, options?: CallOptions): Promise<Reply<T>>;
  post<T = Record<string, unknown>>(path: string, body: unknown, options?: CallOptions): Promise<Reply<T>>;
  put<T = Record<string, unknown>>(path: string, body: unknown, options?: CallOptions): Promise<Reply<T>>;
}

/** `app` is the id of an app that exists; without it the default app is meant. A string body is sent as it is. */
export function cdiClient(url: string, settings: { readonly app?: string; readonly cdi?: string | null } = {}): CdiClient {
  const { app, cdi: version = '5.4' } = settings;
  async function call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply<T>> {
    const cdi = options.cdi === undefined ? version : options.cdi;
    const prefix = (app === undefined ? '' : `/appid-${app}`) + (options.tenant === undefined ? '' : `/${options.tenant}`);
    const query = options.query ? `?${new URLSearchParams(options.query).toString()}` : '';
    const response = await fetch(url + prefix + path + query, {
      method,
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
      headers: {
        ...(cdi === null ? {} : { 'cdi-version': cdi }),
        ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, body: parsed<T>(text, response) };
  }
  return {
    url,
    call,
    get: (path, query, options) => call('GET', path, undefined, query ? { ...options, query } : options),
    post: (path, body, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
  };
}

function parsed<T>(text: string, response: Response): T {
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const body: T = isJson ? JSON.parse(text) : {};
  return body;
}
