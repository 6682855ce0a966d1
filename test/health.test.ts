import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../src/http/probe-port.ts';
import { PROJECT_ROOT, startCore } from './running-core.ts';

/** Runs the health check of a process; answers its exit code and what it says. */
function check(pid: number): Promise<{ readonly code: unknown; readonly told: string }> {
  const program = join(PROJECT_ROOT, 'dist', 'src', 'health.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, String(pid)], (error, _, told) => resolve({ code: error?.code ?? 0, told }));
  });
}

test('the health check asks where the core was told to listen', async () => {
  const port = await freePort('127.0.0.1');
  const core = await startCore({ flags: ['--port', String(port), '--host', '0.0.0.0'], env: { API_KEYS: 'a-key-of-twenty-letters' } });
  expect(await check(core.pid)).toEqual({ code: 0, told: '' });
  await core.stop();
  expect(await check(core.pid)).toMatchObject({ code: 1, told: expect.stringContaining('not healthy: ') });
  expect(await check(process.pid)).toEqual({ code: 1, told: `not healthy: process ${process.pid} is no core\n` });
});
