import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';

const PATIENCE_MS = 20_000;

async function startReader(path: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('reading-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function metric(core: RunningCore, name: string): Promise<number> {
  const text = await (await fetch(`${core.url}/metrics`)).text();
  return Number(new RegExp(`^watchword_store_${name} (.*)$`, 'm').exec(text)?.[1]);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await condition()); await later(50)) if (Date.now() > end) throw new Error('waited in vain');
}

/** Writes 16 KiB so often under one key. */
async function write(core: RunningCore, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const body = JSON.stringify({ userId: 'u', metadataUpdate: { n, filler: 'x'.repeat(16_384) } });
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body };
    expect((await fetch(`${core.url}/recipe/user/metadata`, init)).status).toBe(200);
  }
}

test('a reader that hangs shows in the metrics; once it is killed, the store stops growing', { timeout: 90_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const core = await startCore({ dataDir });
  try {
    const size = (): number => statSync(join(dataDir, 'data.mdb')).size;
    await write(core, 20);
    const reader = await startReader(dataDir);
    const before = size();
    await write(core, 60);
    expect(size()).toBeGreaterThan(before + 60 * 16_384);
    await until(async () => (await metric(core, 'oldest_reader_commits')) >= 60 && (await metric(core, 'oldest_reader_seconds')) > 1);
    expect(await metric(core, 'readers')).toBeGreaterThan(0);

    reader.kill('SIGKILL');
    await once(reader, 'exit');
    await until(async () => (await metric(core, 'oldest_reader_commits')) < 60);
    const after = size();
    await write(core, 60);
    // What the jobs write meanwhile is small.
    expect(size()).toBeLessThan(after + 20 * 16_384);
  } finally {
    await core.stop();
  }
});
