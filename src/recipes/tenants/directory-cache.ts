import type { Config } from '../../config/config.ts';
import { Pending } from '../../caches/pending.ts';
import { LIMITS } from '../../config/limits.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Cursor, Reader, Store } from '../../store/store.ts';
import type { Tenant } from './tenant.ts';
import { Refusal } from '../refusal.ts';
import { type Address, DEFAULT_TENANT_ID } from './address.ts';
import { readyKeys } from './api-keys.ts';
import { readGeneration } from './counters.ts';
import type { TenantDirectory } from './directory.ts';
import { EffectiveConfigs } from './effective-configs.ts';
import { factorStateOf } from './factor-state.ts';
import { enabledBelow5, enabledFrom5 } from './factors.ts';
import { type Lineage, readLineage } from './lineage.ts';
import { type TenantRecord, tenants } from './records.ts';
import { TenantCache } from './tenant-cache.ts';

/** Other processes see a change at most this much later. */
const POLL_MS = 1_000;

/** What a directory works with. */
export interface DirectoryParts {
  readonly store: Store;
  /** The base configuration. */
  readonly base: Config;
  /** Told of a tenant that this thread met for the first time, or anew after a change. */
  readonly onLoaded?: (tenant: Tenant) => void;
  /** Room for one Int32 that grows with every change, shared by the directories of all threads of the process. */
  readonly generation: SharedArrayBuffer;
}

/**
 * The tenant directory of one thread, valid while the shared generation stands still; a counter in the store, asked
 * every second, tells of changes by other processes. Unknown addresses are not remembered: each costs a read.
 */
export class DirectoryCache implements TenantDirectory {
  readonly #store: Store;
  readonly #generation: Int32Array;
  readonly #onLoaded: DirectoryParts['onLoaded'];
  readonly #cache = new TenantCache(LIMITS.cachedTenants);
  #onlyCud: string | null;
  #configs: EffectiveConfigs;
  readonly #loading = new Pending<string, Tenant | undefined>();
  readonly #finding = new Pending<string, TenantRecord | undefined>();
  readonly #loadingDomains = new Pending<'', ReadonlySet<string>>();
  #domains: ReadonlySet<string> | undefined;
  #seen: number;
  /** How often everything was forgotten. */
  #epoch = 0;
  #seenInStore: number | undefined;

  constructor({ store, base, generation, onLoaded }: DirectoryParts) {
    this.#store = store;
    this.#onLoaded = onLoaded;
    this.#onlyCud = base.supertokens_saas_load_only_cud;
    this.#configs = new EffectiveConfigs(base, LIMITS.cachedConfigs);
    this.#generation = new Int32Array(generation);
    this.#seen = Atomics.load(this.#generation, 0);
  }

  /** Goes on with another base configuration: from this turn on, nothing that is answered comes from the old one. */
  use(base: Config): void {
    this.#onlyCud = base.supertokens_saas_load_only_cud;
    this.#configs = new EffectiveConfigs(base, LIMITS.cachedConfigs);
    this.#forget();
  }

  find(address: Address): MaybePromise<Tenant | undefined> {
    this.#forgetWhenChanged();
    return this.#cache.find(address) ?? this.#loading.once(nameOf(address), () => this.#load(address));
  }

  byNumber(app: AppNumber, tenant: TenantNumber): MaybePromise<Tenant | undefined> {
    this.#forgetWhenChanged();
    const known = this.#cache.findByNumber(tenant);
    if (known) return known.app === app ? known : undefined;
    return whenReady(
      this.#finding.once(`${app}/${tenant}`, () => this.#store.read((reader) => reader.find(tenants, 'byNumber', [app, tenant]))),
      // Through `find`, so that the tenant is remembered.
      (record) => record && this.find(record),
    );
  }

  tenantIdOf(reader: Reader, app: AppNumber, tenant: TenantNumber): MaybePromise<string | undefined> {
    this.#forgetWhenChanged();
    const known = this.#cache.findByNumber(tenant);
    if (known) return known.app === app ? known.tenantId : undefined;
    return whenReady(reader.find(tenants, 'byNumber', [app, tenant]), (record) => record && this.#idWhereAlive(reader, record));
  }

  #idWhereAlive(reader: Reader, record: TenantRecord): MaybePromise<string | undefined> {
    // What the reader sees may be older than the last change, so that is not remembered; nobody waits for what is.
    void Promise.resolve(this.find(record)).catch(() => {});
    return whenReady(readLineage(reader, record), (lineage) => (lineage.own && lineage.app ? record.tenantId : undefined));
  }

