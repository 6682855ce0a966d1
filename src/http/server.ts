import type { Config } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import { INPUTS } from '../generated/inputs.ts';
import type { Services } from '../recipes/context.ts';
import type { Tenant } from '../recipes/tenants/tenant.ts';
import { Refusal } from '../recipes/refusal.ts';
import type { Route } from '../recipes/route.ts';
import { type Address, DEFAULT_TENANT_ID } from '../recipes/tenants/address.ts';
import { grants } from '../recipes/tenants/api-keys.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import { SCOPES } from '../recipes/scope.ts';
import { type MaybePromise, whenReady } from '../store/maybe-promise.ts';
import { type Caller, checkApiKey, checkPeer, checkVersion, hasKeys } from './access.ts';
import { Callers, type Door, KEYS_ONLY } from './callers.ts';
import { BodiesInFlight, passingPlace } from './bodies-in-flight.ts';
import type { BodyLeave, BodyPlace, Handler } from './engine.ts';
import { readInput } from './input.ts';
import { sourceOf } from './input-source.ts';
import { type Body, PassingBody, RawBody, RepeatedBodies } from './body.ts';
import { BUSY, isFault, thrownReply } from './refusals.ts';
import { watchPieces } from './long-body.ts';
import { answerReply, type LongReply, type Reply } from './reply.ts';
import { type HttpRequest, isForm, NO_BODY, type RequestHead } from './request.ts';
import { RequestContext } from './request-context.ts';
import type { RequestTrace, RequestTraces } from './request-trace.ts';
import type { PlainEndpoint } from './plain-endpoint.ts';
import { handleTold } from './told-acts.ts';
import { type Endpoint, type Match, Router } from './router.ts';

/** Told what requests come to. */
export interface Observer {
  /** A request came as far as a row, and goes on there. */
  began?(route: Route): void;
  /** @param route the row that answered, undefined where it did not come so far */
  finished?(route: Route | undefined, status: number, microseconds: number): void;
  /** A request that counts as traffic of an app (contract 01 section 2.6 step 9). @param app the app's number */
  counted?(app: number): void;
  /** A fault of ours, with its cause. @param traceId of a request that is recorded */
  faulted?(error: unknown, route: Route | undefined, traceId: string | undefined): void;
}

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly services: Services;
  /** The base configuration. */
  readonly config: Config;
  /** By path, with the slash it begins with. Served with and without the base path. */
  readonly plain?: ReadonlyMap<string, PlainEndpoint>;
  readonly observer?: Observer;
  /** None where nothing is traced. */
  readonly traces?: RequestTraces | undefined;
  /** True where whoever asks can read the store anyway: no key and no peer is checked. */
  readonly isTrusted?: boolean;
  /** Whether API keys open endpoints, the cookies of operators, or both; keys alone if left out. */
  readonly door?: Door;
}

/** What is known of a request on its way, for counting it. */
interface Counted {
  readonly startedAt: number;
  route: Route | undefined;
  /** The app whose traffic it is. */
  app: number | undefined;
  /** Of a request that is recorded. */
  trace: RequestTrace | undefined;
}

/** A request on its way. */
interface Exchange extends Counted {
  readonly request: HttpRequest;
  body: Body;
}

/** Where a request leads. */
interface Located {
  readonly address: Address;
  readonly tenant: Tenant | undefined;
  /** The tenant; the public one of its app where only the app exists. */
  readonly known: Tenant | undefined;
  /** The public tenant of the app whose keys open the endpoint. */
  readonly keyHolder: Tenant | undefined;
  /** The base configuration that theirs rest on. */
  readonly base: Config;
}

/** Long bodies one thread sends at a time: each holds a snapshot, of which all processes together have a thousand. */
const MOST_LONG_BODIES = 32;

/** Endpoints of ours speak as the newest interface does. */
const NEWEST = checkVersion(undefined, undefined);

/** A plain endpoint that is not open. */
const GUARDED = { apiKey: true, browser: undefined };

const NO_INPUT = { command: undefined, late: undefined };
const EMPTY_BODY: Body = new PassingBody(NO_BODY);

/** The pipeline of contract 01 section 2.6, in its order. Without a promise where nothing must be waited for. */
export class Server implements Handler {
  readonly #router: Router;
  readonly #services: Services;
  #config: Config;
  readonly #plain: ReadonlyMap<string, PlainEndpoint>;
  readonly #observer: Observer;
  readonly #isTrusted: boolean;
  readonly #traces: RequestTraces | undefined;
  readonly #callers: Callers;
  readonly #repeatedBodies = new RepeatedBodies();
  readonly #bodies: BodiesInFlight;
  /** Answers that are made while they are sent. */
  #longBodies = 0;
  readonly hotPaths: readonly string[];
  readonly takesChunks: boolean;
  #smallBodyBytes: number;
  #addressHeader: string | undefined;

