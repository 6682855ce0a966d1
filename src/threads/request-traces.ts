import type { Crypto } from '../crypto/crypto.ts';
import type { RequestTrace, RequestTraces } from '../http/request-trace.ts';
import type { TaskPort } from '../lanes/port.ts';
import type { SigningLane } from '../lanes/signing-lane.ts';
import { openThreadCrypto } from '../lanes/thread-crypto.ts';
import type { Span } from '../observe/traces/span.ts';
import { TracedStore } from '../observe/traces/traced-store.ts';
import type { Traces } from '../observe/traces/traces.ts';
import type { Services } from '../recipes/context.ts';
import type { Route } from '../recipes/route.ts';
import type { Address } from '../recipes/tenants/address.ts';
import { HTTP_TASKS, type MainTasks } from './main-tasks.ts';

/** In which lane each task waits for its turn. */
const LANES: Readonly<Record<string, string>> = {
  hashPassword: 'hash',
  verifyPassword: 'hash',
  readIdpMetadata: 'xml',
  checkSamlResponse: 'xml',
};
/** Other words in the place of a method are the caller's, so their number has no bound. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE']);
const OTHER_METHOD = '_OTHER';

/** What the verbs of a thread work with, of which a traced request gets a recorded form. */
interface Traced {
  readonly services: Services;
  readonly port: TaskPort<MainTasks>;
  readonly signing: SigningLane;
}

/** The traces of the requests of one thread. */
export function requestTraces(traces: Traces, traced: Traced): RequestTraces {
  return {
    begin: (method, traceparent) => {
      const span = traces.request(traceparent);
      return span && new SpanOfRequest(span, METHODS.has(method) ? method : OTHER_METHOD, traced);
    },
  };
}

class SpanOfRequest implements RequestTrace {
  readonly #span: Span;
  readonly #method: string;
  readonly services: Services;
  #hasFailed = false;

  constructor(span: Span, method: string, traced: Traced) {
    this.#span = span;
    this.#method = method;
    this.services = {
      ...traced.services,
      store: new TracedStore(traced.services.store, span),
      crypto: tracedCrypto(span, traced),
    };
  }

  get id(): string {
    return this.#span.traceId;
  }

  located({ cud, appId, tenantId }: Address, version: string): void {
    this.#span.set({
      'watchword.app_id': appId,
      'watchword.tenant_id': tenantId,
      'watchword.cdi_version': version,
      ...(cud !== '' && { 'watchword.connection_uri_domain': cud }),
    });
  }

  failed(error: unknown): void {
    this.#hasFailed = true;
    this.#span.failed(error);
  }

  end(route: Route | undefined, status: number): void {
    const span = this.#span;
    span.rename(route ? `${this.#method} ${route.path}` : this.#method);
    span.set({
      'http.request.method': this.#method,
      'http.response.status_code': status,
      ...(route && { 'http.route': route.path }),
    });
    if (status >= 500 && !this.#hasFailed) span.failed(status);
    span.end();
  }
}

function tracedCrypto(span: Span, { services, port, signing }: Traced): Crypto {
  const turn = (lane: string, askedAt: number, startedAt: number): void => {
    span.took(`lane ${lane} wait`, askedAt, startedAt);
    span.took(`lane ${lane} work`, startedAt, performance.now());
  };
  const worked = (name: string, askedAt: number, workedMs: number): void => {
    const lane = LANES[name];
    if (lane !== undefined) turn(lane, askedAt, performance.now() - workedMs);
  };
  return {
    ...openThreadCrypto(port.timedTasks(worked, ...HTTP_TASKS), signing),
    newSpCredential: services.crypto.newSpCredential,
    signRs256: (input, privateKey) => {
      const askedAt = performance.now();
      let startedAt = askedAt;
      const signed = signing.sign(input, privateKey, () => (startedAt = performance.now()));
      // Whoever asked meets the failure.
      signed.then(
        () => turn('sign', askedAt, startedAt),
        () => {},
      );
      return signed;
    },
  };
}
