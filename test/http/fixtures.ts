import type { Config } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { Services } from '../../src/recipes/context.ts';
import type { Tenant } from '../../src/recipes/tenants/tenant.ts';
import type { TenantDirectory } from '../../src/recipes/tenants/directory.ts';
import type { Answer, Method, Route } from '../../src/recipes/route.ts';
import { route } from '../../src/recipes/route.ts';
import type { Address } from '../../src/recipes/tenants/address.ts';
import { emptyHead, type HttpRequest, type RequestHead, takeHeader } from '../../src/http/request.ts';
import type { AppNumber } from '../../src/store/store.ts';
import { appNumber, tenantNumber } from '../numbers.ts';

/** A configuration with some options set. */
export function configWith(options: Partial<Config> = {}): Config {
  return { ...DEFAULTS, ...options } as Config;
}

const keyOf = ({ cud, appId, tenantId }: Address): string => `${cud}|${appId}|${tenantId}`;

/** What a tenant of the fixture is: its address as `cud|app|tenant`, and options of its app and of itself. */
export interface FixtureTenant {
  readonly address: string;
  readonly app?: Partial<Config>;
  readonly own?: Partial<Config>;
}

/** A directory that knows these tenants, answering at once or (`isSlow`) later. */
export function directoryOf(tenants: readonly FixtureTenant[], isSlow = false): TenantDirectory {
  const apps = new Map<string, AppNumber>();
  const known = new Map<string, Tenant>();
  for (const [index, { address, app, own }] of tenants.entries()) {
    const [cud = '', appId = '', tenantId = ''] = address.split('|');
    const appKey = `${cud}|${appId}`;
    if (!apps.has(appKey)) apps.set(appKey, appNumber(apps.size + 1));
    const appConfig = configWith(app);
    const enabled = { emailPassword: true, thirdParty: true, passwordless: true };
    known.set(address, {
      cud,
      appId,
      tenantId,
      app: apps.get(appKey) ?? appNumber(0),
      tenant: tenantNumber(index + 1),
      appConfig,
      apiKeys: [],
      keyChanges: 0,
      config: own ? configWith({ ...app, ...own }) : appConfig,
      enabledRecipes: { 'flags-4': enabled, 'flags-5': enabled },
    });
  }
  const soon = <T>(value: T): T | Promise<T> => (isSlow ? Promise.resolve(value) : value);
  return {
    find: (address: Address) => soon(known.get(keyOf(address))),
    byNumber: () => soon(undefined),
    tenantIdOf: () => soon(undefined),
    cudOf: (host: string) => {
      const name = host.split(':')[0] ?? '';
      return soon([...known.values()].some(({ cud }) => cud === name) ? name : '');
    },
    changed: () => {},
  };
}

export function servicesOf(directory: TenantDirectory): Services {
  return { directory, now: Date.now, testMode: false } as Services;
}

/** A row that answers with what it was given. */
export function echo(method: Method, path: string, more: Partial<Route> & { readonly run?: () => Answer } = {}): Route {
  const { run, ...rest } = more;
  return route({
    method,
    path,
    scope: 'tenant',
    response: 'service/hello',
    summary: 'test',
    ...(rest as object),
    run: ({ tenant }) => ({ tenant }),
    view: ({ tenant }): Answer => run?.() ?? { json: { status: 'OK', path, app: tenant.appId, tenant: tenant.tenantId, cud: tenant.cud } },
  });
}

/** The head of a request with these headers, each as `Name: value`. */
export function headOf(...lines: string[]): RequestHead {
  const head = emptyHead('POST', '/', '');
  takeHeader(head, 'host', 'localhost:3567');
  for (const line of lines) {
    const colon = line.indexOf(':');
    takeHeader(head, line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return head;
}

/** A request as an engine hands it over. @param target method, space, path and query */
export function requestOf(target: string, headers: readonly string[] = [], body = '', peer = '127.0.0.1'): HttpRequest {
  const [method = '', url = ''] = target.split(' ');
  const [path = '', query = ''] = url.split('?');
  return { method, path, query, head: headOf(...headers), body: Buffer.from(body), peer: () => peer };
}
