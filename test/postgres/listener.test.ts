import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { listenToStore, openStore } from '../../src/store/open-store.ts';
import { channelOf } from '../../src/store/postgres/listener.ts';
import type { PostgresPlan } from '../../src/store/plan.ts';
import { people, person } from '../store/people.ts';
import { openCuttingProxy } from './cutting-proxy.ts';

const url = inject('postgresUrl');
/** What is waited for comes at once; a machine under load may take as long as this. */
const PATIENCE = { timeout: 20_000, interval: 10 };

const planOf = (schema: string, listenUrl: string | null): PostgresPlan => ({
  engine: 'postgres',
  url: url ?? '',
  password: undefined,
  schema,
  connections: 2,
  prepared: true,
  timeoutMs: 2_000,
  listenUrl,
});

/** A store of a schema of its own, and how many notices its listener was told of, past those of its beginning. */
async function listened(name: string, listenUrl: string | null) {
  const plan = planOf(`${name}_${process.pid}`, listenUrl);
  const store = await openStore(plan);
  const [told, faults]: [{ count: number }, unknown[]] = [{ count: 0 }, []];
  const stop = await listenToStore(
    plan,
    () => (told.count += 1),
    (fault) => faults.push(fault),
  );
  onTestFinished(async () => {
    await stop?.();
    await store.close();
  });
  const announce = (id: string): Promise<unknown> =>
    store.transact(async (tx) => {
      await tx.put(people, person(id));
      tx.announce();
    });
  return { store, told, faults, stop, announce };
}

describe.skipIf(url === undefined)('who listens', () => {
  test('is told of a commit that announces itself, and of no other', async () => {
    const { store, told, announce } = await listened('announced', url ?? '');
    await expect.poll(() => told.count, PATIENCE).toBe(1);
    await store.transact((tx) => tx.put(people, person('quiet')));
    await announce('loud');
    await expect.poll(() => told.count, PATIENCE).toBe(2);
  });

  test('is not told of a transaction that came to nothing', async () => {
    const { store, told, announce } = await listened('refused', url ?? '');
    await expect.poll(() => told.count, PATIENCE).toBe(1);
    const refused = store.transact(async (tx) => {
      await tx.put(people, person('never'));
      tx.announce();
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    await announce('loud');
    await expect.poll(() => told.count, PATIENCE).toBe(2);
  });

  test('listens again when the connection was lost, looks at what was missed, and says so once', async () => {
    const target = new URL(url ?? '');
    const proxy = await openCuttingProxy(Number(target.port));
    onTestFinished(() => proxy.close());
    target.port = String(proxy.port);
    const { told, faults, announce } = await listened('cut', target.href);
    await expect.poll(() => told.count, PATIENCE).toBe(1);
    // One connection in two.
    proxy.cutSome();
    proxy.cutSome();
    await expect.poll(() => told.count, PATIENCE).toBe(2);
    expect(faults).toHaveLength(1);
    await announce('after');
    await expect.poll(() => told.count, PATIENCE).toBe(3);
  });

  test('hears nobody where the plan names no connection, and then nothing is sent', async () => {
    const { stop, announce } = await listened('silent', null);
    expect(stop).toBeUndefined();
    await announce('unheard');
  });

  test('is told one line without the password where it cannot connect', async () => {
    const { faults, announce } = await listened('unreachable', 'postgres://watchword:hidden@127.0.0.1:1/postgres');
    await expect.poll(() => faults.length, PATIENCE).toBe(1);
    expect(String(faults[0])).toContain('127.0.0.1:1/postgres');
    expect(String(faults[0])).not.toContain('hidden');
    await announce('all the same');
  });

  test('shares a channel with those of its schema alone, whatever that is called', () => {
    expect(channelOf('a')).toBe(channelOf('a'));
    expect(channelOf('a')).not.toBe(channelOf('b'));
    expect(channelOf(`"; DROP TABLE kv; ${'x'.repeat(100)}`)).toMatch(/^watchword_[0-9a-f]{16}$/);
  });
});
