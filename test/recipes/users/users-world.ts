import { AsyncLocalStorage } from 'node:async_hooks';
import { traitsFor } from '../../../src/cdi/traits.ts';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { NO_KEY } from '../../../src/recipes/audit/event.ts';
import { AuditTrail } from '../../../src/recipes/audit/trail.ts';
import { ActivityRecorder } from '../../../src/recipes/active-users/touch.ts';
import type { Context, Services } from '../../../src/recipes/context.ts';
import type { Tenant } from '../../../src/recipes/tenants/tenant.ts';
import { tenants } from '../../../src/recipes/tenants/records.ts';
import type { CommitRequest, Decision, PlainSource } from '../../../src/store/engine.ts';
import { indexEntries, primaryBytes, recordKey } from '../../../src/store/layout.ts';
import { keyText } from '../../../src/store/keys.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import type { AppNumber, Store, TenantNumber } from '../../../src/store/store.ts';
import { EngineStore } from '../../../src/store/transactions.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { tenantNumber } from '../../numbers.ts';

export const TENANT_IDS = ['public', 't1'] as const;

/** A memory engine that remembers the order of commits by the number of the operation that made them. */
class RecordingEngine extends MemoryEngine {
  readonly log: number[] = [];
  readonly operation = new AsyncLocalStorage<number>();

  override async commit(request: CommitRequest): Promise<boolean> {
    const committed = await super.commit(request);
    if (committed) this.#note();
    return committed;
  }

  override async alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T> {
    let writes = 0;
    const result = await super.alone(async (source) => {
      const decision = await body(source);
      writes = decision.writes.length;
      return decision;
    });
    if (writes > 0) this.#note();
    return result;
  }

  #note(): void {
    this.log.push(this.operation.getStore() ?? -1);
  }
}

/** One app with two tenants on a store of its own, whose verbs are called without HTTP, with ids and times that depend on the operation alone. */
export class UsersWorld {
  readonly engine: RecordingEngine;
  readonly store: Store;
  readonly app: AppNumber;
  readonly tenants: readonly [TenantNumber, TenantNumber];
  readonly #services: Services;
  readonly #tenant: Tenant;

  constructor(services: Services, tenant: Tenant, slow: boolean) {
    this.engine = new RecordingEngine({ slow });
    this.store = new EngineStore(this.engine);
    this.app = tenant.app;
    this.tenants = [tenant.tenant, tenantNumber(tenant.tenant + 1)];
    this.#services = services;
    this.#tenant = tenant;
  }

  /** What the verb of operation number `at` works with, in one of the two tenants. */
  context(at: number, tenant: 0 | 1 = 0, store: Store = this.store): Context {
    const tenantOf = (which: 0 | 1): Tenant => ({ ...this.#tenant, tenant: this.tenants[which], tenantId: TENANT_IDS[which] });
    return {
      ...this.#services,
      scopes: ['all'],
      // Ids of events tell how often a body ran.
      trail: new AuditTrail(
        () => false,
        () => Buffer.alloc(6),
      ),
      actor: NO_KEY,
      via: '',
      store,
      directory: {
        find: ({ tenantId }) => tenantOf(tenantId === TENANT_IDS[1] ? 1 : 0),
        tenantIdOf: (_, _app, number) => TENANT_IDS[this.tenants.indexOf(number)],
        byNumber: (_, number) => [tenantOf(0), tenantOf(1)].find((each) => each.tenant === number),
        cudOf: () => '',
        changed: () => {},
      },
      activity: new ActivityRecorder(true, this.#services.statistics, (error) => this.#services.dropped(error, '')),
      now: () => at,
      randomId: () => `made-by-${at}`,
      randomBytes: (size) => Buffer.alloc(size, at % 251),
      traits: traitsFor('5.4'),
      address: { cud: '', appId: 'public', tenantId: TENANT_IDS[tenant] },
      tenant: tenantOf(tenant),
      protectedMode: false,
      checkLate: () => {},
    };
  }

  /** Puts the two tenants, as records, into the store; no commit of the log. */
  async found(): Promise<void> {
    const app = await this.#services.store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    if (!app) throw new Error('the public tenant exists');
    await this.store.transact(async (tx) => {
      for (const [at, tenantId] of TENANT_IDS.entries())
        await tx.put(tenants, { ...app, tenantId, tenant: this.tenants[at] ?? tenantNumber(0) });
    });
    this.engine.log.length = 0;
  }

  /** Every record of every collection, by the name of the collection, in key order. */
  async dump(): Promise<Map<string, readonly object[]>> {
    const found = new Map<string, readonly object[]>();
    for (const collection of COLLECTIONS) {
      const records = await this.store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 100_000 }));
      if (records.length > 0) found.set(collection.name, records as object[]);
    }
    return found;
  }

  /** Keys that stand in the store and should not, or should and do not: every key must belong to a record, or to an index entry of one. */
  async strayKeys(): Promise<string[]> {
    const due = new Set<string>();
    for (const collection of COLLECTIONS) {
      const records = await this.store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 100_000 }));
      for (const record of records) {
        const key = recordKey(collection, collection.key(record));
        due.add(keyText(key));
        for (const { name } of indexEntries(collection, record, primaryBytes(key))) due.add(name);
      }
    }
    const snapshot = this.engine.snapshot();
    const entries = await snapshot.range({ start: Buffer.alloc(0), end: Buffer.alloc(9, 0xff), limit: 1_000_000, reverse: false });
    snapshot.release();
    const there = new Set(entries.map((entry) => keyText(entry.key)));
    return [...[...due].filter((key) => !there.has(key)), ...[...there].filter((key) => !due.has(key))];
  }
}

/** Makes worlds that share what is slow to make and keeps nothing. */
export async function worldMaker(): Promise<(options?: { readonly slow?: boolean }) => Promise<UsersWorld>> {
  const { services } = await openInProcessCore('5.4');
  const tenant = await services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  if (!tenant) throw new Error('the public tenant exists');
  return async ({ slow = false } = {}) => {
    const world = new UsersWorld(services, tenant, slow);
    await world.found();
    return world;
  };
}
