import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';

/* The unit of deploy/systemd: read as systemd reads it, and its commands run as it would run them. */

const run = promisify(execFile);
const UNIT = readFileSync(join(PROJECT_ROOT, 'deploy', 'systemd', 'watchword.service'), 'utf8');
const INSTALLED = '/opt/watchword/node_modules/.bin/watchword';
const PATIENCE_MS = 20_000;
/** Of 100: what `systemd-analyze security` may find at most; 15 and more would be worse than today. */
const MOST_EXPOSURE = 16;

const folder = mkdtempSync(join(tmpdir(), 'watchword-systemd-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

/** The unit as it would stand on a machine where this checkout is installed. */
function installed(): string {
  const file = join(folder, 'watchword.service');
  expect(UNIT).toContain(`ExecStart=${INSTALLED} start `);
  writeFileSync(file, UNIT.replaceAll(INSTALLED, join(PROJECT_ROOT, 'scripts', 'watchword')));
  return file;
}

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasAnalyze) console.log('systemd-analyze is not installed: the unit is not judged by it');

describe.skipIf(!hasAnalyze)('systemd', () => {
  test('finds nothing wrong with it', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', installed()]);
    // It speaks of units of this machine too.
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('watchword'))).toEqual([]);
  });

  test('would say so if there were', async () => {
    const file = join(folder, 'wrong.service');
    writeFileSync(file, UNIT.replace('ProtectSystem=strict', 'ProtectSystems=strict'));
    const said = await run('systemd-analyze', ['verify', '--man=no', file]).catch((error: { stderr: string }) => error);
    expect(said.stderr).toMatch(/ProtectSystems/);
    expect(said.stderr).toContain(INSTALLED);
  });

  test('holds it to be shut off well', async () => {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE}`, installed()];
    const { stdout } = await run('systemd-analyze', args);
    expect(stdout).toMatch(/Overall exposure level for watchword\.service: \d\.\d OK/);
  });
});

test('its commands start a core, reload it and stop it', async () => {
  const environment = join(folder, 'environment');
  const config = join(folder, 'config.yaml');
  writeFileSync(environment, 'API_KEYS=a-key-of-twenty-characters\n');
  writeFileSync(config, 'port: 0\nhttp_threads: 1\n');
  chmodSync(environment, 0o600);
  const places = {
    [INSTALLED]: join(PROJECT_ROOT, 'scripts', 'watchword'),
    '/etc/watchword': folder,
    '/var/lib/watchword': join(folder, 'data'),
  };
  const here = (text: string): string => Object.entries(places).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const [program = '', ...args] = here(settingOf('ExecStart')).split(' ');
  const variables = readFileSync(here(settingOf('EnvironmentFile')), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]);
  // The PATH that systemd gives, and that of this Node.
  const PATH = `${join(process.execPath, '..')}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  const child = spawn(program, args, { env: { PATH, ...Object.fromEntries(variables) }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await vi.waitFor(() => expect(said).toContain('Started Watchword on localhost:'), PATIENCE_MS);
  // The line names the process that systemd started, to which it sends signals.
  expect(said).toContain(`with PID: ${child.pid}\n`);
  const [kill = '', signal = '', pid] = settingOf('ExecReload').split(' ');
  expect(pid).toBe('$MAINPID');
  writeFileSync(config, 'port: 0\nhttp_threads: 1\naccess_token_validity: 77\n');
  await run(kill, [signal, String(child.pid)]);
  await vi.waitFor(() => expect(said).toContain('"changed":["access_token_validity"]'), PATIENCE_MS);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(15);
  expect([settingOf('Restart'), settingOf('KillMode'), settingOf('Type')]).toEqual(['always', 'mixed', 'exec']);
});
