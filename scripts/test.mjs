#!/usr/bin/env node
// The proof: build, lint, format, types, then the tests; with `--all` also the long ones (`LONG`). The last line printed is `N passed, N failed`, counting tests,
// conformance scenarios (each is a vitest test) and the two steps before them; the exit code is 0 only when nothing failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const all = process.argv.includes('--all');
const STEP_LIMIT_MS = (all ? 40 : 12) * 60_000;
/** What installs, packs, loads, or waits for many seconds. */
const LONG = [
  'test/long/**',
  'test/attack/conflicts.test.ts',
  'test/crash/bulk-import.test.ts',
  'test/crash/full-disk.test.ts',
  'test/crash/stopped-holder.test.ts',
  'test/http/long-lists.test.ts',
  'test/http/bodies-in-flight.test.ts',
  'test/http/open-files.test.ts',
  'test/observe/watchdog.test.ts',
];

/** Runs a command in the project with its output passed through; answers true when it ends with code 0 in time. */
function run(title, command, args) {
  console.log(`\n== ${title}`);
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
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

/** What the JSON report of vitest counts: tests, plus one failure for each file that could not even be loaded. */
function countTests(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const broken = report.testResults.filter(
    (one) => one.status === 'failed' && !one.assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

const scratch = mkdtempSync(join(tmpdir(), 'watchword-report-'));
const total = { passed: 0, failed: 0 };
const count = (ok) => {
  total[ok ? 'passed' : 'failed'] += 1;
  return ok;
};

const built = count(await run('build', process.execPath, ['scripts/build.mjs']));
count(await run('lint, format and types', 'npm', ['run', '--silent', 'check']));
if (built) {
  const report = join(scratch, 'vitest.json');
  const arguments_ = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const chosen = process.argv.slice(2).filter((argument) => argument !== '--all');
  const ok = await run('tests', process.execPath, [
    ...arguments_,
    ...(all ? [] : LONG.flatMap((files) => ['--exclude', files])),
    ...chosen,
  ]);
  try {
    const counted = countTests(report);
    total.passed += counted.passed;
    total.failed += counted.failed;
    // An error outside every test (an unhandled rejection, say) fails the run without failing a test.
    if (!ok && counted.failed === 0) count(false);
  } catch (error) {
    console.error(`no report of the tests: ${error.message}`);
    count(false);
  }
}
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
