import type { Traits } from '../cdi/traits.ts';
import type { Actor } from '../recipes/audit/event.ts';
import type { Context, Services } from '../recipes/context.ts';
import type { Browser } from '../recipes/operators/browser.ts';
import type { SignedIn } from '../recipes/operators/sessions.ts';
import type { Tenant } from '../recipes/tenants/tenant.ts';
import type { Route } from '../recipes/route.ts';
import type { Refusal } from '../recipes/refusal.ts';
import type { Repeated } from '../recipes/session-records/verified-tokens.ts';
import type { ApiScope } from '../recipes/tenants/api-keys.ts';
import type { Address } from '../recipes/tenants/address.ts';
import { addressText } from './access.ts';

/** What the pipeline knows of a request once it is let in. */
export interface Admission {
  readonly traits: Traits;
  readonly address: Address;
  readonly protectedMode: boolean;
  /** What the caller's key is good for. */
  readonly scopes: readonly ApiScope[];
  readonly actor: Actor;
  readonly route: Route;
  readonly requestId?: string | undefined;
  /** As the header holds it. */
  readonly endUserAddress?: string | undefined;
  /** As sent. */
  readonly authorization?: string | undefined;
  readonly browser?: Browser | undefined;
  readonly signedIn?: SignedIn | undefined;
  readonly rawBody?: Uint8Array<ArrayBuffer> | undefined;
  readonly repeated?: Repeated | undefined;
}

/** The context of one request; it hands through the thread's services, so that a request costs no copy of them. */
export class RequestContext implements Context {
  readonly traits: Traits;
  readonly address: Address;
  readonly protectedMode: boolean;
  readonly scopes: readonly ApiScope[];
  readonly actor: Actor;
  readonly requestId: string | undefined;
  readonly authorization: string | undefined;
  readonly browser: Browser | undefined;
  readonly signedIn: SignedIn | undefined;
  readonly rawBody: Uint8Array<ArrayBuffer> | undefined;
  readonly repeated: Repeated | undefined;
  readonly #services: Services;
  readonly #route: Route;
  readonly #endUserAddress: string | undefined;
  #store: Services['store'];
  #tenant: Tenant | undefined;
  #late: Refusal | undefined;

  constructor(services: Services, admission: Admission) {
    this.#services = services;
    this.#store = services.store;
    const { traits, address, protectedMode, scopes, endUserAddress, authorization, rawBody, repeated, actor, route, requestId } = admission;
    this.#endUserAddress = endUserAddress;
    this.browser = admission.browser;
    this.signedIn = admission.signedIn;
    this.traits = traits;
    this.address = address;
    this.protectedMode = protectedMode;
    this.scopes = scopes;
    this.actor = actor;
    this.#route = route;
    this.requestId = requestId;
    this.authorization = authorization;
    this.rawBody = rawBody;
    this.repeated = repeated;
  }

  get store(): Services['store'] {
    return this.#store;
  }
  get crypto(): Services['crypto'] {
    return this.#services.crypto;
  }
  get uploads(): Services['uploads'] {
    return this.#services.uploads;
  }
  get directory(): Services['directory'] {
    return this.#services.directory;
  }
  get keys(): Services['keys'] {
    return this.#services.keys;
  }
  get statistics(): Services['statistics'] {
    return this.#services.statistics;
  }
  get isBlockedPassword(): Services['isBlockedPassword'] {
    return this.#services.isBlockedPassword;
  }
  get activity(): Services['activity'] {
    return this.#services.activity;
  }
  get userData(): Services['userData'] {
    return this.#services.userData;
  }
  get server(): Services['server'] {
    return this.#services.server;
  }
  get backups(): Services['backups'] {
    return this.#services.backups;
  }
  get trail(): Services['trail'] {
    return this.#services.trail;
  }
  get keyUses(): Services['keyUses'] {
    return this.#services.keyUses;
  }
  get verifiedTokens(): Services['verifiedTokens'] {
    return this.#services.verifiedTokens;
  }
  get dropped(): Services['dropped'] {
    return this.#services.dropped;
  }
  get now(): Services['now'] {
    return this.#services.now;
  }
  get randomBytes(): Services['randomBytes'] {
    return this.#services.randomBytes;
  }
  get randomId(): Services['randomId'] {
    return this.#services.randomId;
  }
  get randomUnit(): Services['randomUnit'] {
    return this.#services.randomUnit;
  }
  get testMode(): Services['testMode'] {
    return this.#services.testMode;
  }
  get debug(): Services['debug'] {
    return this.#services.debug;
  }

  get endUserAddress(): string | undefined {
    return this.#endUserAddress === undefined ? undefined : addressText(this.#endUserAddress);
  }

  get via(): string {
    return `${this.#route.method} ${this.#route.path}`;
  }

  get tenant(): Tenant {
    if (!this.#tenant) throw new Error('this row has no scope guard, so its verb has to find the tenant itself');
    return this.#tenant;
  }

  /** Another face of the same store, for all that the verb does. */
  useStore(store: Services['store']): void {
    this.#store = store;
  }

  /** What the scope guard found. */
  enter(tenant: Tenant): void {
    this.#tenant = tenant;
  }

  /** Remembers the first fault of the fields that are checked after the scope guard. */
  keepLate(refusal: Refusal | undefined): void {
    this.#late = refusal;
  }

  checkLate(): void {
    if (this.#late) throw this.#late;
  }
}
