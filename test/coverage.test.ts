import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../src/recipes/routes.ts';
import { PROJECT_ROOT } from './running-core.ts';

/** An endpoint of the interface. */
interface Endpoint {
  readonly path: string;
  readonly methods: readonly string[];
  readonly recipe: string;
  readonly scope: string;
  /** The CDI version that introduced it; none for endpoints of ours. */
  readonly since?: string;
  /** False while no recipe serves it. */
  readonly isServed?: false;
  /** Only for a path that several recipes share. */
  readonly rid?: string;
  /** The endpoint whose behaviour this one repeats under another name. */
  readonly aliasOf?: string;
}

const endpoints: readonly Endpoint[] = JSON.parse(readFileSync(join(PROJECT_ROOT, 'schemas', 'endpoints.json'), 'utf8'));

const named = (method: string, path: string, rid?: string): string => `${method} ${path}${rid === undefined ? '' : ` rid ${rid}`}`;
const listed = new Map(endpoints.flatMap((one) => one.methods.map((method) => [named(method, one.path, one.rid), one] as const)));
const served = ROUTES.map((row) => named(row.method, row.path, row.rid));

describe('endpoints', () => {
  test('the list names each of them once', () => {
    const all = endpoints.flatMap((one) => one.methods.map((method) => named(method, one.path, one.rid)));
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  });

  test('the rows name each of them once', () => {
    expect(served.filter((name, at) => served.indexOf(name) !== at)).toEqual([]);
  });

  test('every row is in the list', () => {
    expect(
      served.filter((name) => !listed.has(name)),
      'add them to schemas/endpoints.json',
    ).toEqual([]);
  });

  test('the list says which are served', () => {
    const said = [...listed].filter(([, { isServed }]) => isServed !== false).map(([name]) => name);
    expect(said.toSorted()).toEqual(served.toSorted());
  });

  test('those of the interface say since when; ours stand apart, and name what their keys must be good for', () => {
    const isOurs = ({ path }: { readonly path: string }): boolean => path.startsWith('/manage/');
    expect(endpoints.filter((one) => isOurs(one) === (one.since !== undefined)).map(({ path }) => path)).toEqual([]);
    expect(ROUTES.filter((row) => isOurs(row) === (row.needs === 'cdi')).map(({ path }) => path)).toEqual([]);
  });

  test('an alias repeats an endpoint of the list', () => {
    expect(endpoints.flatMap((one) => one.aliasOf ?? []).filter((name) => !listed.has(name))).toEqual([]);
  });
});

describe('schemas', () => {
  const files = readdirSync(join(PROJECT_ROOT, 'schemas'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.includes('/') && file.endsWith('.json'));
  const inputFile = (name: string): string => `${name}.json`;
  const responseFile = (name: string): string => `${name}.response.json`;
  const used = new Set(
    ROUTES.flatMap((row) => [
      ...[row.input, row.rawInput].flatMap((name) => (name === undefined ? [] : [inputFile(name)])),
      responseFile(row.response),
    ]),
  );

  test('every row has its schemas', () => {
    expect([...used].filter((file) => !existsSync(join(PROJECT_ROOT, 'schemas', file)))).toEqual([]);
  });

  test('every schema is used by a row, or by a schema that is', () => {
    const referred = new Set(files.flatMap((file) => refersTo(file)));
    expect(files.filter((file) => !used.has(file) && !referred.has(file))).toEqual([]);
  });
});

/** The schema files that a schema file points to. */
function refersTo(file: string): readonly string[] {
  const text = readFileSync(join(PROJECT_ROOT, 'schemas', file), 'utf8');
  return [...text.matchAll(/"\$ref":\s*"([^"#]+)/g)].map((match) => posix.join(posix.dirname(file), String(match[1])));
}

describe('citations', () => {
  const map = readFileSync(join(PROJECT_ROOT, 'docs', 'contract-map.md'), 'utf8');

  /** `2.1 - 2.5` holds `2.3`, `4` holds all of `4.1`. */
  const isWithin = (section: string, cell: string): boolean =>
    cell.split(', ').some((part) => {
      const [first = '', last = first] = part.split(' - ');
      const [chapter, place = 0] = section.split('.').map(Number);
      const [ofChapter, from = 0] = first.split('.').map(Number);
      const [, to = Number.POSITIVE_INFINITY] = last.split('.').map(Number);
      return chapter === ofChapter && from <= place && place <= to;
    });

  test('each is explained by the map', () => {
    const folder = join(PROJECT_ROOT, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const cited = files.flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/contract (\d\d) sections? (\d+(?:\.\d+)?)(?:(?:,| and) (\d+\.\d+))?/g),
    ]);
    const named = cited.flatMap(([, document = '', ...sections]) => sections.filter(Boolean).map((section) => ({ document, section })));
    expect(named.length).toBeGreaterThan(200);
    const unexplained = named.filter(({ document, section }) => {
      const chapter = map.split(/^### /m).find((part) => part.startsWith(document)) ?? '';
      const cells = [...chapter.matchAll(/^\| ([\d., -]+) \|/gm)].map(([, cell = '']) => cell);
      return !cells.some((cell) => isWithin(section, cell));
    });
    expect(unexplained).toEqual([]);
  });
});
