import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/http/probe-port.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';

/* The blocks of docs/tutorial.md, run in their order against a core. The page itself says what they answer. */

const PAGE = readFileSync(join(PROJECT_ROOT, 'docs', 'tutorial.md'), 'utf8');
const BLOCK = /^```(\w+)\n([\s\S]*?)^```\n([\s\S]*?)(?=^```|$(?![\s\S]))/gm;
/** The first thing that the text behind a block says of its answer. */
const ANSWER = /\banswer(?:s| has) `([^`]+)`/;
/** Where the page says that application and core are. */
const [APP, CORE] = ['http://localhost:3001', 'http://localhost:3567'];

const blocks = [...PAGE.matchAll(BLOCK)].map(([, language = '', code = '', behind = '']) => ({ language, code, behind }));
const steps = blocks.filter(({ language }) => language === 'sh');
const folder = mkdtempSync(join(tmpdir(), 'watchword-tutorial-'));
let core: RunningCore | undefined;
let app: ChildProcess | undefined;
let appUrl = '';

/** Packages as `npm install` would put them there, and `npx watchword` for the core of this test. */
function prepareFolder(): void {
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  const [code = ''] = blocks.filter(({ language }) => language === 'js').map((block) => block.code);
  expect(code).toMatch(/^\/\/ app\.mjs\n/);
  writeFileSync(join(folder, 'app.mjs'), code);
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(PROJECT_ROOT, 'dist/src/cli.js')}" "$@" --url "${core?.url}"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx);
  chmodSync(join(folder, 'bin/npx'), 0o755);
}

beforeAll(async () => {
  core = await startCore();
  prepareFolder();
  const port = await freePort('127.0.0.1');
  appUrl = `http://localhost:${port}`;
  const env = { PATH: process.env['PATH'], PORT: String(port), CORE_URL: core.url };
  app = spawn(process.execPath, ['app.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(app.stdout ?? app, 'data')) as [Buffer];
  expect(String(said)).toBe('the shop is open\n');
});

afterAll(async () => {
  app?.kill();
  await core?.stop();
  rmSync(folder, { recursive: true });
});

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const asPattern = (answer: string): RegExp => new RegExp(answer.split('…').map(literal).join('.+'));

test('its steps answer what it says', async () => {
  expect(PAGE).toContain(`CORE_URL ?? '${CORE}'`);
  expect(steps.length).toBeGreaterThan(5);
  const run = promisify(execFile);
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  for (const { code, behind } of steps) {
    const { stdout } = await run('sh', ['-e', '-c', code.replaceAll(APP, appUrl)], { cwd: folder, env });
    const [, answer] = ANSWER.exec(behind) ?? [];
    if (answer !== undefined) expect(stdout, code).toMatch(asPattern(answer));
  }
  expect(steps.filter(({ behind }) => ANSWER.test(behind)).length).toBeGreaterThan(4);
});
