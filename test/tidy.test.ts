import { describe, expect, test } from 'vitest';
import { functionsOf, lineOf, readSources, type SourceFile } from './tidy/source-tree.ts';

/** The rules of the house, read from the sources themselves: who may import whom, and what may not be written at all. */
const sources = readSources('src', 'workers');

/** Which rooms a room may import from, besides itself. Rooms missing here (the composition at the top of src) may import all. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  threads: ['blocklist', 'doctor', 'http', 'jobs', 'recipes', 'lanes', 'outbound', 'store', 'crypto', 'config', 'observe'],
  http: ['recipes', 'lanes', 'store', 'config', 'cdi', 'json', 'observe', 'generated'],
  recipes: ['lanes', 'outbound', 'store', 'crypto', 'config', 'cdi', 'json', 'generated', 'caches'],
  transfer: ['recipes', 'lanes', 'store', 'crypto', 'config', 'json'],
  cli: ['blocklist', 'doctor', 'transfer', 'http', 'recipes', 'lanes', 'store', 'crypto', 'config', 'jobs'],
  jobs: ['recipes', 'store'],
  doctor: ['blocklist', 'http', 'transfer', 'jobs', 'recipes', 'store', 'crypto', 'config'],
  observe: ['lanes', 'store', 'config', 'json', 'caches'],
  blocklist: ['store', 'config'],
  store: [],
  lanes: ['crypto', 'caches'],
  crypto: ['config', 'json', 'cdi', 'caches'],
  outbound: [],
  workers: ['lanes', 'crypto', 'recipes'],
  config: ['cdi', 'caches'],
  cdi: [],
  json: [],
  caches: [],
};

/**
 * The floors of the recipes, the lowest first: a folder or file imports from lower floors and from itself only. What stands on one floor does not know its
 * neighbours; so there is no circle. The `recipe.ts` of a folder, its face, stands above all folders, and nobody but the list of recipes imports it.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['audit', 'backups', 'overview', 'uploads', 'refusal', 'retry-while-stale', 'normalise', 'key-value', 'statistics'],
  ['tenants', 'bulk-user-ids', 'active-users'],
  ['accounts', 'operators', 'signing-keys', 'scope'],
  ['session-records', 'user-data'],
  ['context'],
  ['route'],
  ['list-answer', 'recipe', 'email-verification', 'totp', 'user-metadata'],
  ['multitenancy', 'saml', 'session', 'user-id-mapping', 'user-roles', 'users'],
  ['account-linking', 'email-password', 'jwt', 'passwordless', 'service', 'third-party', 'webauthn'],
  ['bulk-import', 'dashboard', 'management', 'webhooks'],
  ['admin'],
  ['face'],
  ['recipes'],
  ['routes'],
];

/** Whose records those of the ground rooms are, which several recipes build on. */
const OWNERS: Readonly<Record<string, string>> = {
  tenants: 'multitenancy',
  accounts: 'users',
  'session-records': 'session',
  operators: 'admin',
};

/** Packages that only one room may know of, so that replacing them is the work of one room. */
const PACKAGE_ROOMS: Readonly<Record<string, string>> = {
  'uWebSockets.js': 'http',
  lmdb: 'store',
  'fs-native-extensions': 'store',
  pg: 'store',
  msgpackr: 'store',
  'ordered-binary': 'store',
  piscina: 'lanes',
  'xml-crypto': 'crypto',
  '@xmldom/xmldom': 'crypto',
  'hash-wasm': 'crypto',
  '@node-rs/argon2': 'crypto',
  '@levischuck/tiny-cbor': 'crypto',
  yaml: 'config',
  re2js: 'config',
  pino: 'observe',
  'prom-client': 'observe',
  '@opentelemetry/api': 'observe',
  '@opentelemetry/otlp-transformer': 'observe',
  '@opentelemetry/resources': 'observe',
  '@opentelemetry/sdk-trace': 'observe',
};

const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 70;
const MOST_COLUMNS_OF_A_COMMENT = 120;

function roomOf(path: string): string {
  const [top = '', room = '', ...rest] = path.split('/');
  if (top === 'workers') return 'workers';
  return rest.length === 0 ? 'top' : room;
}

/** Every place where a pattern stands in the sources, as `path:line: text`. */
function places(pattern: RegExp, view: 'code' | 'bare', outside: (file: SourceFile) => boolean = () => true): readonly string[] {
  return sources.filter(outside).flatMap((file) =>
    [...file[view].matchAll(new RegExp(pattern, 'g'))].map((match) => {
      const line = lineOf(file[view], match.index);
      return `${file.path}:${line}: ${file.text.split('\n')[line - 1]?.trim()}`;
    }),
  );
}

