import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeLineSeparators, quote, stringifyAnswer } from '../../src/json/answer.ts';
import { jsonEqual } from '../../src/json/equality.ts';
import {
  InvalidJsonError,
  type JsonValue,
  MAX_JSON_DEPTH,
  parseJson,
  parseJsonObject,
  RawJson,
  toJsonText,
} from '../../src/json/free-form.ts';
import { readJsonText } from '../json-text.ts';
import { hasIntegerBeyondInt64 } from '../../src/json/integers.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

const text = readJsonText;
const attempt = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('parseJson', () => {
  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{a:1}', '[1,,2]', '\uFEFF{}', 'NaN', '01', '.5', '1.', '"\n"', '{} x', '[1 // x\n]'])(
    'refuses %j',
    (wrong) => {
      expect(() => parseJson(wrong)).toThrow(InvalidJsonError);
      expect(parseJsonObject(wrong)).toBeUndefined();
    },
  );

  it('keeps integers up to 2^63 and literals that overflow', () => {
    const decimals = ['123456789012345.123456789012345', '-0.00000000000000123456789012345678', '12345678.123456789'];
    for (const literal of [
      ...decimals,
      '9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      '1e400',
      '0.1234567890123456789',
      '1e19',
    ]) {
      expect(text(`{"a": [${literal}]}`)).toBe(`{"a":[${literal}]}`);
    }
    expect(text('[1.0, 2.50, 12]')).toBe('[1,2.5,12]');
  });

  it('takes the last of duplicate members on both roads', () => {
    expect(text('{"a":1,"a":2}')).toBe('{"a":2}');
    expect(text('{"a":1,"a":12345678901234567890}')).toBe('{"a":12345678901234567890}');
  });

  it('makes __proto__ an own member and touches no prototype', () => {
    for (const source of ['{"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":true},"n":12345678901234567890}']) {
      const tree = parseJsonObject(source);
      expect(Object.hasOwn(tree ?? {}, '__proto__')).toBe(true);
      expect(tree?.['polluted']).toBeUndefined();
      expect(text(source)).toBe(source);
    }
  });

  it('limits the depth, not the number, of brackets', () => {
    expect(text(nested(MAX_JSON_DEPTH))).toBe(nested(MAX_JSON_DEPTH));
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow(/deeper than 64/);
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(/deeper than 64/);
    expect(parseJson(`[${'[],'.repeat(500)}"${'['.repeat(500)}\\"["]`)).toHaveLength(501);
  });

  it('accepts what the engine accepts, numbers beyond a double or not', () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\ -.0e',
      '12345678901234567890',
      '1e400',
      '0.1234567890123456789',
      '"a"',
      'null',
      '"a":',
      '-',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const source = `[${parts.join('')},12345678901234567890]`;
        const engine = attempt(() => JSON.stringify(JSON.parse(source)));
        expect(attempt(() => JSON.stringify(JSON.parse(text(source))))).toBe(engine);
      }),
      { numRuns: 20_000 },
    );
    for (const source of [
      '{12345678901234567890:1}',
      '{12345678901234567890 :1}',
      '[12345678901234567890 1]',
      '[1-12345678901234567890]',
    ]) {
      expect(() => parseJson(source)).toThrow(InvalidJsonError);
    }
  });

  it('agrees with the engine on every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const source = JSON.stringify(value);
        expect(JSON.parse(toJsonText(parseJson(source)))).toEqual(JSON.parse(source));
      }),
    );
  });

  it('does not mistake a member of the caller for a lossless number', () => {
    expect(text('{"isLosslessNumber":true,"value":"7"}')).toBe('{"isLosslessNumber":true,"value":"7"}');
  });
});

describe('jsonEqual', () => {
  it.each([
    ['{"a":1,"b":2}', '{"b":2,"a":1.0}', true],
    ['{"a":null}', '{}', false],
    ['{"a":null}', '{"b":null}', false],
    ['[1,2]', '[2,1]', false],
    ['[]', '{}', false],
    ['9007199254740993', '9007199254740992', false],
    ['9007199254740993', '9007199254740993.0', true],
    ['1e3', '1000', true],
    ['1e400', '10e399', true],
    ['9007199254740993', '"9007199254740993"', false],
    ['{"__proto__":1}', '{}', false],
    ['{"constructor":null}', '{"toString":null}', false],
  ])('%s and %s: %s', (a, b, equal) => {
    expect(jsonEqual(text(a), text(b))).toBe(equal);
    expect(jsonEqual(text(b), text(a))).toBe(equal);
  });

  it('is reflexive whatever the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(jsonEqual(text(JSON.stringify(object)), text(JSON.stringify(reversed)))).toBe(true);
      }),
    );
  });
});

describe('hasIntegerBeyondInt64', () => {
  it.each([
    ['{"a":[{"b":9223372036854775808}]}', true],
    ['{"a":-9223372036854775809}', true],
    ['{"a":9223372036854775807,"b":-9223372036854775808}', false],
    [`[${'9'.repeat(1_000_000)}]`, true],
    ['{"a":"9223372036854775808"}', false],
    ['{"a":1e30,"b":12345678901234567890.5}', false],
    ['{}', false],
  ])('%.40s: %s', (source, beyond) => expect(hasIntegerBeyondInt64(text(source))).toBe(beyond));
});

describe('stringifyAnswer', () => {
  it('copies raw text, drops undefined members and escapes what JSON needs', () => {
    const value = { a: undefined, b: [1, undefined, new RawJson(text('{"n": 9007199254740993}'))], 'c"': 'x\n<&>', d: null, e: -0, f: {} };
    expect(stringifyAnswer(value)).toBe('{"b":[1,null,{"n":9007199254740993}],"c\\"":"x\\n<&>","d":null,"e":0,"f":{}}');
  });

  it('escapes the line separators also inside raw text', () => {
    expect(stringifyAnswer({ a: '\u2028', b: new RawJson(text('"\u2029"')) })).toBe('{"a":"\\u2028","b":"\\u2029"}');
    expect(escapeLineSeparators('"plain"')).toBe('"plain"');
  });

  it('agrees with JSON.stringify', () => {
    const sameText = (value: JsonValue): boolean => stringifyAnswer(value) === escapeLineSeparators(JSON.stringify(value));
    fc.assert(fc.property(fc.jsonValue(), (value) => sameText(value as JsonValue)));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => quote(value) === JSON.stringify(value)));
    expect(quote('\ud800')).toBe('"\\ud800"');
  });
});
