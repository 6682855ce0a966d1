import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listScenarios } from './conformance/scenarios.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from './running-core.ts';

/**
 * Plays the recorded conversations with the reference core against this one. They are not part of the project: WATCHWORD_CONFORMANCE names
 * the folder of the runner, and without it the folder `../shared/conformance` beside the project is used where it exists.
 * Each scenario is a test. Scenarios of recipes that are not built yet stand in conformance-pending.json with the number of the issue that
 * will build them (0: none yet); one that passes although it stands there fails the run, so that the list only shrinks.
 */
const named = process.env['WATCHWORD_CONFORMANCE'];
const folder = named === undefined || named === '' ? join(PROJECT_ROOT, '..', 'shared', 'conformance') : resolve(PROJECT_ROOT, named);
const runner = join(folder, 'run.mjs');
const present = existsSync(runner);
const RUN_LIMIT_MS = 240_000;

interface Result {
  readonly file: string;
  readonly title: string;
  readonly ok: boolean;
  readonly failure: string | null;
}

const pending: Readonly<Record<string, number>> = JSON.parse(readFileSync(join(PROJECT_ROOT, 'test', 'conformance-pending.json'), 'utf8'));

/** Plays all scenarios; answers by `<file> › <title>` what went wrong, `null` where nothing did. */
async function play(core: RunningCore): Promise<ReadonlyMap<string, string | null>> {
  const scratch = mkdtempSync(join(tmpdir(), 'watchword-conformance-'));
  const report = join(scratch, 'report.json');
  try {
    const output = await new Promise<string>((done, fail) => {
      const child = spawn(process.execPath, [runner, core.url, '--json', report], {
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: RUN_LIMIT_MS,
      });
      let written = '';
      child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
      child.on('error', fail);
      child.on('exit', () => done(written));
    });
    if (!existsSync(report)) throw new Error(`the runner left no report:\n${output.slice(-2000)}`);
    const results: readonly Result[] = JSON.parse(readFileSync(report, 'utf8'));
    return new Map(results.map((result) => [`${result.file} › ${result.title}`, result.ok ? null : (result.failure ?? 'differs')]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (!present) {
  test('conformance scenarios', () => {
    if (named) throw new Error(`WATCHWORD_CONFORMANCE names ${named}, which holds no run.mjs`);
    console.log('conformance: no scenarios beside the project, nothing to compare with');
  });
} else {
  const scenarios = await listScenarios(folder);

  describe('conformance', () => {
    let core: RunningCore;
    let failures: ReadonlyMap<string, string | null> = new Map();

    beforeAll(async () => {
      core = await startCore({ env: { TOKEN_THEFT_REVOKES: 'reference' } });
      failures = await play(core);
    }, RUN_LIMIT_MS + 60_000);

    afterAll(async () => {
      await core?.stop();
    });

    test.each(scenarios)('%s', (name) => {
      const failure = failures.get(name);
      if (failure === undefined) throw new Error('was not played');
      if (name in pending) expect(failure, 'passes now: take it out of conformance-pending.json').not.toBeNull();
      else if (failure !== null) throw new Error(failure);
    });

    test('every pending scenario exists', () => {
      expect(Object.keys(pending).filter((name) => !scenarios.includes(name))).toEqual([]);
    });
  });
}