describe('arrows', () => {
  test('a room imports only from the rooms below it', () => {
    const wrong = sources.flatMap((file) => {
      const room = roomOf(file.path);
      const allowed = ARROWS[room];
      const bad =
        allowed === undefined ? [] : file.imports.filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)));
      return bad.map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('no engine of the store is named outside of it, but where it is chosen, and within by its door alone', () => {
    // A move reads databases of another product, whose options are called after them.
    const rooms = ['src/store/', 'src/config/', 'src/transfer/migrate/'];
    const isInside = ({ path }: SourceFile): boolean => rooms.some((room) => path.startsWith(room));
    const naming = /\blmdb\b|\.mdb\b|\bpostgres|'memory'|store\/memory/i;
    expect(sources.filter((file) => !isInside(file) && naming.test(file.text)).map(({ path }) => path)).toEqual([]);
    const isEngine = (path: string): boolean => /^src\/store\/(?:lmdb\/|memory\.ts)/.test(path);
    const doors = ['src/store/open-store.ts', 'src/store/plan.ts'];
    const wrong = sources.flatMap(({ path, imports }) =>
      isEngine(path) || doors.includes(path) ? [] : imports.filter(isEngine).map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every room has its rule', () => {
    const rooms = new Set(sources.map((file) => roomOf(file.path)));
    expect([...rooms].filter((room) => room !== 'top' && !(room in ARROWS))).toEqual([]);
  });

  const recipeOf = (path: string): string => (path.split('/')[2] ?? '').replace(/\.ts$/, '');
  const inRecipes = (path: string): boolean => path.startsWith('src/recipes/');

  const isFace = (path: string): boolean => /^src\/recipes\/[^/]+\/recipe\.ts$/.test(path);

  test('a recipe imports from lower floors only', () => {
    const floorOf = new Map(FLOORS.flatMap((names, floor) => names.map((name) => [name, floor] as const)));
    const recipes = sources.filter(({ path }) => inRecipes(path));
    const names = new Set(recipes.map(({ path }) => recipeOf(path)));
    expect([...floorOf.keys()].toSorted(), 'every folder and file of src/recipes has a floor in FLOORS').toEqual(
      [...names, 'face'].toSorted(),
    );
    const floor = (path: string): number => floorOf.get(isFace(path) ? 'face' : recipeOf(path)) ?? Number.NaN;
    const wrong = recipes.flatMap(({ path, imports }) =>
      imports
        .filter((target) => inRecipes(target) && recipeOf(target) !== recipeOf(path) && !(floor(target) < floor(path)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the faces of recipes are known to their list only', () => {
    const others = sources.filter(({ path }) => path !== 'src/recipes/recipes.ts');
    const wrong = others.flatMap(({ path, imports }) => imports.filter(isFace).map((face) => `${path} imports ${face}`));
    expect(wrong).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' > '));
      if (way.includes(path) || done.has(path)) return;
      for (const target of importsOf.get(path) ?? []) visit(target, [...way, path]);
      done.add(path);
    };
    for (const path of importsOf.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });

  test("a recipe calls another recipe's functions, never its records", () => {
    const isRecord = (target: string): boolean => /^src\/recipes\/[^/]+\/(?:[a-z]+-)?records\.ts$/.test(target);
    const mayUse = (path: string, target: string): boolean =>
      recipeOf(path) === recipeOf(target) || recipeOf(path) === OWNERS[recipeOf(target)];
    const wrong = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => isRecord(target) && inRecipes(path) && !mayUse(path, target)).map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('a package is imported in its room only', () => {
    const wrong = sources.flatMap((file) =>
      file.packages
        .filter(
          (name) =>
            name in PACKAGE_ROOMS &&
            PACKAGE_ROOMS[name] !== roomOf(file.path) &&
            !(roomOf(file.path) === 'workers' && PACKAGE_ROOMS[name] === 'lanes'),
        )
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('what is not written', () => {
  const outsideOf = (folder: string) => (file: SourceFile) => !file.path.startsWith(folder);

  test('version numbers are compared in src/cdi only', () => {
    expect(places(/\bcompareVersions\b/, 'code', outsideOf('src/cdi/'))).toEqual([]);
    // XML documents say their own version.
    const literals = places(/(['"])\d\.\d{1,2}\1/, 'code', outsideOf('src/cdi/'));
    expect(literals.filter((place) => !/\b[Vv]ersion="/.test(place))).toEqual([]);
  });

  test('the environment is read in src/config only', () => {
    expect(places(/\bprocess\s*\.\s*env\b|\bprocess\[/, 'bare', outsideOf('src/config/'))).toEqual([]);
  });

  test('the time of day is read where threads are composed or something is stamped, and handed down as `now`', () => {
    const composing = ['http-thread', 'http-services', 'jobs-thread', 'main-tasks', 'thread-desk', 'threads', 'tell-reload'].map(
      (name) => `threads/${name}.ts`,
    );
    const stamping = [
      'observe/traces/traces.ts',
      'observe/log.ts',
      'observe/product-series.ts',
      'observe/series.ts',
      'transfer/write-to-store.ts',
      'transfer/backup/write-backup.ts',
      'cli/folder-core.ts',
      'cli/audit.ts',
      'cli/copy.ts',
      'cli/restore.ts',
      'cli/doctor.ts',
      'cli/migrate.ts',
    ];
    const allowed = [...composing, ...stamping].map((path) => `src/${path}`);
    expect(places(/\bDate\s*\.\s*now\b|\bnew Date\(\)/, 'bare', (file) => !allowed.includes(file.path))).toEqual([]);
  });

  test('nothing answers 429; only imports and traces, as clients, know what it means', () => {
    const clients = ['src/transfer/', 'src/observe/traces/'];
    const others = ({ path }: SourceFile): boolean => !clients.some((folder) => path.startsWith(folder));
    expect(places(/\b429\b/, 'code', others)).toEqual([]);
  });

  test('no any, no non-null assertion, no double cast', () => {
    expect(places(/:\s*any\b|\bas any\b|<any\b|\bany\[\]/, 'bare')).toEqual([]);
    expect(places(/[\w)\]]!(?![=\w])/, 'bare')).toEqual([]);
    expect(places(/\bas unknown as\b/, 'bare')).toEqual([]);
  });

  test('no name that says nothing', () => {
    const empty = /\b(?:utils?|helpers?|common|managers?|misc)\b|[a-z](?:Utils?|Helpers?|Managers?|Misc)\b/;
    expect(places(empty, 'bare')).toEqual([]);
    expect(
      sources.map((file) => file.path).filter((path) => /(?:^|[/-])(?:utils?|helpers?|common|managers?|misc)(?:[/.-]|$)/i.test(path)),
    ).toEqual([]);
  });

  test('no unfinished work', () => {
    const others = readSources('test').filter((file) => file.path !== 'test/tidy.test.ts');
    const all = [...sources, ...others].filter((file) => /\b(?:TODO|FIXME|XXX)\b/.test(file.text)).map((file) => file.path);
    expect(all).toEqual([]);
  });

  test('file names are kebab-case', () => {
    const wrong = [...sources, ...readSources('test')]
      .map((file) => file.path)
      .filter((path) => !/^[a-z0-9/-]+(?:\.test|\.d)?\.ts$/.test(path));
    expect(wrong).toEqual([]);
  });
});

describe('what chance decides', () => {
  const tests = readSources('test').filter((file) => file.path !== 'test/tidy.test.ts');
  const pathsOf = (files: readonly SourceFile[]): readonly string[] => files.map((file) => file.path);

  test('drawn cases are the same on every day', () => {
    const drawing = tests.filter((file) => /\bfc\.(?:assert|check|sample)\(/.test(file.bare));
    expect(drawing.length).toBeGreaterThan(10);
    expect(pathsOf(drawing.filter((file) => !/\bseed\b/.test(file.bare)))).toEqual([]);
  });

  test('no test asks how fast the machine is', () => {
    const clock = String.raw`(?:performance\.now\(\)|Date\.now\(\)|process\.hrtime\b)`;
    const timed = new RegExp(String.raw`expect\([^;]*${clock}[^;]*\)\s*\.toBeLessThan`);
    expect(pathsOf(tests.filter((file) => timed.test(file.bare)))).toEqual([]);
  });
});

describe('sizes', () => {
  test(`files have at most ${MOST_LINES_OF_A_FILE} lines`, () => {
    const long = [...sources, ...readSources('test')].map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }));
    expect(long.filter((file) => file.lines > MOST_LINES_OF_A_FILE)).toEqual([]);
  });

  test(`functions have at most ${MOST_LINES_OF_A_FUNCTION} lines`, () => {
    const long = sources.flatMap((file) => functionsOf(file).map((one) => ({ path: `${file.path}:${one.line}`, lines: one.lines })));
    expect(long.filter((one) => one.lines > MOST_LINES_OF_A_FUNCTION)).toEqual([]);
  });

  test(`comments have at most ${MOST_COLUMNS_OF_A_COMMENT} columns`, () => {
    const isWide = (line: string): boolean => line.length > MOST_COLUMNS_OF_A_COMMENT && /^ *(?:\/\/|\/\*|\*[ /])/.test(line);
    const wide = sources.flatMap(({ path, text }) => text.split('\n').flatMap((line, at) => (isWide(line) ? [`${path}:${at + 1}`] : [])));
    expect(wide).toEqual([]);
  });
});
