import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';

const PATIENCE_MS = 20_000;

/** Undefined where this machine has no compiler for it. */
function refusingLibrary(): string | undefined {
  const library = join(temporaryFolder(), 'refuse-meta-page.so');
  const source = join(PROJECT_ROOT, 'test', 'crash', 'refuse-meta-page.c');
  const compiled = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'ignore' });
  return compiled.status === 0 ? library : undefined;
}

function put(core: RunningCore, userId: string): Promise<number> {
  const body = JSON.stringify({ userId, metadataUpdate: { n: 1 } });
  return fetch(`${core.url}/recipe/user/metadata`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body }).then(
    (response) => response.status,
    () => 0,
  );
}

test('a core whose database LMDB gives up says so and ends, and what it acknowledged is there for the next', {
  timeout: 60_000,
}, async () => {
  const library = refusingLibrary();
  if (library === undefined) {
    console.log('not tested: no compiler for the library that refuses a meta page');
    return;
  }
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const trigger = join(folder, 'now');
  const core = await startCore({ dataDir, env: { LD_PRELOAD: library, REFUSE_META_WHEN: trigger }, faultsExpected: true });
  try {
    expect(await put(core, 'before')).toBe(200);
    writeFileSync(trigger, '');
    // The answer may be lost with the process.
    expect([0, 500]).toContain(await put(core, 'refused'));
    for (const end = Date.now() + PATIENCE_MS; core.alive(); await later(20)) if (Date.now() > end) throw new Error('the core lives on');
    expect(core.output()).toMatch(
      /^\{"level":"error".*"msg":"this process can use the database no more and ends, to be started again"\}$/m,
    );
  } finally {
    await core.kill();
  }
  const next = await startCore({ dataDir });
  const { metadata } = (await (await fetch(`${next.url}/recipe/user/metadata?userId=before`)).json()) as { metadata: object };
  expect(metadata).toEqual({ n: 1 });
  expect(await put(next, 'after')).toBe(200);
  expect(await next.stop()).toBe(0);
});
