import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WriteMarks, markOf, Unchanged } from '../../../src/store/lmdb/write-marks.ts';
import type { Snapshot } from '../../../src/store/engine.ts';
import type { Seen } from '../../../src/store/store.ts';
import { LmdbEngine } from '../../../src/store/lmdb/engine.ts';
import { temporaryFolder } from '../engines.ts';

type SeenValue = Seen<unknown>;

const KEY = Buffer.from('a key');
const OTHER_KEY = Buffer.from('another key');
const MARK = markOf(KEY);

/** A commit of this process, from its first write to its end. */
function commit(marks: WriteMarks, number: number, ...keys: Uint8Array[]): void {
  for (const key of keys) marks.mark(key, number);
  marks.begin(number);
  marks.keep(number);
}

/** Two threads that share their notes, both of which have seen commit `first`. */
function twoThreads(first = 1): { writer: WriteMarks; watch: Unchanged } {
  const memory = WriteMarks.allocate();
  const writer = new WriteMarks(memory);
  commit(writer, first, KEY);
  const watch = new Unchanged(new WriteMarks(memory));
  watch.look(first);
  return { writer, watch };
}

describe('what may be taken for unchanged', () => {
  test('is what only other keys were written beside', () => {
    const { writer, watch } = twoThreads();
    commit(writer, 2, OTHER_KEY);
    watch.look(2);
    expect(watch.since(1, MARK, 2)).toBe(true);
    commit(writer, 3, OTHER_KEY, KEY);
    // Whoever cannot see the third commit yet may be told so or not; whoever can must be.
    watch.look(3);
    expect(watch.since(1, MARK, 3)).toBe(false);
    expect(watch.since(2, MARK, 3)).toBe(false);
    expect(watch.since(3, MARK, 3)).toBe(true);
  });

  test('is nothing beyond the commit of another process', () => {
    const { writer, watch } = twoThreads();
    commit(writer, 2, OTHER_KEY);
    commit(writer, 4, OTHER_KEY);
    watch.look(4);
    expect(watch.since(2, MARK, 4)).toBe(false);
    expect(watch.since(3, MARK, 4)).toBe(true);
  });

  test('is nothing while it is open who made a commit, and the old again once it was ours', () => {
    const { writer, watch } = twoThreads();
    writer.mark(OTHER_KEY, 2);
    writer.begin(2);
    watch.look(2);
    expect(watch.since(1, MARK, 2)).toBe(false);
    expect(watch.since(2, MARK, 2)).toBe(false);
    // A snapshot from before goes on as it was.
    expect(watch.since(1, MARK, 1)).toBe(true);
    writer.keep(2);
    watch.look(2);
    expect(watch.since(1, MARK, 2)).toBe(true);
  });

  test('is nothing when a dropped number was used by another process', () => {
    const { writer, watch } = twoThreads();
    writer.mark(OTHER_KEY, 2);
    writer.begin(2);
    writer.drop(2);
    watch.look(2);
    expect(watch.since(1, MARK, 2)).toBe(false);
    expect(watch.since(2, MARK, 2)).toBe(true);
  });

  test('a number that somebody else has begun anew is not dropped', () => {
    const { writer, watch } = twoThreads();
    writer.begin(2);
    writer.drop(2);
    commit(writer, 2, OTHER_KEY);
    writer.drop(2);
    watch.look(2);
    expect(watch.since(1, MARK, 2)).toBe(true);
  });

  test('is nothing that a reader saw too long ago, or that it is to see only later', () => {
    const { writer, watch } = twoThreads();
    for (let number = 2; number <= 5000; number++) commit(writer, number, OTHER_KEY);
    watch.look(5000);
    expect(watch.since(1, MARK, 5000)).toBe(false);
    expect(watch.since(5000, MARK, 5000)).toBe(true);
    expect(watch.since(5000, MARK, 4999)).toBe(false);
  });

  test('is decided in the end, though a thread died before it said that its commit was kept', () => {
    const { writer, watch } = twoThreads();
    writer.begin(2);
    for (let number = 3; number <= 5000; number++) {
      commit(writer, number, OTHER_KEY);
      watch.look(number);
    }
    expect(watch.since(4999, MARK, 5000)).toBe(true);
  });

  test.each([2 ** 31, 2 ** 32, 2 ** 33 + 7])('goes on when the numbers of commits pass %i', (border) => {
    const { writer, watch } = twoThreads(border - 3);
    for (let number = border - 2; number < border + 3; number++) {
      commit(writer, number, OTHER_KEY);
      watch.look(number);
      expect(watch.since(border - 3, MARK, number)).toBe(true);
    }
    commit(writer, border + 3, KEY);
    watch.look(border + 3);
    expect(watch.since(border + 2, MARK, border + 3)).toBe(false);
    expect(watch.since(border + 3, MARK, border + 3)).toBe(true);
  });

  test('is not what was last written two thousand million commits ago: that looks newer', () => {
    const { writer, watch } = twoThreads(5);
    const latest = 5 + 2 ** 31 + 10;
    watch.look(latest);
    commit(writer, latest + 1, OTHER_KEY);
    watch.look(latest + 1);
    expect(watch.since(latest, MARK, latest + 1)).toBe(false);
  });
});

