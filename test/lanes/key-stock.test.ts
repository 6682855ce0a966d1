import { beforeEach, describe, expect, test } from 'vitest';
import { KeyStock, type KeyStockParts } from '../../src/lanes/key-stock.ts';
import { KEY_QUEUE } from '../../src/lanes/lane-limits.ts';
import type { RsaKeyPair } from '../../src/crypto/rsa-keys.ts';

/** The stock of signing keys, with pairs that are finished when a test says so. */
type How = 'now' | 'quietly';
interface Making {
  readonly how: How;
  readonly finish: () => void;
  readonly fail: () => void;
}

let making: Making[];
let made: number;
beforeEach(() => {
  making = [];
  made = 0;
});

const make = (how: How): Promise<RsaKeyPair> =>
  new Promise((resolve, reject) => {
    const end = (act: () => void) => (): void => {
      making.splice(making.indexOf(one), 1);
      act();
    };
    const one: Making = {
      how,
      finish: end(() => resolve({ publicKey: `${how} ${(made += 1)}`, privateKey: '' })),
      fail: end(() => reject(new Error('no key'))),
    };
    making.push(one);
  });
const stockOf = (more: Partial<KeyStockParts> = {}): KeyStock =>
  new KeyStock({ makeNow: () => make('now'), makeQuietly: () => make('quietly'), width: 2, size: 2, ...more });
const underWay = (): readonly How[] => making.map(({ how }) => how);
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
const finish = async (how: How): Promise<void> => {
  making.find((one) => one.how === how)?.finish();
  await settle();
};
/** The names of pairs that have come; '' for those that have not. */
const come = async (...pending: readonly Promise<RsaKeyPair>[]): Promise<readonly string[]> =>
  Promise.all(pending.map((each) => Promise.race([each, settle()]).then((pair) => pair?.publicKey ?? '')));

describe('a stock', () => {
  test('is filled one by one and quietly, once it is opened, and no further', async () => {
    const stock = stockOf();
    expect(underWay()).toEqual([]);
    stock.open();
    for (const left of [['quietly'], []]) {
      expect(underWay()).toEqual(['quietly']);
      await finish('quietly');
      expect(underWay()).toEqual(left);
    }
  });

  test('that has a pair gives it at once, and is filled again', async () => {
    const stock = stockOf({ size: 1 });
    stock.open();
    await finish('quietly');
    expect(await come(stock.keyPairFor('a', true))).toEqual(['quietly 1']);
    expect(underWay()).toEqual(['quietly']);
  });

  test('makes one pair for one purpose, however many ask, also afterwards', async () => {
    const stock = stockOf({ size: 0 });
    const asked = Array.from({ length: 10 }, () => stock.keyPairFor('a', true));
    expect(underWay()).toEqual(['now']);
    await finish('now');
    expect(new Set(await come(...asked, stock.keyPairFor('a', true)))).toEqual(new Set(['now 1']));
    expect(underWay()).toEqual([]);
    const other = stock.keyPairFor('b', true);
    await finish('now');
    expect(await come(other)).toEqual(['now 2']);
  });

  test('makes what nobody waits for quietly, and only when it is open', async () => {
    const stock = stockOf({ size: 0 });
    const asked = ['a', 'b'].map((purpose) => stock.keyPairFor(purpose, false));
    expect(underWay()).toEqual([]);
    stock.open();
    expect(underWay()).toEqual(['quietly']);
    await finish('quietly');
    expect(await come(...asked)).toEqual(['quietly 1', '']);
    expect(underWay()).toEqual(['quietly']);
  });

  test('makes at once what somebody begins to wait for; who waits gets whatever comes first', async () => {
    const stock = stockOf({ size: 1 });
    stock.open();
    const inAdvance = stock.keyPairFor('in advance', false);
    const waiting = stock.keyPairFor('first session', true);
    expect(underWay()).toEqual(['quietly', 'now']);
    await finish('quietly');
    expect(await come(inAdvance, waiting)).toEqual(['', 'quietly 1']);
    void stock.keyPairFor('in advance', true);
    expect(underWay()).toEqual(['now', 'quietly']);
    await finish('now');
    expect(await come(inAdvance)).toEqual(['now 2']);
    await finish('quietly');
    expect(underWay()).toEqual([]);
    expect(await come(stock.keyPairFor('next', true))).toEqual(['quietly 3']);
  });

  test('that is shut makes only what somebody waits for', async () => {
    const stock = stockOf();
    stock.open();
    stock.shut();
    await finish('quietly');
    expect(underWay()).toEqual([]);
    void stock.keyPairFor('in advance', false);
    void stock.keyPairFor('another', false);
    expect(underWay()).toEqual([]);
    void stock.keyPairFor('another', true);
    expect(underWay()).toEqual(['now']);
  });

  test('makes no more at once than it may', () => {
    const stock = stockOf();
    for (let at = 0; at < 9; at++) void stock.keyPairFor(`${at}`, true);
    expect(underWay()).toEqual(['now', 'now']);
  });

  test('lets only so many wait, and nobody once it is closed', async () => {
    const stock = stockOf();
    const asked = Array.from({ length: KEY_QUEUE + 1 }, (_, at) => stock.keyPairFor(`${at}`, true));
    await expect(asked.at(-1)).rejects.toMatchObject({ name: 'LaneFullError', lane: 'keys' });
    stock.close();
    for (const each of asked) await expect(each).rejects.toMatchObject({ name: 'LaneFullError' });
    await expect(stock.keyPairFor('late', true)).rejects.toMatchObject({ name: 'LaneFullError' });
    making[0]?.finish();
    await settle();
    expect(underWay()).toEqual(['now']);
  });

  test('tells of a failure to one of those who wait, and goes on for the others', async () => {
    const stock = stockOf({ width: 1, size: 0 });
    const [first, second] = [stock.keyPairFor('a', true), stock.keyPairFor('b', true)];
    making[0]?.fail();
    await expect(first).rejects.toThrow('no key');
    await finish('now');
    expect(await come(second)).toEqual(['now 1']);
    const again = stock.keyPairFor('a', true);
    await finish('now');
    expect(await come(again)).toEqual(['now 2']);
  });

  test('that cannot be filled is not tried again until somebody asks', async () => {
    const stock = stockOf();
    stock.open();
    making[0]?.fail();
    await settle();
    expect(underWay()).toEqual([]);
    void stock.keyPairFor('a', true);
    expect(underWay()).toEqual(['now', 'quietly']);
  });
});
