import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ALWAYS_MISSING, ColdReads, PageFaults } from '../../../src/store/lmdb/cold-reads.ts';
import { LmdbEngine } from '../../../src/store/lmdb/engine.ts';
import { openForTest, temporaryFolder } from '../engines.ts';
import { people, person } from '../people.ts';

const key = (name: string): Uint8Array => Buffer.from(`\x10\x01${name}`);
const VALUE = Buffer.from('value');

function coldEngine(): LmdbEngine {
  return new LmdbEngine(temporaryFolder(), { pages: ALWAYS_MISSING });
}

const put = (engine: LmdbEngine, ...names: string[]): Promise<boolean> =>
  engine.commit({ keys: [], ranges: [], writes: names.map((name) => ({ key: key(name), value: VALUE })) });

describe('pages that are not in memory', () => {
  test('are noticed by the faults of the process, and forgotten some time after the last', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let faults = 1_000;
    const watch = new PageFaults(() => faults);
    onTestFinished(() => watch.close());
    const seen = (more: number, afterMs: number): boolean => {
      faults += more;
      vi.advanceTimersByTime(afterMs);
      return watch.areMissing;
    };
    expect(watch.areMissing).toBe(false);
    expect(seen(2, 100)).toBe(false);
    expect(seen(2, 100)).toBe(false);
    expect(seen(3, 100)).toBe(true);
    expect(seen(0, 4_500)).toBe(true);
    expect(seen(100, 100)).toBe(true);
    expect(seen(0, 4_500)).toBe(true);
    expect(seen(0, 1_000)).toBe(false);
  });

  test('a first read of them answers later, a row that was seen answers at once', async () => {
    const engine = coldEngine();
    await put(engine, 'a');
    const snapshot = engine.snapshot();
    const first = snapshot.get(key('a'));
    expect(first).toBeInstanceOf(Promise);
    const bytes = await first;
    expect(bytes).toEqual(VALUE);
    const seen = snapshot.stamp('a record', key('a'), VALUE);
    expect(snapshot.getAgain(seen)).toBe(VALUE);
    expect(snapshot.get(key('a'), VALUE)).toBe(VALUE);
    snapshot.release();
    await engine.close();
  });

  test('what is read stays that of the snapshot, whatever is committed while it waits', async () => {
    const engine = coldEngine();
    await put(engine, 'a');
    const snapshot = engine.snapshot();
    const reading = Promise.all([snapshot.get(key('b')), snapshot.range({ start: key('a'), end: key('z'), limit: 10, reverse: false })]);
    await put(engine, 'b', 'c');
    const [absent, entries] = await reading;
    expect(absent).toBeUndefined();
    expect(entries.map((entry) => Buffer.from(entry.key))).toEqual([Buffer.from(key('a'))]);
    snapshot.release();
    await engine.close();
  });

  test('a hundred reads at once come back, and the database is closed after the last', async () => {
    const engine = coldEngine();
    const names = Array.from({ length: 100 }, (_, at) => `long-${'x'.repeat(400)}-${at}`);
    await put(engine, ...names);
    const snapshot = engine.snapshot();
    const reading = names.map((name) => snapshot.get(key(name)));
    const closing = engine.close();
    expect(await Promise.all(reading)).toEqual(names.map(() => VALUE));
    snapshot.release();
    await closing;
  });

  test('reads that wait share a hand-over to a thread, evenly among four, and end with it', async () => {
    const handed: { readonly keys: number; readonly end: () => void }[] = [];
    const cold = new ColdReads({ prefetch: (keys, end) => void handed.push({ keys: keys.length, end }) });
    const reading = Array.from({ length: 100 }, (_, at) => cold.bring([key(`${at}`)]));
    expect(handed.map(({ keys }) => keys)).toEqual([1, 1, 1, 1]);
    for (const { end } of handed) end();
    await Promise.all(reading);
    expect(handed.slice(4, 8).map(({ keys }) => keys)).toEqual([24, 18, 14, 10]);
    expect(handed.reduce((sum, { keys }) => sum + keys, 0)).toBe(100);
    await cold.idle();
  });

  test('requests of one turn share a snapshot until the last of them has read', async () => {
    const store = await openForTest({ engine: 'lmdb', path: temporaryFolder(), cold: true });
    await store.transact((tx) => tx.put(people, person('a', { age: 1 })));
    const reads = [1, 2, 3].map(() =>
      store.readShared(async (reader) => {
        const before = await reader.get(people, [1, 'a']);
        await store.transact((tx) => tx.put(people, person('a', { age: 2 })));
        return [before?.age, (await reader.get(people, [1, 'a']))?.age];
      }),
    );
    expect(await Promise.all(reads)).toEqual([1, 2, 3].map(() => [1, 1]));
    expect((await store.readShared((reader) => reader.get(people, [1, 'a'])))?.age).toBe(2);
  });
});
