import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Traits, traitsFor } from '../../src/cdi/traits.ts';
import type { InputPlan } from '../../src/http/input-plan.ts';
import { type Body, PassingBody } from '../../src/http/body.ts';
import { readInput } from '../../src/http/input.ts';
import { refusalReply } from '../../src/http/refusals.ts';
import { Refusal } from '../../src/recipes/refusal.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const type = (name: string, more: object = {}): object => ({ $ref: `../cdi.json#/$defs/${name}`, ...more });

/** One schema of the fixture per case below. */
const SCHEMAS: Readonly<Record<string, object>> = {
  body: {
    'x-in': 'body',
    properties: {
      text: type('string'),
      trimmed: type('trimmedString'),
      nullable: type('stringOrNull'),
      flag: type('boolean'),
      long: type('long'),
      int: type('int'),
      list: type('strings'),
      maybeList: type('stringsOrNull'),
      free: type('object'),
      maybeFree: type('objectOrNull'),
      any: type('json'),
      items: type('objects'),
    },
  },
  plain: { 'x-in': 'body', properties: { text: type('string'), long: type('long'), list: type('strings') }, required: ['text'] },
  either: { 'x-in': 'body-or-query', properties: { text: type('trimmedString'), list: type('strings') }, required: ['text'] },
  optional: { 'x-in': 'body', properties: { text: type('string', { 'x-required-unless-empty': true }) } },
  query: {
    'x-in': 'query',
    properties: {
      text: type('queryString'),
      int: type('queryInt'),
      long: type('queryLong'),
      flag: type('queryBoolean'),
      list: type('queryList'),
    },
    required: ['text'],
  },
  ordered: {
    'x-in': 'body',
    'x-errors': { minProperties: 'Give something' },
    minProperties: 1,
    properties: {
      first: type('string', { 'x-stage': 'late' }),
      second: type('long', { exclusiveMinimum: 0, 'x-errors': { exclusiveMinimum: '<field> must be > 0', required: 'second, please' } }),
      third: type('string'),
      modern: type('boolean', { 'x-trait': 'modernSessions' }),
      latest: type('boolean', { 'x-required-trait': 'rotatingRefresh' }),
    },
    required: ['modern'],
  },
};

let folder = '';
let plans: Readonly<Record<string, InputPlan>> = {};

