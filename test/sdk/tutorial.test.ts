import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { blocksOf, type PageApp, pageOf, scriptOf, startPageApp } from './tutorial-app.ts';

/* The blocks of docs/tutorial.md, run in their order against a core. The page itself says what they answer. */

const PAGE = pageOf('tutorial.md');
/** The first thing that the text behind a block says of its answer. */
const ANSWER = /\banswer(?:s| has) `([^`]+)`/;
/** Where the page says that application and core are. */
const [APP, CORE] = ['http://localhost:3001', 'http://localhost:3567'];

const steps = blocksOf(PAGE).filter(({ language }) => language === 'sh');
const folder = mkdtempSync(join(tmpdir(), 'watchword-tutorial-'));
let core: RunningCore | undefined;
let app: PageApp | undefined;

beforeAll(async () => {
  core = await startCore();
  // `npx watchword`, for the core of this test.
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(PROJECT_ROOT, 'dist/src/cli.js')}" "$@" --url "${core.url}"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx);
  chmodSync(join(folder, 'bin/npx'), 0o755);
  const script = scriptOf(PAGE);
  expect(script).toMatch(/^\/\/ app\.mjs\n/);
  expect(script).toContain(`CORE_URL ?? '${CORE}'`);
  app = await startPageApp(folder, script, core.url, 'the shop is open');
});

afterAll(async () => {
  app?.stop();
  await core?.stop();
  rmSync(folder, { recursive: true });
});

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const asPattern = (answer: string): RegExp => new RegExp(answer.split('…').map(literal).join('.+'));

test('its steps answer what it says', async () => {
  expect(steps.length).toBeGreaterThan(5);
  const run = promisify(execFile);
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  for (const { code, behind } of steps) {
    const { stdout } = await run('sh', ['-e', '-c', code.replaceAll(APP, app?.url ?? '')], { cwd: folder, env });
    const [, answer] = ANSWER.exec(behind) ?? [];
    if (answer !== undefined) expect(stdout, code).toMatch(asPattern(answer));
  }
  expect(steps.filter(({ behind }) => ANSWER.test(behind)).length).toBeGreaterThan(4);
});
