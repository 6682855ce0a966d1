import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from './running-core.ts';

/* Links from page to page: the file must be there, and the heading too. */

const below = (folder: string): readonly string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(PROJECT_ROOT, folder, name));
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md'].map((name) => join(PROJECT_ROOT, name)),
  ...['docs', 'schemas', 'bench'].flatMap(below).filter((path) => path.endsWith('.md')),
];
const LINK = /\]\(([^)\s]+)\)/g;

/** Blocks and spans of code hold no links. */
const proseOf = (page: string): string =>
  readFileSync(page, 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, (span) => span.replaceAll(/[[\]()]/g, ' '));

/** The names of headings as they stand in links: lower case, hyphens for blanks, no other marks. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  const where = `${relative(PROJECT_ROOT, page)}: ${link}`;
  if (!existsSync(target)) return where;
  if (anchor === undefined || statSync(target).isDirectory() || !target.endsWith('.md')) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${where} (no such heading)`;
}

test('README leads to every page of docs', () => {
  const linked = new Set([...proseOf(join(PROJECT_ROOT, 'README.md')).matchAll(LINK)].map(([, link = '']) => link.split('#')[0]));
  const pages = readdirSync(join(PROJECT_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  expect(pages.filter((name) => !linked.has(`docs/${name}`))).toEqual([]);
});

test('links of pages lead somewhere', () => {
  const links = PAGES.flatMap((page) => [...proseOf(page).matchAll(LINK)].map(([, link = '']) => [page, link] as const));
  expect(links.length).toBeGreaterThan(100);
  expect(links.map(([page, link]) => faultOf(page, link)).filter((fault) => fault !== undefined)).toEqual([]);
});
