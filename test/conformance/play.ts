import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PROJECT_ROOT } from '../running-core.ts';

/*
 * The recorded conversations with the reference core. They are not part of the project: WATCHWORD_CONFORMANCE names
 * the folder of the runner, and without it the folder `../shared/conformance` beside the project is used where it exists.
 */
const named = process.env['WATCHWORD_CONFORMANCE'];

/** Folder of the runner. */
export const CONFORMANCE_FOLDER: string =
  named === undefined || named === '' ? join(PROJECT_ROOT, '..', 'shared', 'conformance') : resolve(PROJECT_ROOT, named);
const runner = join(CONFORMANCE_FOLDER, 'run.mjs');

/** Whether there is anything to compare with. @throws where a folder was named that holds no runner */
export function isConformancePresent(): boolean {
  const present = existsSync(runner);
  if (!present && named) throw new Error(`WATCHWORD_CONFORMANCE names ${named}, which holds no run.mjs`);
  return present;
}

/** A core that is compared with the reference does what that does after a theft, and looks for the email of a SAML login where that looks. */
export const CONFORMANCE_ENV = {
  TOKEN_THEFT_REVOKES: 'reference',
  SAML_EMAIL_ATTRIBUTES: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress,mail,email',
} as const;

/** Scenarios of recipes that are not built yet, with the number of the issue that will build them (0: none yet). */
export const PENDING: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(PROJECT_ROOT, 'test', 'conformance-pending.json'), 'utf8'),
);

/** Scenarios in which this core was decided to answer otherwise (docs/compatibility.md), with the step; the runner must not find a difference before it. */
export const DECIDED: Readonly<Record<string, { readonly differsAt: string; readonly why: string }>> = JSON.parse(
  readFileSync(join(PROJECT_ROOT, 'test', 'conformance-decided.json'), 'utf8'),
);

/** Whether what a scenario failed at first is the step at which it was decided to. */
export function isDecided(name: string, failure: string): boolean {
  const step = DECIDED[name]?.differsAt;
  return step !== undefined && failure.replace(/^step \d+ /, '').startsWith(`${step} `);
}

export const RUN_LIMIT_MS = 240_000;

interface Result {
  readonly file: string;
  readonly title: string;
  readonly ok: boolean;
  readonly failure: string | null;
}

/** Plays all scenarios against the core at this URL; answers by `<file> › <title>` what went wrong, `null` where nothing did. */
export async function playConformance(url: string): Promise<ReadonlyMap<string, string | null>> {
  const scratch = mkdtempSync(join(tmpdir(), 'watchword-conformance-'));
  const report = join(scratch, 'report.json');
  try {
    const output = await new Promise<string>((done, fail) => {
      const child = spawn(process.execPath, [runner, url, '--json', report], { stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_LIMIT_MS });
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
