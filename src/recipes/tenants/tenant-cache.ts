import type { Tenant } from './tenant.ts';
import type { Address } from './address.ts';

type Apps = Map<string, Map<string, Tenant>>;

/** One half of the cache: found by address without building a key, and by number. */
class Half {
  readonly #domains = new Map<string, Apps>();
  readonly byNumber = new Map<number, Tenant>();

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

/**
 * Tenants in memory, at most `capacity`. Two halves in place of a list in order of use: when the young half is full the old one is
 * forgotten, and what is still used moves over when it is found; so a find allocates nothing.
 */
export class TenantCache {
  readonly #capacity: number;
  #young = new Half();
  #old = new Half();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  find(address: Address): Tenant | undefined {
    const tenant = this.#young.find(address);
    if (tenant) return tenant;
    const older = this.#old.find(address);
    if (older) this.add(older);
    return older;
  }

  /** By the number of the tenant, which no other tenant of any app shares. */
  findByNumber(number: number): Tenant | undefined {
    return this.#young.byNumber.get(number) ?? this.#old.byNumber.get(number);
  }

  add(tenant: Tenant): void {
    if (this.#young.byNumber.size * 2 >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Half();
    }
    this.#young.add(tenant);
  }

  clear(): void {
    this.#young = new Half();
    this.#old = new Half();
  }
}
