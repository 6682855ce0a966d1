import { expect, test } from 'vitest';
import { defineCollection } from '../../src/store/collection.ts';
import { deleteUnder } from '../../src/store/delete-under.ts';
import type { AppNumber, KeyOf, TenantNumber, Transaction } from '../../src/store/store.ts';
import { appNumber, tenantNumber } from '../numbers.ts';

interface Row {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly id: string;
  readonly at: number;
}

const rows = defineCollection({
  id: 960,
  name: 'rows',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, id: 3, at: 4 },
  key: (row: Row) => [row.app, row.tenant, row.id],
  indexes: {
    byTime: { id: 1, keys: (row) => [[row.app, row.at]] },
    byId: { id: 2, unique: true, keys: (row) => [[row.app, row.id]] },
  },
});

const app = appNumber(1);
const tenant = tenantNumber(2);

/** What compiles and what does not; never run. */
export const mistakes = (tx: Transaction): unknown[] => [
  tx.get(rows, [app, tenant, 'a']),
  // @ts-expect-error the tenant is forgotten
  tx.get(rows, [app, 'a']),
  // @ts-expect-error a wrong order
  tx.get(rows, [tenant, app, 'a']),
  // @ts-expect-error any number is no number of an app
  tx.get(rows, [1, tenant, 'a']),
  // @ts-expect-error a component too many
  tx.get(rows, [app, tenant, 'a', 'b']),
  // @ts-expect-error the tenant is forgotten
  tx.delete(rows, [app, 'a']),
  // @ts-expect-error the tenant is forgotten
  tx.getSeen(rows, [app, 'a']),

  tx.getMany([{ collection: rows, key: [app, tenant, 'a'] }]),
  // @ts-expect-error the tenant is forgotten
  tx.getMany([{ collection: rows, key: [app, 'a'] }]),
  ['a', 'b'].map((id) => ({ collection: rows, key: [app, tenant, id] as const })),
  // @ts-expect-error the tenant is forgotten in each of them
  tx.getMany(['a', 'b'].map((id) => ({ collection: rows, key: [app, id] as const }))),

  tx.keys(rows, undefined, { prefix: [app, tenant], limit: 1 }),
  // @ts-expect-error the tenant is forgotten
  tx.keys(rows, undefined, { prefix: [app, 'a'], limit: 1 }),
  // @ts-expect-error a wrong order
  tx.page(rows, undefined, { prefix: [tenant], limit: 1 }),
  deleteUnder(tx, rows, undefined, [app, tenant]),
  // @ts-expect-error the tenant is forgotten
  deleteUnder(tx, rows, undefined, [app, 'a']),

  tx.list(rows, 'byTime', { prefix: [app], from: [app, 5], until: [app, 9], limit: 1 }),
  // @ts-expect-error there is no such index
  tx.list(rows, 'byName', { prefix: [app], limit: 1 }),
  // @ts-expect-error the index has no tenant
  tx.list(rows, 'byTime', { prefix: [app, 'a'], limit: 1 }),
  // @ts-expect-error the time stands behind the app
  tx.list(rows, 'byTime', { prefix: [app], from: [5, app], limit: 1 }),
  tx.find(rows, 'byId', [app, 'a']),
  // @ts-expect-error the key of a unique index is whole
  tx.find(rows, 'byId', [app]),

  // @ts-expect-error the number of an app is not that of a tenant
  tx.put(rows, { app: tenant, tenant: app, id: 'a', at: 1 }),
];

const ofApp = { id: 961, name: 'of_app', format: 1, fields: { app: 1, tenant: 2, id: 3, at: 4 } } as const;
export const misplaced = (): unknown[] => [
  defineCollection({ ...ofApp, scope: 'app', key: (row: Row) => [row.app, row.id] }),
  // @ts-expect-error the keys of what belongs to tenants begin with app and tenant
  defineCollection({ ...ofApp, scope: 'tenant', key: (row: Row) => [row.app, row.id] }),
];

test('a key is the tuple that the collection makes of a record', () => {
  const key: KeyOf<typeof rows> = rows.key({ app, tenant, id: 'a', at: 1 });
  expect(key).toEqual([1, 2, 'a']);
});
