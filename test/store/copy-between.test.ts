import { open } from 'lmdb';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { defineCollection } from '../../src/store/collection.ts';
import type { CopyAccount } from '../../src/store/copy-between.ts';
import { copyStore, openStore } from '../../src/store/open-store.ts';
import type { StorePlan } from '../../src/store/plan.ts';
import { postgresPlan, temporaryFolder } from './engines.ts';
import { people, person } from './people.ts';

/** With their index entries they take several pieces. */
const PEOPLE = 3_000;
const A_COMMIT = 500;
const ENTRIES_OF_A_PERSON = 5;

const letters = defineCollection({
  id: 902,
  name: 'letters',
  scope: 'core',
  format: 1,
  fields: { id: 1, text: 2 },
  key: (letter: { readonly id: string; readonly text: string }) => [letter.id],
});
/** Each alone is most of a piece. */
const LETTERS = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id.repeat(1.5 * 1024 * 1024) }));
const ENTRIES = PEOPLE * ENTRIES_OF_A_PERSON + LETTERS.length;

const lmdb = (): StorePlan => ({ engine: 'lmdb', path: temporaryFolder() });
const database = (): StorePlan => postgresPlan() ?? lmdb();
const FOLDER: readonly [name: string, plan: () => StorePlan] = ['a folder', lmdb];
const PLACES: readonly (typeof FOLDER)[] = postgresPlan() ? [FOLDER, ['a database', database]] : [FOLDER];
const DIRECTIONS = PLACES.flatMap(([from, source]) => PLACES.map(([to, target]) => [from, to, source, target] as const));

async function fill(plan: StorePlan): Promise<void> {
  const store = await openStore(plan);
  for (let at = 0; at < PEOPLE; at += A_COMMIT)
    await store.transact(async (tx) => {
      for (let number = at; number < at + A_COMMIT; number += 1)
        await tx.insert(people, person(`p${number}`, { email: `${number}@example.com`, age: number % 90, tags: ['a', `t${number % 7}`] }));
    });
  for (const letter of LETTERS) await store.transact((tx) => tx.put(letters, letter));
  await store.close();
}

/** Copies, until something is told of a stage. */
function copy(from: StorePlan, to: StorePlan, stopAt?: 'copied' | 'compared'): Promise<CopyAccount> {
  const stopping = new AbortController();
  const progress = (stage: 'copied' | 'compared'): void => {
    if (stage === stopAt) stopping.abort();
  };
  return copyStore(from, to, { progress, signal: stopping.signal, collections: [people, letters] });
}

async function add(plan: StorePlan, id: string): Promise<void> {
  const store = await openStore(plan);
  await store.transact((tx) => tx.put(people, person(id)));
  await store.close();
}

/** Changes a byte of a letter, below everything that would notice. */
async function flipByte(plan: StorePlan): Promise<void> {
  if (plan.engine === 'postgres') {
    const client = new Client(plan.url);
    await client.connect();
    await client.query(`UPDATE "${plan.schema}".kv SET v = set_byte(v, 1000, 0) WHERE length(v) > 1000000`);
    return client.end();
  }
  if (plan.engine !== 'lmdb') return;
  const handle = open<Uint8Array, Uint8Array>({ path: plan.path, noSubdir: false, keyEncoding: 'binary', encoding: 'binary' });
  const [found] = [...handle.getRange()].filter(({ value }) => value.length > 1_000_000);
  const { key = new Uint8Array(), value = new Uint8Array() } = found ?? {};
  await handle.put(Buffer.from(key), Buffer.from(value).fill(0, 1000, 1001));
  await handle.close();
}

describe.each(DIRECTIONS)('a copy of %s to %s', (_from, _to, newSource, newTarget) => {
  test('is the same store, and the source stays as it was', async () => {
    const [from, to] = [newSource(), newTarget()];
    await fill(from);
    const account = await copy(from, to);
    expect(account).toMatchObject({ entries: ENTRIES, resumedAt: 0 });
    const again = newTarget();
    expect(await copy(to, again)).toEqual(account);
    const store = await openStore(again);
    expect(await store.read((reader) => reader.find(people, 'email', [1, '17@example.com']))).toMatchObject({ id: 'p17' });
    expect(await store.read((reader) => reader.get(letters, ['c']))).toEqual(LETTERS[2]);
    await store.close();
    await add(from, 'goes-on');
    await expect(copy(from, to)).rejects.toThrow(/is not empty: it holds a store$/);
  });

  test('that was interrupted is opened by nobody, goes on where it stopped, and only from the same source', async () => {
    const [from, other, to] = [newSource(), newSource(), newTarget()];
    await fill(from);
    await add(other, 'other');
    await expect(copy(from, to, 'copied')).rejects.toThrow('aborted');
    await expect(openStore(to)).rejects.toThrow('it holds an unfinished copy of another store');
    await expect(copy(other, to)).rejects.toThrow(/holds an unfinished copy of .*: finish that one/);
    await expect(copy(to, newTarget())).rejects.toThrow('it holds an unfinished copy of another store');
    await expect(copy(from, to, 'compared')).rejects.toThrow('aborted');
    const account = await copy(from, to);
    expect(account.entries).toBe(ENTRIES);
    // What was there already, with what stands for the layout in the source.
    expect(account.resumedAt).toBe(ENTRIES + 1);
    await add(to, 'new');
  });

  test('finds out that the source was written since it was begun', async () => {
    const [from, to] = [newSource(), newTarget()];
    await fill(from);
    await expect(copy(from, to, 'copied')).rejects.toThrow('aborted');
    await add(from, 'late');
    await expect(copy(from, to)).rejects.toThrow('was written since its copy was begun');
  });

  test('finds a byte that differs, says in what, and lets nobody open it', async () => {
    const [from, to] = [newSource(), newTarget()];
    await fill(from);
    await expect(copy(from, to, 'compared')).rejects.toThrow('aborted');
    await flipByte(to);
    await expect(copy(from, to)).rejects.toThrow(/differs from .*: letters has 4 entries, some with other bytes\. Empty it and begin anew/);
    await expect(openStore(to)).rejects.toThrow('it holds an unfinished copy of another store');
  });

  test('is refused where somebody uses the source, nothing is there, or something is in the target', async () => {
    const [from, to, nothing] = [newSource(), newTarget(), newSource()];
    await expect(copy(nothing, to)).rejects.toThrow(/^There is no store in /);
    const store = await openStore(from);
    await store.transact((tx) => tx.put(people, person('a')));
    await expect(copy(from, to)).rejects.toThrow(/ in use/);
    await store.close();
    await add(to, 'there');
    await expect(copy(from, to)).rejects.toThrow(/is not empty: it holds a store$/);
    const used = await openStore(to);
    await expect(copy(from, to)).rejects.toThrow(/in use|is not empty/);
    await used.close();
  });
});

test.skipIf(!postgresPlan())('of two copies of one source to one target one goes on, and the other says so', async () => {
  const [from, to] = [database(), database()];
  await fill(from);
  const outcomes = await Promise.allSettled([copy(from, to), copy(from, to)]);
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(refused).toEqual([expect.stringMatching(/Somebody else writes to .*, perhaps a second copy$/)]);
});

test('a store in memory is none that could be copied', async () => {
  await expect(copy({ engine: 'memory' }, lmdb())).rejects.toThrow('ends with its process');
});
