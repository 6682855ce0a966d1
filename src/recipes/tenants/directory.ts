import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, TenantNumber } from '../../store/store.ts';
import type { Tenant } from './tenant.ts';
import type { Address } from './address.ts';

/** Finds tenants with their effective configuration; one per thread, answering from memory while nothing changed. */
export interface TenantDirectory {
  /** The tenant at an address; ids must already be in lower case. */
  find(address: Address): MaybePromise<Tenant | undefined>;
  /** The tenant with this number, `undefined` once it or its app is deleted. */
  byNumber(app: AppNumber, tenant: TenantNumber): MaybePromise<Tenant | undefined>;
  /**
   * The id of the tenant with this number, `undefined` once the tenant or its app is deleted. The only question for
   * bodies that read the store: it asks their own reader. A read of its own would wait for a connection while theirs is
   * held; enough of such bodies at once would all wait for each other.
   */
  tenantIdOf(reader: Reader, app: AppNumber, tenant: TenantNumber): MaybePromise<string | undefined>;
  /** The connection URI domain a `Host` header names, `''` when no stored domain matches it. */
  cudOf(host: string): MaybePromise<string>;
  /** Called between a tenant change's commit and answer: every thread of the process sees it at its next request. */
  changed(): void;
}
