import { Packr } from 'msgpackr';
import { expect, test } from 'vitest';
import { DamagedValue } from '../../src/store/checksum.ts';
import { checkStore } from '../../src/store/check-store.ts';
import type { Engine, Entry } from '../../src/store/engine.ts';
import { MemoryEngine } from '../../src/store/memory.ts';
import type { Reader, Store } from '../../src/store/store.ts';
import { EngineStore } from '../../src/store/transactions.ts';
import { type Person, people, person } from './people.ts';

const PEOPLE = 5;
const FLIPS = 800;

/** Numbers from 0 to below `limit`, the same in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

const id = (n: number): string => `p${n}`;
const someone = (n: number): Person => person(id(n), { age: n % 3, email: `${id(n)}@example.com`, tags: ['all', `tag${n % 4}`] });

/** Every way in which the people can be read, by name. */
const READS: Readonly<Record<string, (reader: Reader) => unknown>> = {
  get: (reader) => Array.from({ length: PEOPLE }, (_, n) => reader.get(people, [1, id(n)])),
  getMany: (reader) => reader.getMany(Array.from({ length: PEOPLE }, (_, n) => ({ collection: people, key: [1, id(n)] }))),
  getSeen: async (reader) => (await reader.getSeen(people, [1, id(0)]))?.record,
  find: (reader) => Array.from({ length: PEOPLE }, (_, n) => reader.find(people, 'email', [1, `${id(n)}@example.com`])),
  list: (reader) => reader.list(people, undefined, { prefix: [1], limit: 99 }),
  'list by an index': (reader) => reader.list(people, 'byAge', { prefix: [1], limit: 99 }),
  'list by a unique index': (reader) => reader.list(people, 'email', { prefix: [1], limit: 99 }),
  'keys by an index': (reader) => reader.keys(people, 'byTag', { prefix: [1, 'all'], limit: 99 }),
  'keys by a unique index': (reader) => reader.keys(people, 'email', { prefix: [1], limit: 99 }),
  page: (reader) => reader.page(people, 'byTag', { prefix: [1], limit: 99 }),
  pageOfKeys: (reader) => reader.pageOfKeys(people, 'byTag', { prefix: [1], limit: 99 }),
  entries: (reader) => reader.entries(people, 'byTag', { prefix: [1], limit: 99 }),
};

async function everything(engine: Engine): Promise<readonly Entry[]> {
  const snapshot = engine.snapshot();
  const entries = await snapshot.range({ start: Buffer.of(0, 1), end: Buffer.of(0xff, 0xff), limit: 10_000, reverse: false });
  snapshot.release();
  return entries;
}

const write = (engine: Engine, key: Uint8Array, value: Uint8Array | undefined): Promise<boolean> =>
  engine.commit({ keys: [], ranges: [], writes: [{ key, value }] });

async function findingsIn(engine: Engine): Promise<string[]> {
  const findings: string[] = [];
  await checkStore(engine, [people], { finding: (text) => findings.push(text), progress: () => undefined }, new AbortController().signal);
  return findings;
}

/** What each read answers, or the name of the error that it throws. */
async function readAll(store: Store): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(READS)) {
    try {
      const answer: unknown = await store.read(async (reader) => read(reader));
      answers[name] = Array.isArray(answer) ? await Promise.all(answer) : answer;
    } catch (error) {
      answers[name] = error instanceof Error ? error.name : error;
    }
  }
  return answers;
}

async function filled(): Promise<{ readonly engine: Engine; readonly store: Store }> {
  const engine = new MemoryEngine({});
  const store = new EngineStore(engine);
  for (let n = 0; n < PEOPLE; n++) await store.transact((tx) => tx.insert(people, someone(n)));
  return { engine, store };
}

test(`${FLIPS} flipped bits of values: each read answers what was written or a named fault, and the check of the store finds them`, {
  timeout: 60_000,
}, async () => {
  const next = numbers(11);
  const { engine, store } = await filled();
  const [truth, entries] = [await readAll(store), await everything(engine)];
  expect(await findingsIn(engine)).toEqual([]);
  for (let flip = 0; flip < FLIPS; flip++) {
    const { key, value } = entries[next(entries.length)] ?? { key: Buffer.alloc(0), value: Buffer.alloc(0) };
    const bit = next(value.length * 8);
    const flipped = Buffer.from(value);
    flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
    await write(engine, key, flipped);
    const answers = await readAll(store);
    for (const [name, answer] of Object.entries(answers)) if (answer !== DamagedValue.name) expect(answer).toEqual(truth[name]);
    expect(Object.values(answers)).toContain(DamagedValue.name);
    const findings = await findingsIn(engine);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.join('\n')).not.toMatch(/example\.com|tag/);
    await write(engine, key, value);
  }
  expect(await readAll(store)).toEqual(truth);
});