  constructor({ routes, services, config, plain, observer, traces, isTrusted = false, door = KEYS_ONLY }: ServerOptions) {
    this.#router = new Router(routes, config.base_path);
    this.#services = services;
    this.#bodies = new BodiesInFlight(config.max_bodies_in_flight_bytes);
    this.takesChunks = config.http_chunked;
    this.hotPaths = this.#router.hotPaths();
    this.#config = config;
    this.#smallBodyBytes = smallBodyBytesOf(config);
    this.#addressHeader = addressHeaderOf(config);
    this.#observer = observer ?? {};
    this.#isTrusted = isTrusted;
    this.#traces = traces;
    this.#callers = new Callers({ services, door, isTrusted });
    this.#plain = new Map(
      [...(plain ?? [])].flatMap(([path, endpoint]): [string, PlainEndpoint][] => [
        [path, endpoint],
        [config.base_path + path, endpoint],
      ]),
    );
  }

  get smallBodyBytes(): number {
    return this.#smallBodyBytes;
  }

  get addressHeader(): string | undefined {
    return this.#addressHeader;
  }

  get isTraced(): boolean {
    return this.#traces !== undefined;
  }

  /** Goes on with another base configuration; the directory must in the same turn of the event loop. */
  use(config: Config): void {
    this.#config = config;
    this.#smallBodyBytes = smallBodyBytesOf(config);
    this.#addressHeader = addressHeaderOf(config);
    this.#bodies.resize(config.max_bodies_in_flight_bytes);
  }

  /** Refuses before the body is taken in, by those steps of the pipeline that need nothing but the head. */
  admitBody(request: Omit<HttpRequest, 'body'>): MaybePromise<BodyLeave> {
    const asked: Counted = { startedAt: performance.now(), route: undefined, app: undefined, trace: undefined };
    try {
      if (this.#plainOf(request)) return passingPlace(this.#config.max_body_bytes);
      const match = this.#router.match(request.path);
      const place = whenReady(this.#locate(match, request.head), (located) =>
        whenReady(this.#placeOf(asked, request, match, located), (free) => free ?? this.#finish(asked, BUSY)),
      );
      return place instanceof Promise ? place.catch((error: unknown) => this.#fail(asked, error)) : place;
    } catch (error) {
      return this.#fail(asked, error);
    }
  }

  /** Undefined while there is no room. */
  #placeOf(asked: Counted, request: Omit<HttpRequest, 'body'>, { endpoint }: Match, located: Located): MaybePromise<BodyPlace | undefined> {
    this.#checkPeers(request, endpoint, located);
    asked.app = located.known?.app;
    return whenReady(this.#callers.of(request, endpoint, located), () => this.#roomFor(request, endpoint, located));
  }

  #roomFor({ head, method }: Omit<HttpRequest, 'body'>, endpoint: Endpoint, { address, known, base }: Located): BodyPlace | undefined {
    const rows = Router.rowsOf(endpoint, method) ?? [];
    const isPosted = method === 'POST' && isForm(head);
    const ordinary = isPosted ? LIMITS.formBytes : base.max_body_bytes;
    if (!rows.some(({ input, rawInput }) => input ?? rawInput)) return passingPlace(ordinary);
    // The verb would refuse only after reading the body, which nobody keeps for strangers.
    if (!known) throw new Refusal('tenant-not-found', address);
    const isLarge = method === 'POST' && endpoint.isRaw && !isPosted && (head.contentLength ?? Number.POSITIVE_INFINITY) > ordinary;
    return this.#bodies.take(isLarge ? LIMITS.uploadBytes : ordinary, head.contentLength);
  }

  /** Answers a request: the one place that catches what is thrown. */
  handle(request: HttpRequest): MaybePromise<Reply | LongReply> {
    const exchange: Exchange = {
      request,
      startedAt: performance.now(),
      body: EMPTY_BODY,
      route: undefined,
      app: undefined,
      trace: undefined,
    };
    try {
      const reply = this.#answer(exchange);
      const give = (value: Reply | LongReply) => ('pieces' in value ? this.#begin(exchange, value) : this.#finish(exchange, value));
      return reply instanceof Promise ? reply.then(give, (error: unknown) => this.#fail(exchange, error)) : give(reply);
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }

  #finish(exchange: Counted, reply: Reply): Reply {
    this.#count(exchange, reply.status);
    return reply;
  }

  #count({ route, startedAt, app, trace }: Counted, status: number): void {
    trace?.end(route, status);
    this.#observer.finished?.(route, status, (performance.now() - startedAt) * 1000);
    if (app !== undefined) this.#observer.counted?.(app);
  }

  #fail(exchange: Counted, thrown: unknown): Reply {
    if (isFault(thrown)) {
      exchange.trace?.failed(thrown);
      this.#observer.faulted?.(thrown, exchange.route, exchange.trace?.id);
    }
    return this.#finish(exchange, thrownReply(thrown));
  }

  /** An answer in pieces: it is counted when it is over, and is a fault if it broke off. */
  #begin(exchange: Counted, reply: LongReply): MaybePromise<Reply | LongReply> {
    const { pieces } = reply;
    if (this.#longBodies >= MOST_LONG_BODIES) return pieces.end().then(() => this.#finish(exchange, BUSY));
    this.#longBodies += 1;
    const ended = (fault?: { readonly thrown: unknown }): void => {
      this.#longBodies -= 1;
      if (fault) this.#fail(exchange, fault.thrown);
      else this.#count(exchange, reply.status);
    };
    return { ...reply, pieces: watchPieces(pieces, ended) };
  }

  #answer(exchange: Exchange): MaybePromise<Reply | LongReply> {
    const { request } = exchange;
    const plain = this.#plainOf(request);
    if (plain) return this.#answerPlain(plain, request);
    exchange.trace = this.#traces?.begin(request.method, request.head.traceparent);
    const match = this.#router.match(request.path);
    if (request.body.length > 0) exchange.body = this.#bodyOf(request, match.endpoint);
    return whenReady(this.#locate(match, request.head), (located) => this.#admit(exchange, match, located));
  }

  #plainOf({ method, path }: Omit<HttpRequest, 'body'>): PlainEndpoint | undefined {
    return method === 'GET' || method === 'HEAD' ? this.#plain.get(path) : undefined;
  }

  #bodyOf({ body, method }: HttpRequest, { isHot, isRaw }: Endpoint): Body {
    if (isHot) return this.#repeatedBodies.get(body);
    return isRaw && method === 'POST' ? new RawBody(body) : new PassingBody(body);
  }

  #answerPlain(endpoint: PlainEndpoint, request: HttpRequest): MaybePromise<Reply> {
    const config = this.#config;
    if (!endpoint.isOpen || endpoint.checksPeer) checkPeer(config, request);
    if (endpoint.isOpen) return endpoint.answer(request.head);
    if (this.#callers.isByCookie(request.head)) {
      const operator = this.#callers.of(request, GUARDED, { keyHolder: undefined, base: config });
      return whenReady(operator, (caller) => {
        this.#callers.checkRow(caller, { needs: 'read' }, undefined);
        return endpoint.answer(request.head);
      });
    }
    const { now } = this.#services;
    const own = { appConfig: config, apiKeys: [] };
    // A key of the configuration opens it without the store, which may be what is looked into.
    const shown = checkApiKey(own, config, request.head, false, now);
    if (hasKeys(own) && grants(shown.scopes, 'read')) return endpoint.answer(request.head);
    return whenReady(this.#services.directory.find(BASE_ADDRESS), (base) => {
      const caller = checkApiKey({ ...own, apiKeys: base?.apiKeys ?? [] }, config, request.head, true, now);
      this.#callers.checkRow(caller, { needs: 'read' }, base);
      return endpoint.answer(request.head);
    });
  }

  /** Looks for what a request is addressed to, under one configuration: again, where another came meanwhile. */
  #locate(match: Match, head: RequestHead): MaybePromise<Located> {
    const base = this.#config;
    const found = this.#look(match, head, base);
    if (!(found instanceof Promise)) return found;
    return found.then((located) => (this.#config === base ? located : this.#locate(match, head)));
  }

  /** Looks for the addressed tenant, or else for its app. */
  #look({ endpoint, appId, tenantId }: Match, head: RequestHead, base: Config): MaybePromise<Located> {
    const { directory } = this.#services;
    return whenReady(directory.cudOf(this.#callers.domainOf(head)), (cud) => {
      const only = base.supertokens_saas_load_only_cud;
      if (only !== null && cud !== '' && cud !== only) throw new Refusal('cud-disallowed');
      const address = { cud, appId, tenantId };
      return whenReady(directory.find(address), (tenant) => {
        if (endpoint.isOurs)
          return whenReady(directory.find(BASE_ADDRESS), (keyHolder) => ({ address, tenant, known: tenant, keyHolder, base }));
        if (tenant || tenantId === DEFAULT_TENANT_ID) return { address, tenant, known: tenant, keyHolder: tenant, base };
        const app = directory.find({ ...address, tenantId: DEFAULT_TENANT_ID });
        return whenReady(app, (known) => ({ address, tenant: undefined, known, keyHolder: known, base }));
      });
    });
  }

  /** Endpoints of ours obey the IP rules of the app whose keys open them too. */
  #checkPeers(request: Omit<HttpRequest, 'body'>, { isOurs }: Endpoint, { known, keyHolder }: Located): void {
    if (this.#isTrusted) return;
    if (known) checkPeer(known.config, request);
    if (isOurs && keyHolder && keyHolder !== known) checkPeer(keyHolder.config, request);
  }

  /** Everything checked before the endpoint itself: peer, key, version, method. */
  #admit(exchange: Exchange, match: Match, located: Located): MaybePromise<Reply | LongReply> {
    this.#checkPeers(exchange.request, match.endpoint, located);
    exchange.app = located.known?.app;
    const caller = this.#callers.of(exchange.request, match.endpoint, located);
    if (caller instanceof Promise) return caller.then((known) => this.#enter(exchange, match, located, known));
    return this.#enter(exchange, match, located, caller);
  }

  #enter(exchange: Exchange, match: Match, located: Located, caller: Caller): MaybePromise<Reply | LongReply> {
    const { head, method } = exchange.request;
    const { endpoint } = match;
    const { address, tenant, known, keyHolder } = located;
    const { traits, supported } = endpoint.isOurs ? NEWEST : checkVersion(known?.appConfig, head.cdiVersion);
    if (known) exchange.trace?.located({ ...address, tenantId: known.tenantId }, traits.version);
    if (!traits.tenants && address.tenantId !== DEFAULT_TENANT_ID) {
      exchange.app = undefined; // the contract does not count these
      throw new Refusal('not-found');
    }
    if (endpoint.versionChecked && !supported) throw new Refusal('version-not-supported', { version: traits.version });
    const route = Router.rowOf(endpoint, method, head.rid);
    exchange.route = route;
    if (route.apiKey && (keyHolder || caller.signedIn)) this.#callers.checkRow(caller, route, keyHolder);
    this.#observer.began?.(route);
    if (route.only && !traits[route.only]) throw new Refusal('not-found');
    const { endUserAddress, authorization, requestId } = head;
    const admission = {
      traits,
      address,
      protectedMode: caller.protectedMode,
      scopes: caller.scopes,
      actor: caller.actor,
      signedIn: caller.signedIn,
      browser: caller.browser,
      route,
      requestId,
      endUserAddress,
      authorization,
      rawBody: exchange.body.raw,
      repeated: exchange.body.repeated,
    };
    const context = new RequestContext(exchange.trace?.services ?? this.#services, admission);
    return this.#run(exchange, route, context, match.isUnknown, tenant);
  }

  /** The endpoint: its input, its scope, its verb. */
  #run(
    exchange: Exchange,
    route: Route,
    context: RequestContext,
    isUnknown: boolean,
    tenant: Tenant | undefined,
  ): MaybePromise<Reply | LongReply> {
    const { command, late } = route.input === undefined ? NO_INPUT : readInput(INPUTS[route.input], sourceOf(exchange), context.traits);
    context.keepLate(late);
    route.early?.(command as never, context);
    if (route.scope === 'verb') return this.#reply(exchange, route, context, command);
    if (route.scope === 'none') {
      context.checkLate();
      return this.#reply(exchange, route, context, command);
    }
    // A public tenant passes every guard but that of the base app, and asking the guard would look it up once more.
    const entered =
      tenant && tenant.tenantId === DEFAULT_TENANT_ID && route.scope !== 'base'
        ? tenant
        : SCOPES[route.scope](context.address, context.traits, context.directory);
    return whenReady(entered, (found) => {
      if (isUnknown) throw new Refusal('not-found');
      context.enter(found);
      context.checkLate();
      return this.#reply(exchange, route, context, command);
    });
  }

  #reply({ request }: Exchange, route: Route, context: RequestContext, command: unknown): MaybePromise<Reply | LongReply> {
    const settled = route.method === 'GET' || route.isHot ? undefined : request.settled?.();
    const answer = whenReady(settled, () => handleTold(route, context, command));
    return answer instanceof Promise ? answer.then(answerReply) : answerReply(answer);
  }
}

const smallBodyBytesOf = (config: Config): number => Math.min(LIMITS.smallBodyBytes, config.max_body_bytes);
const addressHeaderOf = (config: Config): string | undefined => config.sign_in_address_header?.toLowerCase();
