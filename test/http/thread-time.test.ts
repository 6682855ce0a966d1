import { beforeAll, expect, test } from 'vitest';
import type { JsonText } from '../../src/json/free-form.ts';
import { metadata } from '../../src/recipes/user-metadata/records.ts';
import { MemoryEngine } from '../../src/store/memory.ts';
import { EngineStore } from '../../src/store/transactions.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { bodyWith, FREE_FORM, type Given, startSession } from './free-form.ts';
import { appNumber } from '../numbers.ts';

/*
 * No request holds its thread for long, whatever its body: all other requests of the thread would wait. What a body takes is measured in time of
 * the processor, against work whose time is known, so that neither a slow machine nor a busy one matters.
 */

const MOST_BYTES = 8_388_608 - 1024;
/** So many times the work of `yardstick`, which takes some 6 ms. A request should take 50 ms at most; the rest is for noise. */
const MOST = 25;
const RUNS = 3;

const filled = (unit: string): string => unit.repeat(Math.floor(MOST_BYTES / unit.length));
const listed = (count: number, item: (at: number) => string): string => Array.from({ length: count }, (_, at) => item(at)).join(',');

/** What is costly to read or to write, of so many pieces: as many as are taken, and as many as fit into a body. */
const COUNTED: Readonly<Record<string, (count: number) => string>> = {
  nulls: (count) => `{${listed(count, (at) => `"a${at}":null`)}}`,
  'one name again and again': (count) => `{${listed(count, () => '"__proto__":null')}}`,
  'huge numbers': (count) => `{${listed(count / 2, (at) => `"a${at}":1e400`)}}`,
  'objects of all shapes': (count) => `{"a":[${listed(count / 2, (at) => `{"k${at}":0}`)}]}`,
  'empty arrays': (count) => `{"a":[${listed(count / 2, () => '[]')}]}`,
};
const COUNTS = [9_900, 249_000];

/** What is costly by its length. */
const LONG: Readonly<Record<string, () => string>> = {
  letters: () => `{"a":"${filled('e')}"}`,
  'accented letters': () => `{"a":"${'é'.repeat(MOST_BYTES / 2)}"}`,
  'escaped quotes': () => `{"a":"${filled('\\"')}"}`,
  'halves of letters': () => `{"a":"${filled('\\ud800')}"}`,
  brackets: () => `{"a":"${filled('[')}"}`,
  'empty texts': () => `{"a":[${filled('"",')}""]}`,
  ones: () => `{"a":[${filled('1,')}1]}`,
  'one number': () => `{"a":0.${filled('0')}1}`,
  blanks: () => `{"a":1${filled(' ')}}`,
};

const BODIES: readonly (readonly [name: string, value: () => string])[] = [
  ...Object.entries(COUNTED).flatMap(([name, make]) => COUNTS.map((count) => [`${count} ${name}`, () => make(count)] as const)),
  ...Object.entries(LONG).map(([name, make]) => [`8 MiB of ${name}`, make] as const),
];

/** Rows that differ by name alone are asked once. Uploads are read elsewhere. */
const MEMBERS = [...new Map(FREE_FORM.map((member) => [member.field, member])).values()].filter(({ field }) => field !== 'users');

let core: InProcessCore;
let given: Given = {};
let yardstickMs = 0;

/** Time of the processor that work takes, ms: the first that is fine settles it, else the least of some. */
async function timeOf(work: () => unknown, fine = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > fine; run += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const SAMPLE = JSON.stringify(Array.from({ length: 4_000 }, (_, at) => ({ name: `user ${at}`, times: [at, at * 2], isThere: true })));
const yardstick = (): string => JSON.stringify(JSON.parse(SAMPLE));

beforeAll(async () => {
  core = await openInProcessCore('5.4', [], new EngineStore(new MemoryEngine({})));
  given = await startSession(core);
  for (let round = 0; round < 5; round += 1) yardstick();
  yardstickMs = await timeOf(yardstick);
});

test.each(BODIES)(
  '%s do not hold the thread',
  async (_, make) => {
    const value = make();
    const slow: Record<string, number> = {};
    for (const member of MEMBERS) {
      const body = bodyWith(member, value, given);
      const time = await timeOf(() => core.send(member.method, member.path, body), MOST * yardstickMs);
      if (time > MOST * yardstickMs) slow[member.name] = Math.round(time / yardstickMs);
    }
    expect(slow).toEqual({});
  },
  120_000,
);

test('metadata as large as it may be is changed and shown in time', async () => {
  const { store, directory } = core.services;
  const app = appNumber(Number((await directory.find({ cud: '', appId: 'public', tenantId: 'public' }))?.app));
  const members = Array.from({ length: 9_000 }, (__, at) => `"name${at}":"${'é'.repeat(100)}"`);
  await store.transact((tx) => tx.put(metadata, { app, userId: 'x', metadata: `{${members.join(',')}}` as JsonText }));
  const update = `{"userId":"x","metadataUpdate":{${listed(9_000, (at) => `"name${at}":"${at}"`)}}}`;
  const putTime = await timeOf(() => core.send('PUT', '/recipe/user/metadata', update));
  const getTime = await timeOf(() => core.send('GET', '/recipe/user/metadata?userId=x', ''));
  expect(Math.max(putTime, getTime) / yardstickMs).toBeLessThan(MOST);
});

test('handles of sessions are removed in many turns of the event loop', async () => {
  const sessionHandles = Array.from({ length: 9_900 }, (_, at) => `0a0a0a0a-1111-4111-8111-${String(at).padStart(12, '0')}`);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const answer = await core.send('POST', '/recipe/session/remove', JSON.stringify({ sessionHandles }));
  isOver = true;
  expect(answer.status).toBe(200);
  expect(turns).toBeGreaterThanOrEqual(15);
});
