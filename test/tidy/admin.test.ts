import { describe, expect, test } from 'vitest';
import { functionsOf, readSources } from './source-tree.ts';

/* The rules of the house for the sources of the admin page. */

const GENERATED = 'admin/generated/';
const TEXTS = 'admin/texts.ts';
const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 70;

/** What each room may import from, besides itself. Pages are loaded by `admin/app/pages.ts`, when somebody opens them. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  ui: [TEXTS],
  app: ['ui', TEXTS, GENERATED],
  pages: ['app', 'ui', TEXTS, GENERATED],
};
/** Data of the core that no endpoint tells. */
const OF_THE_CORE = ['src/recipes/audit/kinds.ts'];

const sources = readSources('admin').filter(({ path }) => !path.startsWith(GENERATED));
const isIn = (path: string, room: string): boolean => path === room || path.startsWith(room) || path.startsWith(`admin/${room}/`);

describe('the sources of the admin page', () => {
  test('are found', () => {
    expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(['admin/main.tsx', TEXTS, 'admin/ui/table.tsx']));
  });

  test('import from lower rooms only', () => {
    const wrong = Object.entries(ARROWS).flatMap(([room, lower]) =>
      sources
        .filter(({ path }) => isIn(path, room))
        .flatMap(({ path, imports }) =>
          imports
            .filter((target) => path !== 'admin/app/pages.ts' && ![room, ...lower, ...OF_THE_CORE].some((place) => isIn(target, place)))
            .map((target) => `${path} imports ${target}`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test(`have at most ${MOST_LINES_OF_A_FILE} lines a file, but for the texts, and ${MOST_LINES_OF_A_FUNCTION} a function`, () => {
    const files = sources.filter(({ path, text }) => path !== TEXTS && text.split('\n').length > MOST_LINES_OF_A_FILE);
    expect(files.map(({ path }) => path)).toEqual([]);
    const long = sources.flatMap((file) => functionsOf(file).map(({ line, lines }) => ({ at: `${file.path}:${line}`, lines })));
    expect(long.filter(({ lines }) => lines > MOST_LINES_OF_A_FUNCTION)).toEqual([]);
  });

  test('say what they say in texts.ts', () => {
    // Words between tags, or in attributes that people read.
    const words = />\s*[A-Z][a-z]+ [a-z]+[^<{]*<|\b(?:title|label|placeholder|aria-label)="[A-Z][a-z]+/g;
    const found = sources.flatMap(({ path, code }) =>
      path.endsWith('.tsx') ? [...code.matchAll(words)].map(([text]) => `${path}: ${text}`) : [],
    );
    expect(found).toEqual([]);
  });
});
