import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { JsonText } from '../../../src/json/free-form.ts';
import { counters, tenants } from '../../../src/recipes/tenants/records.ts';
import { ensureBaseTenant } from '../../../src/recipes/tenants/ensure-base-tenant.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { cdiClient } from '../../cdi-client.ts';
import { type RunningCore, startCore } from '../../running-core.ts';

/** Ten thousand tenants cost their keys: no threads, and of memory what is remembered of them. */
const TENANTS = 10_000;
/** A tenant in memory is a small object that shares its configuration with others; each of two threads may remember all of them. */
const MOST_BYTES = 80_000_000;

const dataDir = mkdtempSync(join(tmpdir(), 'watchword-test-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Writes the tenants as the endpoint would, but a thousand in a transaction. */
async function writeTenants(): Promise<void> {
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  await ensureBaseTenant(store);
  for (let from = 0; from < TENANTS; from += 1000) {
    await store.transact(async (tx) => {
      const base = await tx.get(tenants, ['', 'public', 'public']);
      const last = await tx.get(counters, ['numbers']);
      if (!base || !last) throw new Error('the base tenant is missing');
      for (let at = 1; at <= 1000; at++) {
        const coreConfig = (at % 2 === 0 ? '{}' : `{"totp_max_attempts":${3 + (at % 5)}}`) as JsonText;
        await tx.put(tenants, { ...base, tenantId: `t${from + at}`, tenant: last.value + at, coreConfig });
      }
      await tx.put(counters, { name: 'numbers', value: last.value + 1000 });
    });
  }
  await store.close();
}

/** A number of the process' status; undefined where the system has no /proc. */
function statusOf({ pid }: RunningCore, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Asks for something in each of the tenants, which makes threads remember them. */
async function askEverybody(core: RunningCore, tenantOf: (at: number) => string): Promise<void> {
  const client = cdiClient(core.url);
  let next = 0;
  const ask = async (): Promise<void> => {
    for (let at = next++; at < TENANTS; at = next++) {
      const { body } = await client.get<{ status: string; count: number }>('/users/count', undefined, { tenant: tenantOf(at) });
      expect(body).toMatchObject({ status: 'OK', count: 0 });
    }
  };
  await Promise.all(Array.from({ length: 16 }, ask));
}

test.runIf(process.platform === 'linux')('ten thousand tenants', { timeout: 120_000 }, async () => {
  await writeTenants();
  const few = await startCore({});
  const many = await startCore({ dataDir });
  await askEverybody(few, () => 'public');
  await askEverybody(many, (at) => `t${at + 1}`);
  // Some threads are started for their first work, others end when they have none: in the end both have the same.
  await vi.waitFor(() => expect(statusOf(many, 'Threads')).toBe(statusOf(few, 'Threads')), { timeout: 30_000, interval: 100 });
  expect((statusOf(many, 'RssAnon') - statusOf(few, 'RssAnon')) * 1024).toBeLessThan(MOST_BYTES);
  const client = cdiClient(many.url);
  const { body } = await client.get<{ tenants: object[] }>('/recipe/multitenancy/tenant/list/v2');
  expect(body.tenants).toHaveLength(TENANTS + 1);
  const made = await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 'one-more' });
  expect(made.body).toEqual({ status: 'OK', createdNew: true });
  await Promise.all([few.stop(), many.stop()]);
});
