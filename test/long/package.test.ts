import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';

/** What somebody gets who packs the project and installs the package elsewhere. */

const run = promisify(execFile);
const NPM_LIMIT_MS = 240_000;
/** Modules, bundles of them, pages, manifest, packed; ten times as much would be tests or somebody else's binaries. */
const MOST_PACKED_BYTES = 3_000_000;

const folder = mkdtempSync(join(tmpdir(), 'watchword-package-'));
const prefix = join(folder, 'installed');
const command = join(prefix, 'node_modules', '.bin', 'watchword');
let archive = '';

beforeAll(async () => {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PROJECT_ROOT });
  archive = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  const flags = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...flags, archive], { cwd: folder, timeout: NPM_LIMIT_MS });
}, NPM_LIMIT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds the program and no tests, sources or binaries of others', async () => {
  const { stdout } = await run('tar', ['-tzf', archive]);
  const files = stdout.trim().split('\n');
  expect(files).toContain('package/dist/src/main.js');
  expect(files).toContain('package/dist/api/docs.html.gz');
  // Where docs/deployment.md takes it from.
  expect(files).toContain('package/deploy/systemd/watchword.service');
  expect(files.filter((file) => /^package\/(?:test|src|bench|node_modules)\/|\.(?:node|map|ts)$/.test(file))).toEqual([]);
  expect(statSync(archive).size).toBeLessThan(MOST_PACKED_BYTES);
  expect(existsSync(join(prefix, 'node_modules', 'vitest'))).toBe(false);
});

test('the installed command tells its version, serves with the settings of npm start, and stops', async () => {
  expect((await run(command, ['version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const core = spawn(command, ['start', '--port', '0', '--data-dir', join(folder, 'data')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(core, 'exit');
  const limit = setTimeout(() => core.kill('SIGKILL'), 60_000);
  const port = await new Promise<string>((resolve, reject) => {
    let written = '';
    core.stdout.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      const [, found, pid] = /^Started Watchword on \S+:(\d+) with PID: (\d+)$/m.exec(written) ?? [];
      // The command has become the core: no process stands between it and who started it.
      if (found !== undefined && Number(pid) !== core.pid) reject(new Error(`${core.pid} started ${pid}`));
      else if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(written)));
  });
  expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).text()).toBe('Hello\n');
  for (const path of ['/openapi.json', '/docs', '/docs/reference.css'])
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
  core.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
  clearTimeout(limit);
});

test('npx finds it', async () => {
  expect((await run('npx', ['--no-install', 'watchword', 'version'], { cwd: prefix })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
