import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { GROUPS } from '../../src/cli/groups.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { PROJECT_ROOT } from '../running-core.ts';

/** Command lines that help and pages show: the parser must take them as they are printed. */

const FOLDERS = ['docs', 'docs/moving'];
const pagesIn = (folder: string): readonly string[] =>
  readdirSync(join(PROJECT_ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []));
const PAGES = ['README.md', ...FOLDERS.flatMap(pagesIn)];

/** What stands behind the word `watchword` in blocks and spans of code, up to a pipe, a redirection or a remark. */
function shownOn(page: string): readonly string[] {
  const text = readFileSync(join(PROJECT_ROOT, page), 'utf8');
  const lines = [...text.matchAll(/(?:^ *|`)(?:npx )?watchword ([a-z][^`\n]*)/gm)].map(([, line = '']) => line);
  return lines.map((line) => line.split(/ +(?:#|\||>|&)/)[0] ?? '').filter((line) => line.includes(' '));
}

/** Why the parser does not take a line; undefined where it does. */
async function faultOf(line: string): Promise<string | undefined> {
  const words = line.trim().split(/ +/);
  const program = await buildProgram(words[0], async () => {});
  const quiet = { writeOut: () => {}, writeErr: () => {} };
  program.configureOutput(quiet);
  for (const command of program.commands) {
    command.configureOutput(quiet);
    for (const below of command.commands) below.configureOutput(quiet);
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return `watchword ${line}: ${String(error)}`;
  }
}

async function faultsIn(lines: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const line of lines) faults.push(...[await faultOf(line)].filter((fault) => fault !== undefined));
  return faults;
}

test('of help', async () => {
  const lines: string[] = [];
  for (const { load } of Object.values(GROUPS)) {
    const loaded = await load();
    const bound = 'commands' in loaded ? loaded.commands : [loaded];
    lines.push(...bound.flatMap(({ command }) => command.examples.map((line) => line.split(/ +[|>]/)[0] ?? '')));
  }
  expect(lines.length).toBeGreaterThan(50);
  expect(await faultsIn(lines)).toEqual([]);
});

test('of README and docs', async () => {
  const lines = PAGES.flatMap(shownOn);
  expect(lines.length).toBeGreaterThan(20);
  expect(await faultsIn(lines)).toEqual([]);
});
