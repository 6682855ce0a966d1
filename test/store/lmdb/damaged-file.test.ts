import { closeSync, copyFileSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareDataFolder } from '../../../src/store/lmdb/data-folder.ts';
import { holdsAllPages, PageWalk, readMeta } from '../../../src/store/lmdb/pages.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { startCore } from '../../running-core.ts';
import { temporaryFolder } from '../engines.ts';
import { people, person } from '../people.ts';

const PAGE = 4096;
const PEOPLE = 400;

/** A store of some hundred pages, some of them of large values, in a folder that is closed again. */
async function smallStore(): Promise<string> {
  const path = join(temporaryFolder(), 'data');
  const store = await openStore({ engine: 'lmdb', path });
  for (let round = 0; round < 3; round++) {
    await store.transact(async (tx) => {
      for (let n = 0; n < PEOPLE; n++)
        await tx.put(people, person(`p${n}`, { age: round, email: `p${n}${'x'.repeat(n % 50 === 0 ? 9000 : 100)}` }));
    });
  }
  await store.close();
  return path;
}

/** A folder with a copy of the database; with or without LMDB's list of readers. */
function copyOf(path: string, withLocks: boolean): string {
  const copy = join(temporaryFolder(), 'data');
  mkdirSync(copy);
  for (const name of withLocks ? ['data.mdb', 'lock.mdb'] : ['data.mdb']) copyFileSync(join(path, name), join(copy, name));
  return copy;
}

/** What the look at a folder says against it; an empty text where nothing. */
function refusalOf(path: string): Promise<string> {
  return prepareDataFolder(path).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

function isSound(path: string): boolean {
  const file = openSync(join(path, 'data.mdb'), 'r');
  const meta = readMeta(file);
  const faults = meta ? [...new PageWalk(file, meta).faults()].filter((fault) => fault !== undefined) : [];
  closeSync(file);
  return faults.length === 0;
}

describe('a data folder that is damaged', () => {
  test.each([true, false])('a file cut off anywhere is refused in one line (its list of readers beside it: %s)', async (withLocks) => {
    const path = await smallStore();
    const { size } = statSync(join(path, 'data.mdb'));
    const copy = copyOf(path, withLocks);
    for (let length = size - 1; length > 0; length -= length > 3 * PAGE ? 1777 : 97) {
      truncateSync(join(copy, 'data.mdb'), length);
      expect(`${length} ${await refusalOf(copy)}`).toMatch(/ data\.mdb is damaged: it is cut off[^.\n]*\. Restore it from a backup$/);
    }
  });

  test('the refusal names the folder', async () => {
    const path = await smallStore();
    truncateSync(join(path, 'data.mdb'), 100 * PAGE);
    await expect(openStore({ engine: 'lmdb', path })).rejects.toThrow(
      `The data folder ${path} cannot be used: data.mdb is damaged: it is cut off, page `,
    );
  });

  test('a file of no bytes is no new store, and neither is a file that is gone', async () => {
    const path = await smallStore();
    truncateSync(join(path, 'data.mdb'), 0);
    await expect(openStore({ engine: 'lmdb', path })).rejects.toThrow(
      `The data folder ${path} cannot be used: data.mdb is empty. Restore it from a backup, or remove both data.mdb and lock.mdb to begin anew`,
    );
    rmSync(join(path, 'data.mdb'));
    await expect(openStore({ engine: 'lmdb', path })).rejects.toThrow('data.mdb is missing. Restore it');
    rmSync(join(path, 'lock.mdb'));
    await (await openStore({ engine: 'lmdb', path })).close();
  });

  test('a folder in which another process is about to make a database is waited for', async () => {
    const path = join(temporaryFolder(), 'data');
    mkdirSync(path);
    writeFileSync(join(path, 'data.mdb'), '');
    const made = await smallStore();
    setTimeout(() => copyFileSync(join(made, 'data.mdb'), join(path, 'data.mdb')), 100);
    await (await openStore({ engine: 'lmdb', path })).close();
  });

  test('without its list of readers a folder is as it was', async () => {
    const path = await smallStore();
    rmSync(join(path, 'lock.mdb'));
    const store = await openStore({ engine: 'lmdb', path });
    expect(await store.read((reader) => reader.count(people, undefined, { prefix: [] }))).toBe(PEOPLE);
    await store.close();
  });

  test('last pages that were never written, since they were free at once, are not missed', async () => {
    const path = await smallStore();
    const file = openSync(join(path, 'data.mdb'), 'r+');
    const lastPage = Buffer.alloc(8);
    // LMDB comes to it seldom, so both meta pages are told of three pages more.
    lastPage.writeBigUInt64LE(BigInt((readMeta(file)?.lastPage ?? 0) + 3));
    for (const page of [0, 1]) writeSync(file, lastPage, 0, lastPage.length, page * PAGE + 144);
    const meta = readMeta(file);
    expect(meta && holdsAllPages(file, meta)).toBe(false);
    closeSync(file);
    expect(await refusalOf(path)).toBe('');
    const store = await openStore({ engine: 'lmdb', path });
    await store.transact((tx) => tx.put(people, person('new', { email: 'x'.repeat(9000) })));
    expect(await store.read((reader) => reader.count(people, undefined, { prefix: [] }))).toBe(PEOPLE + 1);
    await store.close();
  });

  test('flipped bits in what LMDB itself keeps on a page are found by looking at the pages', async () => {
    const path = await smallStore();
    expect(isSound(path)).toBe(true);
    const file = openSync(join(path, 'data.mdb'), 'r');
    const meta = readMeta(file);
    closeSync(file);
    const root = Number(meta?.trees[1]?.root);
    // Number of the page, flags, number of nodes, where the first node begins, page below, size of a key.
    for (const at of [0, 18, 20, 25]) {
      const copy = copyOf(path, true);
      const damaged = openSync(join(copy, 'data.mdb'), 'r+');
      writeSync(damaged, Buffer.of(0x55), 0, 1, root * PAGE + at);
      closeSync(damaged);
      expect(isSound(copy)).toBe(false);
    }
  });
});

test.runIf(process.platform === 'linux')(
  'a second process sees that the list of readers was removed under the first',
  { timeout: 30_000 },
  async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const core = await startCore({ dataDir });
    rmSync(join(dataDir, 'lock.mdb'));
    await expect(startCore({ dataDir })).rejects.toThrow(
      `The data folder ${dataDir} cannot be used: lock.mdb was removed while process ${core.pid} works on data.mdb. Stop that process first\n`,
    );
    await core.stop();
    const next = await startCore({ dataDir });
    await next.stop();
  },
);