describe('what a new snapshot is certain to see', () => {
  test('is the latest commit when it was ours and kept, and otherwise the one before', () => {
    const { writer, watch } = twoThreads();
    expect(watch.look(1)).toBe(1);
    writer.mark(OTHER_KEY, 2);
    writer.begin(2);
    expect(watch.look(2)).toBe(1);
    writer.keep(2);
    expect(watch.look(2)).toBe(2);
    expect(watch.look(3)).toBe(2);
  });

  test('is the latest commit, whoever made it, once somebody has read it', () => {
    const { watch } = twoThreads();
    watch.published(2);
    expect(watch.look(2)).toBe(2);
    expect(watch.look(3)).toBe(2);
    watch.published(1);
    expect(watch.look(2)).toBe(2);
  });

  test.each([2 ** 32, 2 ** 32 - 4096, 4096])('never the latest, number %i, where nothing was noted', (number) => {
    const marks = new WriteMarks(WriteMarks.allocate());
    expect(marks.makerOf(number)).toBe('other');
    expect(new Unchanged(marks).look(number)).toBe(number - 1);
  });
});

/** Whether the engine answers without looking: it then does not notice that the key is another one. */
function isTakenForUnchanged(snapshot: Snapshot, seen: SeenValue): boolean {
  const other: unknown = Object.assign(Object.create(Object.getPrototypeOf(seen)), seen, { key: OTHER_KEY });
  return snapshot.getAgain(other as SeenValue) === seen.bytes;
}

function open(path: string, marks?: SharedArrayBuffer): LmdbEngine {
  const engine = new LmdbEngine(path, marks && { marks });
  onTestFinished(() => engine.close());
  return engine;
}

const put = (engine: LmdbEngine, key: Uint8Array, value: string): Promise<boolean> =>
  engine.commit({ keys: [], ranges: [], writes: [{ key, value: Buffer.from(value) }] });
const remove = (engine: LmdbEngine, key: Uint8Array): Promise<boolean> =>
  engine.commit({ keys: [], ranges: [], writes: [{ key, value: undefined }] });

/** The value under KEY, as it was seen and found again. */
async function see(engine: LmdbEngine): Promise<SeenValue> {
  const bytes = await engine.snapshot().get(KEY);
  if (!bytes) throw new Error('the value is missing');
  const seen = engine.snapshot().stamp('a record', KEY, new Uint8Array(bytes));
  expect(engine.snapshot().getAgain(seen)).toBe(seen.bytes);
  return seen;
}

/** Two engines on one folder. `shares`: as two threads of one process; otherwise they know as little of each other as two processes. */
async function twoEngines(shares: boolean): Promise<{ ours: LmdbEngine; others: LmdbEngine; seen: SeenValue }> {
  const path = temporaryFolder();
  const memory = WriteMarks.allocate();
  const ours = open(path, memory);
  const others = open(path, shares ? memory : undefined);
  await put(ours, KEY, 'first');
  return { ours, others, seen: await see(ours) };
}

