import type { Services } from '../recipes/context.ts';
import type { Route } from '../recipes/route.ts';
import type { Address } from '../recipes/tenants/address.ts';

/** The trace of a request that is recorded. */
export interface RequestTrace {
  /** By which a collector finds it. */
  readonly id: string;
  /** The thread's services, whose reads, transactions and tasks are recorded. */
  readonly services: Services;
  /** The request is addressed to a tenant that exists, and speaks this version of the interface. */
  located(address: Address, version: string): void;
  failed(error: unknown): void;
  /** The answer is made. @param route the row that answered, undefined where the request did not come so far */
  end(route: Route | undefined, status: number): void;
}

/** Which requests are traced. Made by who composes the thread; a thread without traces has none. */
export interface RequestTraces {
  /** Undefined for a request that is not recorded. @param traceparent the header of W3C Trace Context as sent */
  begin(method: string, traceparent: string | undefined): RequestTrace | undefined;
}
