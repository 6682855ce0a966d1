import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../../src/http/probe-port.ts';
import { PROJECT_ROOT } from '../running-core.ts';

/** A block of code of a page, and the text from there to the next block. */
export interface Block {
  readonly language: string;
  readonly code: string;
  readonly behind: string;
}

const BLOCK = /^```(\w+)\n([\s\S]*?)^```\n([\s\S]*?)(?=^```|$(?![\s\S]))/gm;

export const pageOf = (name: string): string => readFileSync(join(PROJECT_ROOT, 'docs', name), 'utf8');

/** Blocks that name a language, in their order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(BLOCK)].map(([, language = '', code = '', behind = '']) => ({ language, code, behind }));

/** The one block of JavaScript on a page. */
export function scriptOf(page: string): string {
  const scripts = blocksOf(page).filter(({ language }) => language === 'js');
  expect(scripts).toHaveLength(1);
  return scripts[0]?.code ?? '';
}

/** A program of a page that runs. */
export interface PageApp {
  readonly url: string;
  readonly stop: () => void;
}

/** Runs a program in a folder that has the packages of this project, and waits for its first line. */
export async function startPageApp(folder: string, code: string, coreUrl: string, line: string): Promise<PageApp> {
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'app.mjs'), code);
  const port = await freePort('127.0.0.1');
  const env = { PATH: process.env['PATH'], PORT: String(port), CORE_URL: coreUrl };
  const app = spawn(process.execPath, ['app.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(app.stdout, 'data')) as [Buffer];
  expect(String(said)).toBe(`${line}\n`);
  return { url: `http://localhost:${port}`, stop: () => app.kill() };
}