beforeAll(async () => {
  mkdirSync(path.join(ROOT, '.tmp'), { recursive: true });
  folder = await mkdtemp(path.join(ROOT, '.tmp', 'schemas-'));
  mkdirSync(path.join(folder, 'schemas', 'case'), { recursive: true });
  await cp(path.join(ROOT, 'schemas', 'cdi.json'), path.join(folder, 'schemas', 'cdi.json'));
  for (const [name, schema] of Object.entries(SCHEMAS))
    writeFileSync(path.join(folder, 'schemas', 'case', `${name}.json`), JSON.stringify(schema));
  const { generate } = (await import(path.join(ROOT, 'scripts', 'generate.mjs'))) as { generate: (folders: object) => Promise<boolean> };
  const folders = { schemas: path.join(folder, 'schemas'), target: path.join(folder, 'generated') };
  expect(await generate(folders)).toBe(true);
  expect(await generate(folders)).toBe(false);
  plans = ((await import(path.join(folder, 'generated', 'inputs.ts'))) as { INPUTS: typeof plans }).INPUTS;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No text stands for bytes that are none. */
const bodyOf = (text: string | undefined): Body => new PassingBody(text === undefined ? Uint8Array.of(0xff) : Buffer.from(text));

/** The command, or the text of the refusal; a late one is marked. */
function read(name: string, source: { body?: string; query?: string }, traits: Traits = traitsFor('5.4')): unknown {
  const plan = plans[`case/${name}`];
  if (!plan) throw new Error(`no schema ${name}`);
  try {
    const { command, late } = readInput(plan, { body: bodyOf(source.body), query: source.query ?? '' }, traits);
    return late ? `late: ${refusalReply(late).body.trim()}` : command;
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error).body.trim();
    throw error;
  }
}

const invalid = (field: string): string => `Field name '${field}' is invalid in JSON input`;

test('a field that only an empty body may do without', () => {
  expect(read('optional', { body: '{}' })).toEqual({});
  expect(read('optional', { body: '{"text":"a","other":1}' })).toEqual({ text: 'a' });
  for (const body of ['{"other":1}', '{"text":null}', '{"Text":"a"}']) expect(read('optional', { body })).toBe(invalid('text'));
});

describe('fields of a body', () => {
  test.each<[field: string, json: string, expected: unknown]>([
    ['text', '"a"', 'a'],
    ['text', '""', ''],
    ['text', '["a"]', 'a'],
    ['text', '["a","b"]', invalid('text')],
    ['text', '[1]', invalid('text')],
    ['text', '1', invalid('text')],
    ['text', 'true', invalid('text')],
    ['text', 'null', invalid('text')],
    ['text', '{}', invalid('text')],
    ['trimmed', '" a "', 'a'],
    ['trimmed', '"  "', "Field name 'trimmed' cannot be an empty String"],
    ['trimmed', '3', invalid('trimmed')],
    // What Java's trim() takes for a blank: everything up to U+0020, and no other space.
    ['trimmed', '"\\u0001\\t\u00a0a\u2003\\n"', '\u00a0a\u2003'],
    ['nullable', 'null', null],
    ['nullable', '"x"', 'x'],
    ['nullable', '0', invalid('nullable')],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['flag', '"true"', invalid('flag')],
    ['flag', '1', invalid('flag')],
    ['flag', 'null', invalid('flag')],
    ['long', '5', 5],
    ['long', '-5', -5],
    ['long', '1.9', 1],
    ['long', '-1.9', -1],
    ['long', '-0.5', 0],
    ['long', '1e3', 1000],
    ['long', '"5"', 5],
    ['long', '"+5"', 5],
    ['long', '["-7"]', -7],
    ['long', '[7]', 7],
    ['long', '9007199254740993', 9007199254740992],
    ['long', '1e300', invalid('long')],
    ['long', '1e999', invalid('long')],
    ['long', '"1.5"', invalid('long')],
    ['long', '""', invalid('long')],
    ['long', '" 5"', invalid('long')],
    ['long', 'true', invalid('long')],
    ['long', 'null', invalid('long')],
    ['int', '2147483647', 2147483647],
    ['int', '2147483648', invalid('int')],
    ['list', '["a",["b"]]', ['a', 'b']],
    ['list', '[]', []],
    ['list', '["a",1]', invalid('list')],
    ['list', '"a"', invalid('list')],
    ['list', 'null', invalid('list')],
    ['maybeList', 'null', null],
    ['maybeList', '["a"]', ['a']],
    ['maybeList', '[null]', invalid('maybeList')],
    ['free', '{"a": 9007199254740993, "b":[1.50, null]}', '{"a":9007199254740993,"b":[1.5,null]}'],
    ['free', '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['free', '[]', invalid('free')],
    ['free', 'null', invalid('free')],
    ['maybeFree', 'null', null],
    ['maybeFree', '{}', '{}'],
    ['any', 'null', 'null'],
    ['any', '"x"', '"x"'],
    ['any', '12345678901234567890', '12345678901234567890'],
    ['items', '[{"a":1},{}]', ['{"a":1}', '{}']],
    ['items', '[1]', invalid('items')],
  ])('%s: %s', (field, json, expected) => {
    const result = read('body', { body: `{"${field}":${json}}` });
    expect(typeof result === 'string' ? result : (result as Record<string, unknown>)[field]).toEqual(expected);
  });
});

describe('bodies', () => {
  test.each<[body: string | undefined, expected: unknown]>([
    ['{"text":"a"}', { text: 'a' }],
    ['  {"text":"a","unknown":{"x":[1]},"text":"b"}\n', { text: 'b' }],
    ['{}', invalid('text')],
    ['{"text":"a","__proto__":{"long":3}}', { text: 'a' }],
    ['{"__proto__":{"text":"a"}}', invalid('text')],
    ['', 'Invalid Json Input'],
    ['null', 'Invalid Json Input'],
    ['[]', 'Invalid Json Input'],
    ['"text"', 'Invalid Json Input'],
    ["{'text':'a'}", 'Invalid Json Input'],
    ['{"text":"a"}x', 'Invalid Json Input'],
    ['{"text":"a",}', 'Invalid Json Input'],
    ['\ufeff{"text":"a"}', 'Invalid Json Input'],
    [undefined, 'Invalid Json Input'],
    [`{"text":"a","x":${'['.repeat(63)}${']'.repeat(63)}}`, { text: 'a' }],
    [`{"text":"a","x":${'['.repeat(64)}${']'.repeat(64)}}`, 'Invalid Json Input'],
    [`{"text":"a","x":${'['.repeat(2_000_000)}`, 'Invalid Json Input'],
  ])('%#', (body, expected) => expect(read('plain', body === undefined ? {} : { body })).toEqual(expected));

  const long = (count: number, letter = 'x'): string => JSON.stringify(letter.repeat(count));
  test.each<[plan: string, body: string, expected: unknown]>([
    ['plain', `{"text":${long(65_537)}}`, "Field name 'text' must not be larger than 65536 characters"],
    [
      'plain',
      `{"text":"a","list":[${long(1_200_000)},${long(1_200_000)}]}`,
      "Field name 'list' must not be larger than 2097152 characters",
    ],
    [
      'ordered',
      `{"first":${long(65_537)},"second":1,"third":"a","modern":true}`,
      "late: Field name 'first' must not be larger than 65536 characters",
    ],
    ['body', `{"free":{"a":${long(65_536)}}}`, "Field name 'free' must not be larger than 65536 bytes"],
    ['body', `{"free":{"a":${long(40_000, 'é')}}}`, "Field name 'free' must not be larger than 65536 bytes"],
    ['body', `{"maybeFree":{"${'n'.repeat(65_536)}":1}}`, "Field name 'maybeFree' must not be larger than 65536 bytes"],
  ])('a field has a limit: %s %#', (plan, body, expected) => expect(read(plan, { body })).toBe(expected));

  test('thousands of wrong items are one fault', () => {
    expect(read('plain', { body: `{"text":"a","list":[${'1,'.repeat(5_000)}1]}` })).toBe(invalid('list'));
  });
});

describe('queries', () => {
  test.each<[query: string, expected: unknown]>([
    ['text=a', { text: 'a' }],
    ['text=a&text=b', { text: 'a' }],
    ['text', { text: '' }],
    ['&&text=a%20b+c%C3%A9', { text: 'a b cé' }],
    ['', "Field name 'text' is missing in GET request"],
    ['Text=a', "Field name 'text' is missing in GET request"],
    ['text=%zz', 'Invalid query string'],
    ['text=%ff', 'Invalid query string'],
    ['text=a&int=+5', "Field name 'int' must be an int in the GET request"],
    ['text=a&int=%2B5', { text: 'a', int: 5 }],
    ['text=a&int=-2147483648', { text: 'a', int: -2147483648 }],
    ['text=a&int=2147483648', "Field name 'int' must be an int in the GET request"],
    ['text=a&int=', "Field name 'int' must be an int in the GET request"],
    ['text=a&int=1.0', "Field name 'int' must be an int in the GET request"],
    ['text=a&long=1700000000000', { text: 'a', long: 1700000000000 }],
    ['text=a&long=9223372036854775808', "Field name 'long' must be a long in the GET request"],
    ['text=a&flag=TRUE', { text: 'a', flag: true }],
    ['text=a&flag=1', { text: 'a', flag: false }],
    ['text=a&list=x,%20y%20,,', { text: 'a', list: ['x', 'y'] }],
    ['text=a&list=x%C2%A0,%01y', { text: 'a', list: ['x\u00a0', 'y'] }],
    ['text=a&list=', { text: 'a', list: [] }],
    ['long=x&text', "Field name 'long' must be a long in the GET request"],
    ['long=x', "Field name 'text' is missing in GET request"],
  ])('%s', (query, expected) => expect(read('query', { query })).toEqual(expected));
});

describe('bodies that may be left out', () => {
  test.each<[source: { body?: string; query?: string }, expected: unknown]>([
    [
      { body: '{"text":" a ","list":["x,y"]}', query: 'text=b' },
      { text: 'a', list: ['x,y'] },
    ],
    [{ body: '{}', query: 'text=b' }, invalid('text')],
    [{ body: '[]', query: 'text=b' }, 'Invalid Json Input'],
    [{ query: 'text=b' }, 'Invalid Json Input'],
    [
      { body: '', query: 'text=+b+&list=x,%20y,' },
      { text: 'b', list: ['x', 'y'] },
    ],
    [
      { body: '', query: 'text=b&list=' },
      { text: 'b', list: [] },
    ],
    [{ body: '', query: 'text=+' }, "Field name 'text' cannot be an empty String"],
    [{ body: '', query: '' }, invalid('text')],
  ])('%j', (source, expected) => expect(read('either', source)).toEqual(expected));
});

describe('order, stages and versions', () => {
  const old = traitsFor('2.20');
  const newest = traitsFor('5.6');
  test.each<[json: string, traits: Traits, expected: unknown]>([
    ['{"second":1,"modern":true}', traitsFor('5.4'), { second: 1, modern: true }],
    ['{"third":1,"second":"x","modern":1}', old, invalid('second')],
    ['{"third":1,"modern":1}', newest, invalid('third')],
    ['{"second":0,"modern":true}', traitsFor('5.4'), 'second must be > 0'],
    ['{"third":"a","modern":"ignored"}', old, { third: 'a' }],
    ['{"third":"a"}', traitsFor('2.21'), invalid('modern')],
    ['{"modern":true}', newest, invalid('latest')],
    ['{"modern":true}', traitsFor('5.5'), { modern: true }],
    ['{"first":1,"modern":true}', traitsFor('5.5'), `late: ${invalid('first')}`],
    ['{"first":1,"modern":1}', traitsFor('5.5'), invalid('modern')],
    ['{}', old, 'Give something'],
  ])('%s', (json, traits, expected) => expect(read('ordered', { body: json }, traits)).toEqual(expected));
});
