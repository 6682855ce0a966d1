import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT, startCore } from '../running-core.ts';

/** As root, and else where users may make namespaces of their own. */
const WAYS = [
  ['--pid', '--fork'],
  ['--map-root-user', '--pid', '--fork'],
];
const way = WAYS.find((flags) => spawnSync('unshare', [...flags, 'true']).status === 0);

/** Runs a program of the build in a PID namespace of its own, where it has other numbers than anybody else, to its end. */
async function elsewhere(flags: readonly string[], args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const program = join(PROJECT_ROOT, 'dist', 'src', 'cli.js');
  const child = spawn('unshare', [...flags, '--kill-child', process.execPath, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  return { code, output };
}

test('a process in another PID namespace is told at once that it may not open the folder; later it may', async () => {
  if (way === undefined) return console.log('not tested here: a second PID namespace, because unshare may not make one');
  const folder = mkdtempSync(join(tmpdir(), 'watchword-namespaces-'));
  try {
    const core = await startCore({ dataDir: folder });
    for (const args of [
      ['start', '--port', '0', '--data-dir', folder],
      ['export', '-', '--data-dir', folder],
    ]) {
      const { code, output } = await elsewhere(way, args);
      expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringContaining('(docker exec)')]]);
      expect(output).toContain(folder);
    }
    // The same namespace: any number of processes.
    const second = await startCore({ dataDir: folder });
    expect(await second.stop()).toBe(0);
    await core.kill();
    expect((await elsewhere(way, ['export', '-', '--data-dir', folder])).code).toBe(0);
    expect(await (await startCore({ dataDir: folder })).stop()).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
