import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const { generate } = (await import(path.join(ROOT, 'scripts', 'generate.mjs'))) as {
  generate: (folders: { schemas: string; target: string }) => Promise<boolean>;
};

let folder = '';
const folders = (): { schemas: string; target: string } => ({
  schemas: path.join(folder, 'schemas'),
  target: path.join(folder, 'generated'),
});
const write = (name: string, text: string): void => writeFileSync(path.join(folder, 'schemas', name), text);
const made = (name: string): string => readFileSync(path.join(folder, 'generated', name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'generate-'));
  mkdirSync(path.join(folder, 'schemas', 'a'), { recursive: true });
  write('cdi.json', readFileSync(path.join(ROOT, 'schemas', 'cdi.json'), 'utf8'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = { 'x-in': 'body', properties: { b: { $ref: '../cdi.json#/$defs/string', minLength: 1 } }, required: ['b'] };

describe('npm run generate', () => {
  test.each<[fault: string, text: string, message: RegExp]>([
    ['no JSON', '{', /Expected|Unexpected/],
    ['an unknown type', JSON.stringify({ ...GOOD, properties: { b: { type: 'strin' } } }), /schema is invalid/],
    [
      'an unknown keyword',
      JSON.stringify({ ...GOOD, properties: { b: { type: 'string', minLenght: 1 } } }),
      /unknown keyword: "minLenght"/,
    ],
    ['a reference to nothing', JSON.stringify({ ...GOOD, properties: { b: { $ref: '../cdi.json#/$defs/text' } } }), /nothing at \$ref/],
    ['a reference to itself', JSON.stringify({ ...GOOD, properties: { b: { $ref: '#/properties/b' } } }), /refers to itself/],
    ['no source', JSON.stringify({ properties: {} }), /"x-in" must be/],
    ['a required field that is not described', JSON.stringify({ ...GOOD, required: ['c'] }), /required field "c" has no property/],
    ['an unknown trait', JSON.stringify({ ...GOOD, properties: { b: { type: 'string', 'x-trait': 'new' } } }), /there is no trait "new"/],
    ['an unknown stage', JSON.stringify({ ...GOOD, properties: { b: { type: 'string', 'x-stage': 'soon' } } }), /can only be "late"/],
  ])('names the file with %s', async (_, text, message) => {
    write('a/good.json', JSON.stringify(GOOD));
    write('a/broken.json', text);
    const failure = await generate(folders()).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(failure).toMatch(/^schemas\/a\/broken\.json: /);
    expect(failure).toMatch(message);
  });

  test('a broken answer is named too', async () => {
    write('a/broken.response.json', '{"type":"objekt"}');
    await expect(generate(folders())).rejects.toThrow('schemas/a/broken.response.json');
  });

  test('works again when a schema changed, and makes the same of the same', async () => {
    write('a/good.json', JSON.stringify(GOOD));
    expect(await generate(folders())).toBe(true);
    expect(await generate(folders())).toBe(false);
    const before = ['inputs.ts', 'commands.ts', 'schemas.ts'].map(made);
    write('a/other.json', JSON.stringify({ 'x-in': 'query', properties: { n: { $ref: '../cdi.json#/$defs/queryInt' } } }));
    expect(await generate(folders())).toBe(true);
    expect(made('commands.ts')).toContain('a/other');
    rmSync(path.join(folder, 'schemas', 'a', 'other.json'));
    expect(await generate(folders())).toBe(true);
    expect(['inputs.ts', 'commands.ts', 'schemas.ts'].map(made)).toEqual(before);
  });

  test('types tell optional, free-form and nullable fields', async () => {
    const fields = Object.fromEntries(
      ['long', 'object', 'stringOrNull', 'strings'].map((name) => [name, { $ref: `../cdi.json#/$defs/${name}` }]),
    );
    write('a/typed.json', JSON.stringify({ 'x-in': 'body', properties: fields, required: ['long', 'object'] }));
    await generate(folders());
    const types = made('commands.ts').replace(/\s+/g, ' ');
    expect(types).toContain('long: number');
    expect(types).toContain('object: JsonText');
    expect(types).toContain('stringOrNull?: (string | null | undefined)');
    expect(types).toContain('strings?: (string[] | undefined)');
  });
});
