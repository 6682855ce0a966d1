import { randomUUID } from 'node:crypto';
import { ensureBaseTenant } from '../../src/recipes/tenants/ensure-base-tenant.ts';
import { tenants } from '../../src/recipes/tenants/records.ts';
import { type SessionRecord, sessions } from '../../src/recipes/session-records/records.ts';
import { assignments, roles } from '../../src/recipes/user-roles/records.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { AppNumber, Store, TenantNumber } from '../../src/store/store.ts';

/** Records that one transaction writes. */
const BATCH = 10_000;
const DAY_MS = 86_400_000;

/** What a data folder is filled with before a core opens it. */
export interface Wanted {
  /** How many sessions of the user `many`. */
  readonly sessions: number;
  /** Ids of the users who have the role `many`. */
  readonly holders: readonly string[];
}

/** A session of the base tenant as the core would have stored it. */
export function sessionRecord(app: AppNumber, tenant: TenantNumber, userId: string, expiresAt: number): SessionRecord {
  return {
    app,
    tenant,
    handle: randomUUID() as string as SessionRecord['handle'],
    userId,
    refreshHash: 'r',
    previousRefreshHash: null,
    rotatedAt: null,
    data: '{}' as SessionRecord['data'],
    claims: '{}' as SessionRecord['claims'],
    createdAt: expiresAt - DAY_MS,
    expiresAt,
    useStaticKey: false,
  };
}

/** Fills a data folder that nobody else has open; answers the handles of the sessions. */
export async function seedLists(dataDir: string, wanted: Wanted): Promise<readonly string[]> {
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  try {
    await ensureBaseTenant(store);
    const base = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    if (!base) throw new Error('there is no base tenant');
    const { app, tenant } = base;
    const made = Array.from({ length: wanted.sessions }, () => sessionRecord(app, tenant, 'many', Date.now() + 50 * DAY_MS));
    await inBatches(store, made, (tx, record) => tx.insert(sessions, record));
    await store.transact((tx) => tx.put(roles, { app, name: 'many', id: 'role-id', permissions: [] }));
    await inBatches(store, wanted.holders, (tx, userId) =>
      tx.insert(assignments, { app, tenant, userId, role: 'many', roleId: 'role-id' }),
    );
    return made.map(({ handle }) => handle);
  } finally {
    await store.close();
  }
}

type Insert<T> = (tx: Parameters<Parameters<Store['transact']>[0]>[0], one: T) => unknown;

async function inBatches<T>(store: Store, all: readonly T[], insert: Insert<T>): Promise<void> {
  for (let at = 0; at < all.length; at += BATCH) {
    await store.transact(async (tx) => {
      for (const one of all.slice(at, at + BATCH)) await insert(tx, one);
    });
  }
}
