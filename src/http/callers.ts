import type { Services } from '../recipes/context.ts';
import { operatorNeed } from '../recipes/operators/needs.ts';
import type { OperatorRecord } from '../recipes/operators/records.ts';
import { ROLE_SCOPES } from '../recipes/operators/roles.ts';
import { findSignedIn, hasCsrfToken, OPERATOR_COOKIE, type SignedIn, touchSession } from '../recipes/operators/sessions.ts';
import { Refusal } from '../recipes/refusal.ts';
import type { Route } from '../recipes/route.ts';
import { grants } from '../recipes/tenants/api-keys.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import type { Tenant } from '../recipes/tenants/tenant.ts';
import type { Config } from '../config/config.ts';
import { type MaybePromise, whenReady } from '../store/maybe-promise.ts';
import { type Caller, checkApiKey, FOLDER_OWNER, STRANGER } from './access.ts';
import { browserOf, checkOrigin, type HeadOnly, isChange } from './browser.ts';
import type { RequestHead } from './request.ts';
import type { Endpoint } from './router.ts';

/** What opens endpoints at a listener. */
export interface Door {
  /** API keys, or none where none are asked for. */
  readonly takesKeys: boolean;
  /** The cookies of operators, and their sign-in. */
  readonly takesCookies: boolean;
}

/** Where everybody comes in but the browsers of operators. */
export const KEYS_ONLY: Door = { takesKeys: true, takesCookies: false };

/** Whose keys open an endpoint, and the base configuration beneath. */
interface Holders {
  readonly keyHolder: Tenant | undefined;
  readonly base: Config;
}

interface CallersParts {
  readonly services: Services;
  readonly door: Door;
  /** See `ServerOptions`. */
  readonly isTrusted: boolean;
}

const COOKIE = new RegExp(`(?:^|;)\\s*${OPERATOR_COOKIE}=([^;]*)`);

/** Tells who calls, by an API key or by the cookie of an operator: by one of them, whatever else a request brings. */
export class Callers {
  readonly #services: Services;
  readonly #door: Door;
  readonly #isTrusted: boolean;

  constructor({ services, door, isTrusted }: CallersParts) {
    this.#services = services;
    this.#door = door;
    this.#isTrusted = isTrusted;
  }

  /** What the cookie holds, where it is by that that a request is to be let in. */
  tokenOf({ web, apiKey, authorization }: RequestHead): string | undefined {
    if (web?.cookie === undefined || apiKey !== undefined || authorization !== undefined) return undefined;
    return this.#door.takesCookies ? COOKIE.exec(web.cookie)?.[1]?.trim() : undefined;
  }

  /** Whether nothing but a cookie can let a request in. */
  isByCookie(head: RequestHead): boolean {
    return !this.#door.takesKeys || this.tokenOf(head) !== undefined;
  }

  /** The host by which a request names its connection URI domain; pages cannot choose theirs, and use a header. */
  domainOf(head: RequestHead): string {
    const { web, host = '' } = head;
    return web?.connectionUriDomain === undefined || this.tokenOf(head) === undefined ? host : web.connectionUriDomain;
  }

  /** Without a promise where no cookie has to be looked up in a store that takes its time. @throws Refusal */
  of(request: HeadOnly, endpoint: Pick<Endpoint, 'apiKey' | 'browser'>, { keyHolder, base }: Holders): MaybePromise<Caller> {
    if (endpoint.browser) return this.#visitor(request, endpoint.browser, base);
    const token = endpoint.apiKey ? this.tokenOf(request.head) : undefined;
    if (token !== undefined) return this.#operator(request, token, base);
    if (this.#isTrusted) return FOLDER_OWNER;
    if (!this.#door.takesKeys) throw new Refusal('signed-out');
    return checkApiKey(keyHolder, base, request.head, endpoint.apiKey, this.#services.now);
  }

  /** Checks that a caller may use a row, and notes the use of a key. @throws Refusal */
  checkRow(caller: Caller, row: Pick<Route, 'needs' | 'opensTo'> & Partial<Route>, holder: Tenant | undefined): void {
    const { scopes, key, signedIn } = caller;
    const { needs, opensTo = needs } = row;
    if (signedIn) {
      const need = operatorNeed(row.method ?? '', row.path ?? '', needs);
      if (!grants(scopes, need)) throw scopes.length === 0 ? TOTP_FIRST : new Refusal('role-missing', { scope: need });
      return;
    }
    if (!grants(scopes, needs) && !grants(scopes, opensTo)) throw new Refusal('scope-missing', { scope: needs });
    if (key && holder) this.#services.keyUses.used(holder.app, key, this.#services.now());
  }

  /** Of an endpoint for browsers, where one may come without a session. */
  #visitor(request: HeadOnly, kind: 'open' | 'session', base: Config): MaybePromise<Caller> {
    if (!this.#door.takesCookies) throw new Refusal('not-found');
    const token = this.tokenOf(request.head);
    if (kind === 'session') {
      if (token === undefined) throw new Refusal('signed-out');
      return this.#operator(request, token, base);
    }
    const browser = browserOf(request, base);
    checkOrigin(request, browser);
    const visitor: Caller = { ...STRANGER, browser };
    if (token === undefined || browser.insecure !== undefined) return visitor;
    return whenReady(this.#find(token), (signedIn) => (signedIn ? { ...visitor, signedIn } : visitor));
  }

  #operator(request: HeadOnly, token: string, base: Config): MaybePromise<Caller> {
    const { now, store, dropped } = this.#services;
    const browser = browserOf(request, base);
    if (browser.insecure !== undefined) throw new Refusal('forbidden', { text: browser.insecure });
    checkOrigin(request, browser);
    return whenReady(this.#find(token), (signedIn) => {
      if (!signedIn) throw new Refusal('signed-out');
      if (isChange(request.method) && !hasCsrfToken(signedIn, request.head.web?.csrfToken)) throw WITHOUT_CSRF_TOKEN;
      const { session, operator } = signedIn;
      touchSession(store, session, now()).catch((error: unknown) => dropped(error, 'writing when a session was used failed'));
      return {
        scopes: scopesOf(operator, base),
        // Roles are granted by holders of keys, who must not give more than they have.
        protectedMode: base.supertokens_saas_secret !== null,
        actor: { type: 'operator', name: operator.userId },
        key: undefined,
        signedIn,
        browser,
      };
    });
  }

  #find(token: string): MaybePromise<SignedIn | undefined> {
    const { directory, store, now } = this.#services;
    return whenReady(directory.find(BASE_ADDRESS), (base) => base && store.read((reader) => findSignedIn(reader, base.app, token, now())));
  }
}

const TOTP_FIRST = new Refusal('forbidden', {
  text: 'Enrol an app that makes one-time codes first: this core asks every operator for one',
});
const WITHOUT_CSRF_TOKEN = new Refusal('forbidden', {
  text: 'The CSRF token is missing or is not that of the session: load the page again',
});

/** Nothing, until what the configuration asks of operators is done. */
const scopesOf = ({ role, totp }: OperatorRecord, { admin_require_totp: asksTotp }: Config): Caller['scopes'] =>
  asksTotp && totp === undefined ? [] : ROLE_SCOPES[role];
