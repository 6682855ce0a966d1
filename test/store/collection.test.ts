import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamagedValue } from '../../src/store/checksum.ts';
import { defineCollection } from '../../src/store/collection.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_260 });

interface Note {
  readonly id: string;
  readonly text: string | null;
  readonly size: number | undefined;
  readonly labels: readonly string[] | undefined;
}

/** Any key. */
const KEY = Buffer.from('key');

const base = { id: 950, name: 'notes', scope: 'core', key: (note: Note) => [note.id] } as const;
const notes = defineCollection({ ...base, format: 1, fields: { id: 1, text: 2, size: 4, labels: 3 } });

describe('stored values', () => {
  test('hold every text and number exactly, of the two zeros only one', () => {
    const text = fc.string({ unit: fc.constantFrom('\0', 'a', 'ß', '\ud800', '\udc00', '😀', '\uffff'), maxLength: 80 });
    const fields = {
      id: text,
      text: fc.option(text),
      size: fc.oneof(
        fc.constant(undefined),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value)),
      ),
      labels: fc.oneof(fc.constant(undefined), fc.array(text, { maxLength: 4 })),
    };
    fc.assert(
      fc.property(fc.record(fields, { noNullPrototype: true }), (value) => {
        expect(notes.decode(notes.encode(value, KEY), KEY)).toStrictEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  test('hold nested objects, bytes and long texts', () => {
    const loose = defineCollection({
      id: 951,
      name: 'loose',
      scope: 'core',
      format: 1,
      fields: { id: 1, value: 2 },
      key: (r: { id: string; value: unknown }) => [r.id],
    });
    const value = { list: [1, { deep: ['\ud83d', null, true] }], bytes: new Uint8Array([1, 2, 3]), long: 'é'.repeat(40_000) };
    const read = loose.decode(loose.encode({ id: 'x', value }, KEY), KEY).value;
    expect(read).toEqual({ ...value, bytes: Buffer.from(value.bytes) });
  });

  test('do not change when another record is read', () => {
    const bytes = defineCollection({
      id: 952,
      name: 'bytes',
      scope: 'core',
      format: 1,
      fields: { id: 1, value: 2 },
      key: (r: { id: string; value: Uint8Array }) => [r.id],
    });
    const first = bytes.decode(bytes.encode({ id: 'a', value: Buffer.from('first') }, KEY), KEY);
    bytes.decode(bytes.encode({ id: 'b', value: Buffer.from('other') }, KEY), KEY);
    expect(Buffer.from(first.value).toString()).toBe('first');
  });

  test('fields missing at the end are undefined', () => {
    const older = defineCollection({ ...base, format: 1, fields: { id: 1 }, key: (note: Pick<Note, 'id'>) => [note.id] });
    expect(notes.decode(older.encode({ id: 'n' }, KEY), KEY)).toStrictEqual({
      id: 'n',
      text: undefined,
      labels: undefined,
      size: undefined,
    });
  });

  test('an older format is upgraded', () => {
    const newer = defineCollection({
      ...base,
      format: 2,
      fields: { id: 1, text: 2, size: 4, labels: 3 },
      upgrade: (format, stored) => ({ id: String(stored[1]), text: `from ${format}: ${String(stored[2])}`, size: 0, labels: [] }),
    });
    const old = notes.encode({ id: 'n', text: 'hello', size: 5, labels: undefined }, KEY);
    expect(newer.decode(old, KEY)).toEqual({ id: 'n', text: 'from 1: hello', size: 0, labels: [] });
    expect(newer.decode(newer.encode({ id: 'n', text: 'new', size: 1, labels: undefined }, KEY), KEY).text).toBe('new');
  });

  test('a format that is too new, or too old without an upgrade, is a clear error', () => {
    const newer = defineCollection({ ...base, format: 3, fields: { id: 1, text: 2, size: 4, labels: 3 } });
    const value: Note = { id: 'n', text: null, size: 1, labels: undefined };
    expect(() => notes.decode(newer.encode(value, KEY), KEY)).toThrow(
      'collection notes: a stored value has format 3, but this version knows only 1 and older',
    );
    expect(() => newer.decode(notes.encode(value, KEY), KEY)).toThrow(
      'collection notes: a stored value has format 1, which cannot be upgraded to 3',
    );
    expect(() => notes.decode(Buffer.from([1]), KEY)).toThrow(DamagedValue);
  });
});

describe('declarations', () => {
  const define = (change: object): unknown =>
    defineCollection({ ...base, format: 1, fields: { id: 1, text: 2, size: 4, labels: 3 }, ...change });

  test.each([
    ['a number out of range', { id: 1000 }],
    ['a format out of range', { format: 128 }],
    ['a position taken twice', { fields: { id: 1, text: 1, size: 2, labels: 3 } }],
    ['the position of the format', { fields: { id: 0, text: 1, size: 2, labels: 3 } }],
    ['an index number out of range', { indexes: { a: { id: 0, keys: () => [] } } }],
    ['an index number taken twice', { indexes: { a: { id: 1, keys: () => [] }, b: { id: 1, keys: () => [] } } }],
  ])('%s is refused', (_, change) => {
    expect(() => define(change)).toThrow(RangeError);
  });
});