test('flipped bits of keys: what is read is true or a named fault where it is read at all, and the check of the store finds them', async () => {
  const next = numbers(12);
  const { engine, store } = await filled();
  const [truth, entries] = [await readAll(store), await everything(engine)];
  for (let flip = 0; flip < 150; flip++) {
    const { key, value } = entries[next(entries.length)] ?? { key: Buffer.alloc(0), value: Buffer.alloc(0) };
    const bit = next(key.length * 8);
    const flipped = Buffer.from(key);
    flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
    await write(engine, key, undefined);
    await write(engine, flipped, value);
    const shown = JSON.stringify(await readAll(store));
    // Nobody is shown as somebody else.
    const known = JSON.stringify(truth);
    for (const [record] of shown.matchAll(/\{"app":[^}]*\}/g)) expect(known).toContain(record);
    expect((await findingsIn(engine)).length).toBeGreaterThan(0);
    await write(engine, flipped, undefined);
    await write(engine, key, value);
  }
});

test('a value that stands under the key of another record is a named fault', async () => {
  const { engine, store } = await filled();
  const records = (await everything(engine)).filter(({ key }) => key[2] === 0);
  const [one, other] = records;
  if (!one || !other) throw new Error('there are too few records');
  await write(engine, one.key, other.value);
  await expect(store.read(async (reader) => reader.get(people, [1, id(0)]))).rejects.toThrow(DamagedValue);
});

test('an index entry that is missing, or one too many, is found', async () => {
  const { engine } = await filled();
  const entry = (await everything(engine)).find(({ key }) => key[2] !== 0);
  if (!entry) throw new Error('there are no index entries');
  await write(engine, entry.key, undefined);
  expect(await findingsIn(engine)).toEqual([
    expect.stringMatching(/^collection people: the record [0-9a-f]{16} lacks its index entry [0-9a-f]{16}$/),
  ]);
});

/** What versions without sums wrote for these people: the format as it is, and no sum. */
function withoutSums(entries: readonly Entry[]): Entry[] {
  const values = new Packr({ useRecords: false, moreTypes: false });
  return entries.map(({ key, value }) => {
    if (key[2] !== 0) return { key, value: value.subarray(5) };
    const [format, ...rest] = values.unpack(value) as unknown[];
    return { key, value: values.pack([Number(format) - 128, ...rest.slice(0, -1)]) };
  });
}

test('what older versions wrote is read, changed, and told of by the check of the store', async () => {
  const { engine, store } = await filled();
  const truth = await readAll(store);
  const entries = await everything(engine);
  for (const { key, value } of withoutSums(entries)) await write(engine, key, value);
  expect(await readAll(store)).toEqual(truth);
  const report = { finding: (text: string) => expect(text).toBe(''), progress: () => undefined };
  const { withoutSum } = await checkStore(engine, [people], report, new AbortController().signal);
  expect(withoutSum).toBe(entries.length);
  // A record that is written again gets its sum; so do index entries that are new.
  await store.transact((tx) => tx.put(people, { ...someone(0), email: 'new@example.com' }));
  expect((await checkStore(engine, [people], report, new AbortController().signal)).withoutSum).toBe(entries.length - 2);
  expect(await store.transact((tx) => tx.put(people, { ...someone(1), email: 'new@example.com' }))).toBe('email');
  expect(await store.transact((tx) => tx.put(people, { ...someone(1), email: `${id(2)}@example.com` }))).toBe('email');
  expect(await store.transact((tx) => tx.delete(people, [1, id(3)]))).toBe(true);
});

/** How versions that knew of no sums read a value. */
function readAsBefore(value: Uint8Array, format: number): string {
  const stored: unknown = new Packr({ useRecords: false, moreTypes: false }).unpack(value);
  if (!Array.isArray(stored) || typeof stored[0] !== 'number') return 'cannot be read';
  if (stored[0] === format) return 'is read';
  return stored[0] > format ? `has format ${stored[0]}, but this version knows only ${format} and older` : 'is upgraded';
}

test('versions that know of no sums refuse a value that has one, by its format', async () => {
  const { engine } = await filled();
  const records = (await everything(engine)).filter(({ key }) => key[2] === 0);
  expect(new Set(records.map(({ value }) => readAsBefore(value, people.format)))).toEqual(
    new Set([`has format ${people.format + 128}, but this version knows only ${people.format} and older`]),
  );
});
