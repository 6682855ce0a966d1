import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfCbor, readCbor } from '../../../src/crypto/webauthn/cbor.ts';
import { cbor } from '../../software-authenticator.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const nested = (levels: number): Buffer => Buffer.concat([Buffer.alloc(levels, 0x81), Buffer.of(0)]);

describe('CBOR', () => {
  test('as authenticators make it', () => {
    expect(readCbor(hex('a2 01 02 61 61 43 010203'))).toEqual(
      new Map<unknown, unknown>([
        [1, 2],
        ['a', new Uint8Array([1, 2, 3])],
      ]),
    );
    expect(readCbor(hex('26'))).toBe(-7);
    expect(readCbor(hex('39 0100'))).toBe(-257);
    expect(readCbor(hex('84 f4 f5 f6 80'))).toEqual([false, true, null, []]);
  });

  test('ends where its one item does', () => {
    expect(endOfCbor(hex('a0 00'), 0)).toBe(1);
    expect(endOfCbor(hex('ff a1 01 82 02 03 00'), 1)).toBe(6);
    expect(readCbor(hex('a0 00'))).toBeUndefined();
    expect(readCbor(Buffer.alloc(0))).toBeUndefined();
  });

  test.each([
    ['a list of indefinite length', '9f 01 ff'],
    ['a map of indefinite length', 'bf 01 02 ff'],
    ['bytes of indefinite length', '5f 41 00 ff'],
    ['a text of indefinite length', '7f 61 61 ff'],
    ['a lonely break', 'ff'],
    ['a reserved number', '1c'],
    ['a tag', 'c0 00'],
    ['a key twice', 'a2 01 00 01 00'],
    ['a list as key', 'a1 80 00'],
    ['more items than there are', '9b 00000000ffffffff 00'],
    ['a map that is larger than memory', 'bb ffffffffffffffff'],
    ['bytes beyond the end', '5a ffffffff 00'],
    ['a text beyond the end by one', '62 61'],
    ['a number that is cut off', '1a 0000'],
    ['a map without its last value', 'a1 01'],
    ['nothing', ''],
  ])('%s is none', (_, text) => {
    expect(readCbor(hex(text))).toBeUndefined();
  });

  test('nests a few levels, and no more however long it is', () => {
    expect(readCbor(nested(8))).toBeDefined();
    for (const levels of [9, 100, 60_000]) expect(readCbor(nested(levels))).toBeUndefined();
    expect(readCbor(Buffer.alloc(60_000, 0xa1))).toBeUndefined();
  });

  test('never reads beyond what it was given', () => {
    const memory = hex('44 01 02 03 04');
    expect(readCbor(memory.subarray(0, 3))).toBeUndefined();
  });

  test('is read back from what is written, and never throws', () => {
    const text = fc.string({ maxLength: 5 });
    const leaf = fc.oneof(fc.integer(), text, fc.boolean(), fc.constant(null), fc.uint8Array({ maxLength: 40 }));
    const item = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 5 }),
      fc.dictionary(text, leaf, { maxKeys: 4 }).map((all) => new Map(Object.entries(all))),
    );
    fc.assert(
      fc.property(item, (value) => {
        expect(readCbor(cbor(value))).toEqual(value);
      }),
      { seed: 7, numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        readCbor(Buffer.from(bytes));
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
