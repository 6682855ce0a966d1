#!/usr/bin/env node
// The proof: build, lint, format, types, then the tests; with `--all` also the long ones (`LONG`). The last line printed is `N passed, N failed`, counting tests,
// conformance scenarios (each is a vitest test) and the two steps before them; before it stands what failed; the exit code is 0 only when nothing failed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const all = process.argv.includes('--all');
const STEP_LIMIT_MS = (all ? 40 : 12) * 60_000;
/** What installs, packs, loads, or waits for many seconds. */
const LONG = [
  'test/long/**',
  'test/admin/**',
  'test/attack/conflicts.test.ts',
  'test/cli/audit.test.ts',
  'test/cli/backup.test.ts',
  'test/cli/keys.test.ts',
  'test/cli/tenants-and-roles.test.ts',
  'test/cli/users.test.ts',
  'test/crash/audit.test.ts',
  'test/crash/backup.test.ts',
  'test/crash/bulk-import.test.ts',
  'test/crash/full-disk.test.ts',
  'test/crash/stopped-holder.test.ts',
  'test/http/api-client.test.ts',
  'test/http/bodies-in-flight.test.ts',
  'test/http/examples.test.ts',
  'test/http/framings.test.ts',
  'test/http/long-lists.test.ts',
  'test/http/open-files.test.ts',
  'test/observe/watchdog.test.ts',
  'test/postgres/changes.test.ts',
  'test/postgres/copy.test.ts',
  'test/postgres/databases.test.ts',
  'test/postgres/roles.test.ts',
  'test/postgres/shared-queue.test.ts',
  'test/postgres/tls.test.ts',
  'test/recipes/multitenancy/many-tenants.test.ts',
  'test/recipes/webhooks/operating.test.ts',
  'test/rounds/wire.test.ts',
  'test/saml-peers/recorded.test.ts',
  'test/threads/uploads.test.ts',
  'test/transfer/import-into-core.test.ts',
  'test/transfer/import-into-folder.test.ts',
  'test/transfer/migrate/**',
  'test/transfer/round-trip.test.ts',
  'test/transfer/whole-app.test.ts',
];

/**
 * What is played once more with cores that keep their records in PostgreSQL, where it is installed: `npm test` plays the
 * recorded scenarios, `npm run test:all` everything that asks a core and does not look into its folder.
 */
const ON_POSTGRES = ['test/conformance.test.ts'];
const ALL_ON_POSTGRES = [...ON_POSTGRES, 'test/http/scenarios.test.ts', 'test/recipes', 'test/sdk', 'test/isolation', 'test/attack'];
const NOT_ON_POSTGRES = [
  // They look into the folder of the core, put stores there, or have backups made of it.
  'test/recipes/management/back-up.test.ts',
  'test/recipes/multitenancy/many-tenants.test.ts',
  'test/recipes/signing-keys/new-app-keys.test.ts',
  // Answers to pipelined requests that wait for a database end the connection (decision 0019).
  'test/attack/http.test.ts',
];

/** Runs a command in the project with its output passed through; answers true when it ends with code 0 in time. */
function run(title, command, args, env = {}) {
  console.log(`\n== ${title}`);
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    const limit = setTimeout(() => {
      console.error(`${title} took too long and was ended`);
      child.kill('SIGKILL');
    }, STEP_LIMIT_MS);
    const finish = (ok) => {
      clearTimeout(limit);
      done(ok);
    };
    child.on('error', (error) => {
      console.error(`${title}: ${error.message}`);
      finish(false);
    });
    child.on('exit', (code) => finish(code === 0));
  });
}

/** What the JSON report of vitest tells: how many tests passed, and what failed: tests, and files that could not even be loaded. */
function readReport(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(root, name);
    const tests = assertionResults.filter((one) => one.status === 'failed');
    if (status === 'failed' && tests.length === 0) return [`${path}: ${message}`];
    return tests.map((one) => `${path} > ${one.fullName}\n${one.failureMessages.join('\n')}`);
  });
  return { passed: report.numPassedTests, failures };
}

/** Whether its programs are here; test/postgres/global-setup.ts looks in the same places, and says so where they are not. */
function hasPostgres() {
  const packaged = '/usr/lib/postgresql';
  const folders = existsSync(packaged) ? readdirSync(packaged).map((version) => join(packaged, version, 'bin')) : [];
  return [...folders, ...(process.env.PATH ?? '').split(':')].some((folder) => existsSync(join(folder, 'initdb')));
}

const scratch = mkdtempSync(join(tmpdir(), 'watchword-report-'));
const total = { passed: 0, failures: [] };

/** Counts a step that is no test. */
async function step(title, ...command) {
  const ok = await run(title, ...command);
  if (ok) total.passed += 1;
  else total.failures.push(title);
  return ok;
}

const built = await step('build', process.execPath, ['scripts/build.mjs']);
await step('lint, format and types', 'npm', ['run', '--silent', 'check']);
/** Runs tests and counts them. @param args files, and other arguments of vitest */
async function test(title, args, env) {
  const report = join(scratch, 'vitest.json');
  rmSync(report, { force: true });
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = await run(title, process.execPath, [...words, ...args], env);
  try {
    const { passed, failures } = readReport(report);
    total.passed += passed;
    total.failures.push(...failures);
    if (!ok && failures.length === 0) total.failures.push(`${title}: an error outside every test, such as an unhandled rejection`);
  } catch (error) {
    total.failures.push(`${title}: no report: ${error.message}`);
  }
}

const without = (files) => files.flatMap((file) => ['--exclude', file]);

if (built) {
  const chosen = process.argv.slice(2).filter((argument) => argument !== '--all');
  await test('tests', [...(all ? [] : without(LONG)), ...chosen]);
  if (chosen.length === 0 && hasPostgres()) {
    const left = [...NOT_ON_POSTGRES, ...LONG.filter((files) => files.startsWith('test/attack'))];
    const files = all ? ALL_ON_POSTGRES : ON_POSTGRES;
    await test('tests on PostgreSQL', [...without(left), ...files], { TEST_STORE: 'postgres' });
  }
}
rmSync(scratch, { recursive: true, force: true });
// Told once more, as there are thousands of lines between them and the end.
for (const failure of total.failures) console.log(`\nFAILED ${failure.slice(0, 2000)}`);
console.log(`\n${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length === 0 ? 0 : 1;