  /** Contract 01 section 2.4. @throws Refusal for a stored domain that `supertokens_saas_load_only_cud` excludes */
  cudOf(host: string): MaybePromise<string> {
    this.#forgetWhenChanged();
    return this.#domains
      ? this.#matching(host, this.#domains)
      : whenReady(
          this.#loadingDomains.once('', () => this.#loadDomains()),
          (domains) => this.#matching(host, domains),
        );
  }

  changed(): void {
    Atomics.add(this.#generation, 0, 1);
  }

  /** Looks whether another process changed something; the caller does so every second (`startPolling`). */
  poll(): MaybePromise<void> {
    return whenReady(this.#store.read(readGeneration), (counter) => {
      const generation = counter?.value ?? 0;
      if (this.#seenInStore !== generation) this.#forget();
      this.#seenInStore = generation;
    });
  }

  /**
   * Polls every second until the answered function is called; does not keep the process alive.
   * @param onFault told when the store does not answer; the next poll tries again
   */
  startPolling(onFault: (error: unknown) => void): () => void {
    let isPolling = false;
    const timer = setInterval(async () => {
      // Of two at once the older could end last, and take what was newer back.
      if (isPolling) return;
      isPolling = true;
      try {
        await this.poll();
      } catch (error) {
        onFault(error);
      }
      isPolling = false;
    }, POLL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  #forgetWhenChanged(): void {
    const generation = Atomics.load(this.#generation, 0);
    if (generation === this.#seen) return;
    this.#seen = generation;
    this.#forget();
  }

  /** True while nothing was forgotten since, nor has to be. */
  #isStill(epoch: number): boolean {
    return epoch === this.#epoch && this.#seen === Atomics.load(this.#generation, 0);
  }

  #forget(): void {
    this.#epoch += 1;
    this.#cache.clear();
    this.#loading.clear();
    this.#finding.clear();
    this.#loadingDomains.clear();
    this.#domains = undefined;
  }

  #load(address: Address): MaybePromise<Tenant | undefined> {
    const epoch = this.#epoch;
    return whenReady(
      this.#store.read((reader) => readLineage(reader, address)),
      (lineage) => {
        const tenant = this.#assemble(address, lineage);
        // A change while the store was asked may have made the answer old: it serves this request, but is not kept.
        if (tenant && this.#isStill(epoch)) this.#cache.add(tenant);
        if (tenant) this.#onLoaded?.(tenant);
        return tenant;
      },
    );
  }

  #assemble({ cud, appId, tenantId }: Address, lineage: Lineage): Tenant | undefined {
    const { own, app, domain } = lineage;
    if (!own || !app) return undefined;
    const state = factorStateOf(own);
    return {
      cud,
      appId,
      tenantId,
      app: own.app,
      tenant: own.tenant,
      config: this.#configs.of({ cud, appId, tenantId }, lineage),
      appConfig: this.#configs.of({ cud, appId, tenantId: DEFAULT_TENANT_ID }, { own: app, app, domain }),
      apiKeys: readyKeys(app.apiKeys ?? []),
      keyChanges: app.keyChanges ?? 0,
      enabledRecipes: { 'flags-4': enabledBelow5(state), 'flags-5': enabledFrom5(state) },
    };
  }

  #matching(host: string, domains: ReadonlySet<string>): string {
    if (domains.size === 0) return '';
    const cud = hostName(host);
    if (!domains.has(cud)) return '';
    if (this.#onlyCud !== null && cud !== this.#onlyCud) throw new Refusal('bad-input', { text: 'Connection URI domain is disallowed' });
    return cud;
  }

  #loadDomains(): MaybePromise<ReadonlySet<string>> {
    const epoch = this.#epoch;
    return whenReady(
      this.#store.read((reader) => readDomains(reader, [], undefined)),
      (domains) => {
        if (this.#isStill(epoch)) this.#domains = domains;
        return domains;
      },
    );
  }
}

/** All connection URI domains besides the default one, a page at a time. */
function readDomains(reader: Reader, found: readonly string[], at: Cursor | undefined): MaybePromise<ReadonlySet<string>> {
  const range = { prefix: [], limit: LIMITS.tenantPage, ...(at && { at }) } as const;
  return whenReady(reader.pageOfKeys(tenants, 'domains', range), ({ items, next }) => {
    const all = [...found, ...items.map(({ key: [cud] }) => cud)];
    return next ? readDomains(reader, all, next) : new Set(all);
  });
}

/** An address as text; no part of one that exists has a slash. */
function nameOf({ cud, appId, tenantId }: Address): string {
  return `${cud}/${appId}/${tenantId}`;
}

/** The host name in a `Host` header: lower case, without port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:[0-9]*$/, '');
}
