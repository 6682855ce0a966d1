import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openUploads } from '../../src/recipes/bulk-import/keep-upload.ts';
import { queueEntries } from '../../src/recipes/bulk-import/records.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { movedClock } from '../moved-clock.ts';
import { appNumber, tenantNumber } from '../numbers.ts';
import { type RunningCore, startCore } from '../running-core.ts';

const url = inject('postgresUrl');
const HASH = '$2a$04$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const A_CALL = 500;
const PATIENCE = { timeout: 60_000, interval: 100 };
const HOUR_MS = 3_600_000;

const person = (name: string): object => ({
  loginMethods: [{ recipeId: 'emailpassword', email: `${name}@example.com`, passwordHash: HASH, hashingAlgorithm: 'bcrypt' }],
});

/** Two nodes that share a queue, to which users are added by both. */
async function twoNodes(name: string, others: readonly [object, object]): Promise<readonly { core: RunningCore; client: CdiClient }[]> {
  const env = {
    STORE_ENGINE: 'postgres',
    POSTGRES_URL: url ?? '',
    POSTGRES_SCHEMA: `${name}_${process.pid}`,
    BULK_IMPORT_DELAY_MS: '0',
    BULK_MIGRATION_SLEEP_BETWEEN_ROUNDS_IN_BATCH_MS: '0',
  };
  const cores = await Promise.all(others.map((more) => startCore({ env: { ...env, ...more }, faultsExpected: true })));
  onTestFinished(async () => void (await Promise.all(cores.map((core) => core.stop()))));
  return cores.map((core) => ({ core, client: cdiClient(core.url) }));
}

async function add(client: CdiClient | undefined, prefix: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += A_CALL) {
    const users = Array.from({ length: Math.min(A_CALL, count - from) }, (_, at) => person(`${prefix}${from + at}`));
    expect((await client?.post('/bulk-import/users', { users }))?.status).toBe(200);
  }
}

/** Users that were imported, that wait, and that failed: one who was imported twice would have. */
async function counts(client: CdiClient | undefined): Promise<readonly unknown[]> {
  const paths = ['/users/count', '/bulk-import/users/count?status=NEW', '/bulk-import/users/count?status=FAILED'];
  return Promise.all(paths.map(async (path) => (await client?.get(path))?.body['count']));
}

describe.skipIf(url === undefined)('two nodes share the queue of imports', () => {
  test('and its entries are dated by the clock of the database', async () => {
    const plan = { engine: 'postgres', url: url ?? '', password: undefined, schema: `dated_${process.pid}`, connections: 2 } as const;
    const store = await openStore({ ...plan, prepared: true, timeoutMs: 5_000 });
    onTestFinished(() => store.close());
    const texts = new TextEncoder().encode('{}');
    const users = { kind: 'users', count: 1, ids: 'a'.repeat(36), texts, ends: Uint32Array.of(2, 2), answer: texts } as const;
    const [app, tenant, stopped] = [appNumber(1), tenantNumber(2), 0];
    const uploads = openUploads({ readUpload: () => Promise.resolve(users) }, store, () => stopped);
    await uploads.takeUpload(texts, { roles: [], tenantIds: [], hasSignerKey: false, now: stopped }, { app, tenant });
    const [entry] = await store.read((reader) => reader.list(queueEntries, undefined, { prefix: [app], limit: 1 }));
    expect(entry?.createdAt).toBeGreaterThan(Date.UTC(2026, 0, 1));
  });

  test('and each user is imported once, although the clock of one is an hour ahead', async () => {
    const clock = movedClock(HOUR_MS);
    onTestFinished(clock.remove);
    const [right, ahead] = await twoNodes('clocks', [{}, clock.env]);
    await Promise.all([add(right?.client, 'right', 1_000), add(ahead?.client, 'ahead', 1_000)]);
    await expect.poll(() => counts(right?.client), PATIENCE).toEqual([2_000, 0, 0]);
  }, 90_000);

  test('and one that is paused in the middle neither stops the other nor imports what that has done', async () => {
    const [one, other] = await twoNodes('paused', [{}, {}]);
    const pid = one?.core.pid ?? 0;
    await add(other?.client, 'u', 4_000);
    await expect.poll(async () => Number((await counts(other?.client))[0]), { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    process.kill(pid, 'SIGSTOP');
    try {
      await expect.poll(() => counts(other?.client), PATIENCE).toEqual([4_000, 0, 0]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(async () => (await one?.client.get('/hello'))?.status, PATIENCE).toBe(200);
    expect(await counts(one?.client)).toEqual([4_000, 0, 0]);
  }, 120_000);
});
