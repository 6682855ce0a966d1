import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes, endOfPrefix, makeKey, readKey, SPACE_BYTES } from '../../src/store/keys.ts';
import type { Key, KeyPart } from '../../src/store/store.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_260 });

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('\0', '\u0001', 'a', '\u007f', '\u0080', 'ÿ', '\u07ff', '\u0800', '\ud800', '\udfff', '\uffff', '😀'),
    maxLength: 8,
  }),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.integer({ min: -300, max: 300 }),
  fc.constantFrom(0, -0, 2 ** 53, -(2 ** 53), Number.MAX_VALUE, Number.MIN_VALUE, 1_700_000_000_000),
);
const key = fc.array(fc.oneof(text, number), { maxLength: 5 });

/** The order the interface promises: numbers before strings, strings by code points, a tuple before its continuations. */
function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const at = left.findIndex((code, index) => code !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

function compareTuples(a: Key, b: Key): number {
  for (const [at, part] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const bytes = (parts: Key): Uint8Array => makeKey(7, 0, parts);

describe('keys', () => {
  test('the order of the bytes is the order of the tuples', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareBytes(bytes(a), bytes(b)))).toBe(Math.sign(compareTuples(a, b)));
      }),
      { numRuns: 3000 },
    );
  });

  test('the order holds for tuples that share a beginning', () => {
    fc.assert(
      fc.property(key, key, key, (shared, a, b) => {
        const [left, right] = [
          [...shared, ...a],
          [...shared, ...b],
        ];
        expect(Math.sign(compareBytes(bytes(left), bytes(right)))).toBe(Math.sign(compareTuples(left, right)));
      }),
      { numRuns: 1500 },
    );
  });

  test('every tuple is read back as it was', () => {
    fc.assert(
      fc.property(key, (parts) => {
        const read = readKey(bytes(parts), SPACE_BYTES);
        expect(read).toEqual(parts.map((part) => (part === 0 ? 0 : part)));
      }),
      { numRuns: 3000 },
    );
  });

  test('a prefix covers exactly its continuations', () => {
    fc.assert(
      fc.property(key, key, (prefix, other) => {
        const low = bytes(prefix);
        const high = endOfPrefix(low);
        const inside = (candidate: Key): boolean => compareBytes(bytes(candidate), low) >= 0 && compareBytes(bytes(candidate), high) < 0;
        expect(inside([...prefix, ...other])).toBe(true);
        const continues = prefix.every((part, at) => other[at] === part || (part === 0 && other[at] === 0));
        expect(inside(other)).toBe(continues);
      }),
      { numRuns: 3000 },
    );
  });

  test('small integers are short', () => {
    expect(bytes([1]).length).toBe(SPACE_BYTES + 3);
    expect(bytes([300]).length).toBeLessThanOrEqual(SPACE_BYTES + 4);
  });

  test('numbers that are not finite are refused', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) expect(() => bytes([value])).toThrow(TypeError);
  });

  describe('long strings', () => {
    const long = fc.string({ unit: fc.constantFrom('\0', 'a', 'é', '😀', '\ud800'), minLength: 250, maxLength: 700 });

    test('equal keys only for equal strings, and never the key of another tuple', () => {
      fc.assert(
        fc.property(long, fc.oneof(long, text), key, (a, b, rest) => {
          expect(compareBytes(bytes([a, ...rest]), bytes([b, ...rest])) === 0).toBe(a === b);
        }),
        { numRuns: 300 },
      );
    });

    test('they stand behind every shorter string that they begin with', () => {
      fc.assert(
        fc.property(
          fc.string({ unit: fc.constantFrom('\0', 'a', 'é', '😀'), minLength: 300, maxLength: 400 }),
          fc.nat(250),
          key,
          (whole, cut, rest) => {
            const points = Array.from(whole);
            const beginning = points.slice(0, cut).join('');
            // Two strings that share their first 256 bytes and go on are ordered by their hashes.
            if (readKey(bytes([beginning]), SPACE_BYTES)) expect(compareBytes(bytes([beginning, ...rest]), bytes([whole]))).toBeLessThan(0);
          },
        ),
        { numRuns: 500 },
      );
    });

    test('a prefix does not cover the long strings that begin with it', () => {
      const prefix = bytes(['a'.repeat(256)]);
      const longer = bytes(['a'.repeat(257)]);
      expect(compareBytes(longer, endOfPrefix(prefix))).toBeGreaterThan(0);
    });

    test('their key tells that they cannot be read back', () => {
      expect(readKey(bytes([1, 'x'.repeat(256), 2]), SPACE_BYTES)).toEqual([1, 'x'.repeat(256), 2]);
      expect(readKey(bytes([1, 'x'.repeat(257), 2]), SPACE_BYTES)).toBeUndefined();
    });

    test('six of the longest fit into a key, whatever they hold; more are refused by name', () => {
      for (const unit of ['a', '\0', '😀', '\ud800'])
        expect(bytes(Array.from({ length: 6 }, () => unit.repeat(100_000))).length).toBeLessThan(1979);
      expect(() => bytes(Array.from({ length: 8 }, () => 'x'.repeat(500)))).toThrow(RangeError);
    });
  });
});
