import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';
import { DOCUMENT } from './described.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** What Redocly's linter complains of. It asks nobody: neither for newer versions of itself nor to tell who uses it. */
function lint(document: object): readonly string[] {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const program = join(PROJECT_ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const words = [program, 'lint', file, '--format=json', '--max-problems=1000', `--config=${join(PROJECT_ROOT, 'redocly.yaml')}`];
  const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 });
  if (!stdout.startsWith('{')) throw new Error(stderr + stdout);
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly Problem[] };
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

describe('redocly lint', () => {
  test('finds neither errors nor warnings', () => {
    expect(lint(DOCUMENT)).toEqual([]);
  });

  test('would find an example that is not what the schema says, a missing name and a row without an answer', () => {
    const hello = DOCUMENT.paths['/hello'];
    const responses = {
      '200': { description: '', content: { 'text/html': { schema: { type: 'string' }, example: 1 } } },
      '400': { description: '' },
    };
    const broken = {
      ...DOCUMENT,
      paths: {
        '/hello': {
          ...hello,
          get: { ...hello?.['get'], operationId: undefined, responses },
          put: { ...hello?.['put'], responses: { '400': { description: '' } } },
        },
      },
    };
    const found = lint(broken).map((problem) => problem.split(':')[0]);
    expect(found).toEqual(expect.arrayContaining(['no-invalid-media-type-examples', 'operation-operationId', 'rule/operation-succeeds']));
  });
});
