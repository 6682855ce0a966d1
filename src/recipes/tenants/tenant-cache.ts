import { Generations } from '../../caches/remembered.ts';
import type { TenantNumber } from '../../store/store.ts';
import type { Tenant } from './tenant.ts';
import type { Address } from './address.ts';

type Apps = Map<string, Map<string, Tenant>>;

/** One half of the cache: found by address without building a key, and by number. */
class Half {
  readonly #domains = new Map<string, Apps>();
  readonly byNumber = new Map<TenantNumber, Tenant>();

  find({ cud, appId, tenantId }: Address): Tenant | undefined {
    return this.#domains.get(cud)?.get(appId)?.get(tenantId);
  }

  add(tenant: Tenant): void {
    let apps = this.#domains.get(tenant.cud);
    if (!apps) this.#domains.set(tenant.cud, (apps = new Map()));
    let tenants = apps.get(tenant.appId);
    if (!tenants) apps.set(tenant.appId, (tenants = new Map()));
    tenants.set(tenant.tenantId, tenant);
    this.byNumber.set(tenant.tenant, tenant);
  }
}

/** Tenants in memory, at most `capacity`; a find allocates nothing. */
export class TenantCache {
  readonly #halves: Generations<Half>;

  constructor(capacity: number) {
    this.#halves = new Generations(capacity, () => new Half());
  }

  find(address: Address): Tenant | undefined {
    const tenant = this.#halves.young.find(address);
    if (tenant) return tenant;
    const older = this.#halves.old.find(address);
    if (older) this.add(older);
    return older;
  }

  /** By the number of the tenant, which no other tenant of any app shares. */
  findByNumber(number: TenantNumber): Tenant | undefined {
    return this.#halves.young.byNumber.get(number) ?? this.#halves.old.byNumber.get(number);
  }

  add(tenant: Tenant): void {
    if (!this.#halves.young.byNumber.has(tenant.tenant)) this.#halves.makeRoom(1);
    this.#halves.young.add(tenant);
  }

  clear(): void {
    this.#halves.clear();
  }
}
