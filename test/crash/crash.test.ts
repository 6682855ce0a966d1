import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { halves, openStore, writeHalves } from '../store/built-store.mjs';
import { temporaryFolder } from '../store/engines.ts';

const WRITER = fileURLToPath(new URL('writing-process.mjs', import.meta.url));
const KILLS = 15;

/** A process that writes, and the lines it said. */
interface Writer {
  readonly child: ChildProcess;
  readonly lines: () => string[];
  readonly ended: Promise<unknown>;
}

function watch(child: ChildProcess): Writer {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  // The last line may be cut by the kill: only closed lines count.
  return { child, lines: () => said.split('\n').slice(0, -1), ended: once(child, 'close') };
}

const startWriter = (path: string, run: string): Writer =>
  watch(spawn(process.execPath, [WRITER, path, run, 'stream'], { stdio: ['ignore', 'pipe', 'inherit'] }));

/** Waits for what the writer says. */
async function until(writer: Writer, condition: (lines: readonly string[]) => boolean): Promise<void> {
  while (!condition(writer.lines())) {
    if (writer.child.exitCode !== null) throw new Error(`the writer ended with ${writer.child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const acknowledged = (writer: Writer): number[] =>
  writer
    .lines()
    .filter((line) => /^\d+$/.test(line))
    .map(Number);

/**
 * Everything acknowledged is there, and nothing is there by half: neither one side without the other nor a record without its index entries.
 * All from one snapshot: what a process had written but not yet made known when it died appears when the next one takes the lock.
 */
function checkRun(store: Store, run: string, numbers: readonly number[]): Promise<void> {
  return store.read(async (r) => {
    const limit = 1_000_000;
    const kept = await r.list(halves, undefined, { prefix: [run], limit });
    const indexed = await r.keys(halves, 'bySide', { prefix: ['left', run], limit });
    const owned = await r.keys(halves, 'place', { prefix: ['right', run], limit });
    const sides = { left: new Set<number>(), right: new Set<number>() };
    for (const half of kept) sides[half.side].add(half.number);
    expect(sides.left).toEqual(sides.right);
    expect(numbers.filter((number) => !sides.left.has(number))).toEqual([]);
    expect(indexed).toHaveLength(sides.left.size);
    expect(owned).toHaveLength(sides.left.size);
  });
}

describe('a process that is killed while it writes', () => {
  test(`${KILLS} times: every acknowledged transaction is kept whole, no other is kept by half`, { timeout: 120_000 }, async () => {
    const path = temporaryFolder();
    const survivor = await openStore({ engine: 'lmdb', path });
    const runs = new Map<string, number[]>();
    for (let kill = 0; kill < KILLS; kill++) {
      const run = `run ${kill}`;
      // Sometimes two at once: the other goes on while one dies with the write lock in its hands.
      const writers = kill % 5 === 0 ? [startWriter(path, run), startWriter(path, `${run}, beside`)] : [startWriter(path, run)];
      await Promise.all(writers.map((writer) => until(writer, (lines) => lines.includes('started'))));
      for (const [at, writer] of writers.entries()) {
        // Some are killed as soon as they may, others not before they had something to lose.
        if (kill % 2 === 0) await until(writer, (lines) => lines.length > 20);
        await new Promise((resolve) => setTimeout(resolve, 20 + ((kill * 37) % 150)));
        writer.child.kill('SIGKILL');
        await writer.ended;
        const name = at === 0 ? run : `${run}, beside`;
        runs.set(name, acknowledged(writer));
        await checkRun(survivor, name, acknowledged(writer));
        // The store of a living process goes on.
        await writeHalves(survivor, 'survivor', runs.size, 'still here');
      }
    }
    await survivor.close();
    const reopened = await openStore({ engine: 'lmdb', path });
    for (const [run, numbers] of runs) await checkRun(reopened, run, numbers);
    await checkRun(
      reopened,
      'survivor',
      Array.from({ length: runs.size }, (_, at) => at + 1),
    );
    expect([...runs.values()].flat().length).toBeGreaterThan(100);
    await reopened.close();
  });
});

describe('a disk that is full', () => {
  test.skipIf(process.platform === 'win32')(
    'rejects what it cannot keep, keeps all it acknowledged, and works again with room',
    async () => {
      const path = temporaryFolder();
      const small = `ulimit -f 6000; exec "$0" "$@"`;
      const writer = watch(
        spawn('sh', ['-c', small, process.execPath, WRITER, path, 'full', 'fill'], { stdio: ['ignore', 'pipe', 'ignore'] }),
      );
      await writer.ended;
      const lines = writer.lines();
      expect(lines.find((line) => line.startsWith('failed: '))).toMatch(/^failed: the database could not keep a transaction: /);
      expect(lines.some((line) => line.startsWith('still reads: '))).toBe(true);
      expect(lines.at(-1)).toBe('closed');
      expect(acknowledged(writer).length).toBeGreaterThan(50);
      const store = await openStore({ engine: 'lmdb', path });
      await checkRun(store, 'full', acknowledged(writer));
      await writeHalves(store, 'later', 1, 'x'.repeat(100_000));
      await checkRun(store, 'later', [1]);
      await store.close();
    },
  );
});
