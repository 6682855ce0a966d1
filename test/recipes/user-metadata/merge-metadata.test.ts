import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonText } from '../../../src/json/free-form.ts';
import { readJsonText } from '../../json-text.ts';
import { mergeMetadata } from '../../../src/recipes/user-metadata/merge-metadata.ts';

const merge = (stored: string, update: string): string => mergeMetadata(stored as JsonText, readJsonText(update)).text;

test.each([
  ['{}', '{"a":9007199254740993,"b":9223372036854775807}', '{"a":9007199254740993,"b":9223372036854775807}'],
  [
    '{"a":9007199254740993}',
    '{"b":0.1000000000000000055511151231257827}',
    '{"a":9007199254740993,"b":0.1000000000000000055511151231257827}',
  ],
  ['{"a":1e400}', '{"b":-0.5}', '{"a":1e400,"b":-0.5}'],
  ['{"__proto__":{"a":1}}', '{"b":1}', '{"__proto__":{"a":1},"b":1}'],
  ['{"b":1}', '{"__proto__":{"a":1},"constructor":null}', '{"b":1,"__proto__":{"a":1}}'],
  ['{"__proto__":1,"b":2}', '{"__proto__":null}', '{"b":2}'],
  ['{"":1}', '{"":null}', '{}'],
  ['{"a":"\\ud800"}', '{"b":"\\u0000"}', '{"a":"\\ud800","b":"\\u0000"}'],
])('%s and %s', (stored, update, merged) => {
  expect(merge(stored, update)).toBe(merged);
});

test('is the merge of the values', () => {
  const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(object, object, (before, update) => {
      const stored = merge('{}', JSON.stringify(before));
      const expected = new Map(Object.entries(JSON.parse(stored) as object));
      for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(update)) as object)) {
        if (value === null) expected.delete(name);
        else expected.set(name, value);
      }
      expect(new Map(Object.entries(JSON.parse(merge(stored, JSON.stringify(update))) as object))).toEqual(expected);
    }),
    { numRuns: 300, seed: 20_261_121 },
  );
});
