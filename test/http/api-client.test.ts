import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_ROOT, type RunningCore } from '../running-core.ts';
import { withCore } from '../with-core.ts';

/** What somebody does who generates a client: from the openapi.json of a running core to a program that uses it. */

const run = promisify(execFile);
const API_KEY = 'key-of-the-generated-client-1';
const SOURCES = join(import.meta.dirname, 'api-client');
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    rewriteRelativeImportExtensions: true,
    outDir: 'out',
  },
  files: ['program.ts'],
};

let core: RunningCore;
withCore({ env: { API_KEYS: API_KEY } }, (running) => (core = running));

let folder = '';
beforeAll(() => {
  // Within the project, whose packages it uses.
  mkdirSync(join(PROJECT_ROOT, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(PROJECT_ROOT, '.tmp', 'api-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a client generated from openapi.json compiles, and does what it says', async () => {
  const description = join(folder, 'openapi.json');
  writeFileSync(description, await (await fetch(`${core.url}/openapi.json`)).text());
  const packages = join(PROJECT_ROOT, 'node_modules');
  const generator = join(packages, 'openapi-typescript', 'bin', 'cli.js');
  const types = join(folder, 'watchword.ts');
  await run(process.execPath, [
    '--import',
    join(PROJECT_ROOT, 'scripts', 'with-typescript-5.mjs'),
    generator,
    description,
    '--output',
    types,
  ]);
  copyFileSync(join(SOURCES, 'program.ts'), join(folder, 'program.ts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const compiled = await run(process.execPath, [join(packages, 'typescript', 'bin', 'tsc'), '-p', folder]).catch((error: unknown) => error);
  expect(compiled).toMatchObject({ stdout: '' });
  const { stdout } = await run(process.execPath, [join(folder, 'out', 'program.js'), core.url, API_KEY]);
  const learned = JSON.parse(stdout) as { readonly userId: string };
  const { userId } = learned;
  expect(learned).toEqual({
    userId,
    wrong: 'WRONG_CREDENTIALS_ERROR',
    session: { userId, claims: { role: 'reader' }, tenantId: 'public' },
    byRid: { google: 'OK', password: 'OK', phone: 'UNKNOWN_PHONE_NUMBER_ERROR' },
    refused: { status: 401, text: 'Invalid API key\n' },
    managed: { recipeId: 'emailpassword', sessions: 1, disabled: 'OK', users: 2 },
    tenant: { createdNew: true, signUp: 'OK', users: 1 },
  });
}, 60_000);
