import { Refusal } from '../recipes/refusal.ts';
import type { Route } from '../recipes/route.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../recipes/tenants/address.ts';
import { normalisePath } from './path.ts';

/** All rows of one path, with what the pipeline asks before it knows the method, which all of them share. */
export interface Endpoint {
  readonly path: string;
  readonly apiKey: boolean;
  readonly versionChecked: boolean;
  /** Not of the contract's: opened by keys of the base app, and without versions. */
  readonly isOurs: boolean;
  /** For operators in browsers. */
  readonly browser: Route['browser'];
  /** Its bodies come again and again, and time counts most. */
  readonly isHot: boolean;
  /** Its verb reads posted bodies itself, and they may be large. */
  readonly isRaw: boolean;
  readonly rows: ReadonlyMap<string, readonly Route[]>;
  /** The recipes that share the path; none where a path belongs to one. */
  readonly rids: ReadonlySet<string>;
}

/** Where a path leads. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly appId: string;
  readonly tenantId: string;
  /** True where the root endpoint took an unknown path: 404 follows its guards (contract 01 section 3.1). */
  readonly isUnknown: boolean;
}

/** First segments of endpoints that cannot be tenants in a path (contract 01 section 2.3). */
const STOP_WORDS: ReadonlySet<string> = new Set(['recipe', 'config', 'users', 'hello']);
const HTTP_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT']);
const APP_SEGMENT = /^\/appid-([a-z0-9-]*)(?=\/|$)/;
const TENANT_SEGMENT = /^\/([a-z0-9-]+)(?=\/)/;
const ROOT_OF_APP = /^\/appid-([a-z0-9-]*)(?:\/([a-z0-9-]+))?\/?$/;
const ROOT_OF_TENANT = /^\/([a-z0-9-]+)\/?$/;
const DEFAULT_RID = 'emailpassword';

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** Finds the endpoint, app and tenant of a path (contract 01 sections 2.2 to 2.5). */
export class Router {
  readonly #basePath: string;
  readonly #root: Endpoint;
  /** By path without a trailing slash, without the root. */
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  /** The finished match of every path without app and tenant, base path included, with and without a final slash. */
  readonly #exact: ReadonlyMap<string, Match>;

  constructor(routes: readonly Route[], basePath: string) {
    const endpoints = collectEndpoints(routes);
    const root = endpoints.get('');
    if (!root) throw new Error('the list of routes has no root endpoint');
    this.#basePath = basePath;
    this.#root = root;
    this.#exact = new Map(
      [...endpoints.values()].flatMap((endpoint): [string, Match][] => {
        const match = { endpoint, appId: DEFAULT_APP_ID, tenantId: DEFAULT_TENANT_ID, isUnknown: false };
        return [
          [basePath + endpoint.path, match],
          [`${basePath}${endpoint.path}/`, match],
        ];
      }),
    );
    endpoints.delete('');
    this.#endpoints = endpoints;
  }

  /** @param raw the path as sent; throws the refusals of malformed paths, and `not-found` outside the base path */
  match(raw: string): Match {
    return this.#exact.get(raw) ?? this.#search(normalisePath(raw === '' ? '/' : raw));
  }

  /** Paths of the hot endpoints of the default app and tenant, in their plainest spelling. */
  hotPaths(): string[] {
    return [...this.#exact].filter(([path, { endpoint }]) => endpoint.isHot && !path.endsWith('/')).map(([path]) => path);
  }

  /** The row for a method (GET's for HEAD); `rid` tells rows of one path and method apart (contract 01 section 2.5). */
  static rowOf(endpoint: Endpoint, method: string, rid: string | undefined): Route {
    const rows = Router.rowsOf(endpoint, method);
    // A recipe with rows here, but none for this method, does not use another recipe's.
    const wanted = rid !== undefined && endpoint.rids.has(rid) ? rid : DEFAULT_RID;
    const row = endpoint.rids.size === 0 ? rows?.[0] : rows?.find((candidate) => candidate.rid === wanted);
    if (!row) throw new Refusal(HTTP_METHODS.has(method) ? 'method-not-supported' : 'method-unknown');
    return row;
  }

  /** The rows for a method, whatever their `rid`. */
  static rowsOf(endpoint: Endpoint, method: string): readonly Route[] | undefined {
    return endpoint.rows.get(method === 'HEAD' ? 'GET' : method);
  }

  #search(path: string): Match {
    const base = this.#basePath;
    if (!path.startsWith(base) || (path.length > base.length && path[base.length] !== '/')) throw new Refusal('not-found');
    const original = path.slice(base.length);
    const local = original.toLowerCase();
    return this.#exact.get(base + local) ?? this.#prefixed(withoutSlash(local)) ?? this.#atRoot(local, original);
  }

  /** An endpoint behind an app segment, a tenant segment, or both; the longer endpoint wins. */
  #prefixed(local: string): Match | undefined {
    const app = APP_SEGMENT.exec(local);
    const appId = app?.[1] || DEFAULT_APP_ID;
    const rest = local.slice(app?.[0].length ?? 0);
    const ofApp = this.#endpoints.get(rest);
    if (ofApp) return { endpoint: ofApp, appId, tenantId: DEFAULT_TENANT_ID, isUnknown: false };
    const [prefix = '', tenantId = ''] = TENANT_SEGMENT.exec(rest) ?? [];
    const ofTenant = prefix === '' || STOP_WORDS.has(tenantId) ? undefined : this.#endpoints.get(rest.slice(prefix.length));
    return ofTenant && { endpoint: ofTenant, appId, tenantId, isUnknown: false };
  }

  /** Every other path: hello of an app or tenant, or nothing at all (contract 01 section 3.1). */
  #atRoot(local: string, original: string): Match {
    const app = ROOT_OF_APP.exec(local);
    const appId = app?.[1] || DEFAULT_APP_ID;
    const segment = (app ? app[2] : ROOT_OF_TENANT.exec(local)?.[1]) ?? DEFAULT_TENANT_ID;
    const tenantId = STOP_WORDS.has(segment) ? DEFAULT_TENANT_ID : segment;
    // Taken off the path as it was sent, so `/APPID-a1` and `/T1` stay unknown here.
    const rest = withoutPrefix(app ? withoutPrefix(original, `/appid-${appId}`) : original, `/${tenantId}`);
    return { endpoint: this.#root, appId, tenantId, isUnknown: rest !== '' && rest !== '/' };
  }
}

const withoutPrefix = (path: string, prefix: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);

function collectEndpoints(routes: readonly Route[]): Map<string, Endpoint> {
  const byPath = groupBy(routes, ({ path }) => withoutSlash(path));
  return new Map(
    [...byPath].map(([path, rows]) => [
      path,
      {
        path,
        apiKey: rows.every((row) => row.apiKey),
        versionChecked: rows.every((row) => row.versionChecked),
        isOurs: rows.every((row) => row.needs !== 'cdi'),
        browser: rows[0]?.browser,
        isHot: rows.every((row) => row.isHot === true),
        isRaw: rows.some((row) => row.rawInput !== undefined),
        rows: groupBy(rows, ({ method }) => method),
        rids: new Set(rows.flatMap(({ rid }) => (rid === undefined ? [] : [rid]))),
      },
    ]),
  );
}

function groupBy(routes: readonly Route[], keyOf: (route: Route) => string): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const key = keyOf(route);
    const group = groups.get(key);
    if (group) group.push(route);
    else groups.set(key, [route]);
  }
  return groups;
}