describe('a value seen before, on LMDB', () => {
  test('is not looked for while nobody wrote it', async () => {
    const { ours, seen } = await twoEngines(true);
    expect(isTakenForUnchanged(ours.snapshot(), seen)).toBe(true);
  });

  test('is not looked for after other threads wrote other keys, and after an empty commit', async () => {
    const { ours, others, seen } = await twoEngines(true);
    await put(others, Buffer.from('b'), 'x');
    await remove(others, Buffer.from('b'));
    await remove(others, Buffer.from('not there'));
    await put(ours, Buffer.from('c'), 'x');
    expect(isTakenForUnchanged(ours.snapshot(), seen)).toBe(true);
  });

  test('is looked for after a commit of which nothing is known, even when an empty one of ours had its number before', async () => {
    const { ours, others, seen } = await twoEngines(false);
    await remove(ours, Buffer.from('not there'));
    await put(others, KEY, 'second');
    expect(isTakenForUnchanged(ours.snapshot(), seen)).toBe(false);
    expect(Buffer.from((await ours.snapshot().getAgain(seen)) ?? []).toString()).toBe('second');
  });

  test('is not looked for a third time after another process wrote something else', async () => {
    const { ours, others, seen } = await twoEngines(false);
    await put(others, OTHER_KEY, 'x');
    expect(isTakenForUnchanged(ours.snapshot(), seen)).toBe(false);
    for (let times = 0; times < 2; times++) expect(ours.snapshot().getAgain(seen)).toBe(seen.bytes);
    expect(isTakenForUnchanged(ours.snapshot(), seen)).toBe(true);
  });

  test.each([true, false])('is found changed or gone at once (threads of one process: %s)', async (shares) => {
    const { ours, others, seen } = await twoEngines(shares);
    await put(others, KEY, 'second');
    expect(Buffer.from((await ours.snapshot().getAgain(seen)) ?? []).toString()).toBe('second');
    const again = await see(ours);
    await remove(others, KEY);
    expect(ours.snapshot().getAgain(again)).toBeUndefined();
  });

  // LMDB tells the number of a commit before others can read it: while it is synced, which takes time on a disk only.
  test.each([true, false])('is found changed although it was asked for all the time (threads of one process: %s)', async (shares) => {
    const { ours, others } = await twoEngines(shares);
    for (let round = 0; round < 50; round++) {
      await put(ours, KEY, `before ${round}`);
      const seen = await see(ours);
      const commit = { isDone: false };
      const done = put(others, KEY, `after ${round}`).finally(() => {
        commit.isDone = true;
      });
      while (!commit.isDone) {
        ours.snapshot().getAgain(seen);
        await nextTurn();
      }
      await done;
      expect(Buffer.from((await ours.snapshot().getAgain(seen)) ?? []).toString()).toBe(`after ${round}`);
    }
  });

  test('is found again after a commit failed, and changes are still noticed', async () => {
    const { ours, others, seen } = await twoEngines(true);
    const tooLong = Buffer.alloc(4000);
    await expect(
      others.commit({ keys: [], ranges: [], writes: [KEY, tooLong].map((key) => ({ key, value: Buffer.from('x') })) }),
    ).rejects.toThrow('could not keep');
    expect(ours.snapshot().getAgain(seen)).toBe(seen.bytes);
    await put(others, KEY, 'second');
    expect(ours.snapshot().getAgain(seen)).not.toBe(seen.bytes);
  });

  test('is what it was in a snapshot from before the change', async () => {
    const { ours, others, seen } = await twoEngines(true);
    const before = ours.snapshot();
    expect(await before.get(KEY)).toBeDefined();
    before.hold();
    await put(others, KEY, 'second');
    const later = await see(ours);
    expect(before.getAgain(seen)).toBe(seen.bytes);
    expect(Buffer.from((await before.getAgain(later)) ?? []).toString()).toBe('first');
    before.release();
  });
});
