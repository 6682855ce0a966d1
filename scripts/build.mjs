// Builds dist/ from src/, workers/, schemas/ and admin/: generates, compiles, describes the interface, bundles the admin page and the program. Does nothing when dist/ is newer in content; safe when two run at once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { checkNative } from './check-native.mjs';
import { makeAdminPage } from './make-admin-page.mjs';
import { makeApiTypes } from './make-api-types.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const DIST = path.join(ROOT, 'dist');
const STAMP = path.join(DIST, 'stamp.txt');
const LOCK = path.join(ROOT, '.tmp', 'build.lock');
const API_DOCS = path.join(ROOT, 'scripts', 'make-api-docs.mjs');
const COMPILER = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** Folders that the build reads. */
export const SOURCES = ['src', 'workers', 'schemas', 'admin'];
/** Further files that it reads. */
export const SINGLE_FILES = [
  'package.json',
  'scripts/generate.mjs',
  'scripts/make-api-docs.mjs',
  'scripts/api-docs/reference.css',
  'scripts/api-docs/reference.js',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/make-admin-page.mjs',
  'scripts/make-api-types.mjs',
  'scripts/with-typescript-5.mjs',
  'scripts/check-native.mjs',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** A lock older than this was left behind by a build that was killed. */
const STALE_LOCK_MS = 120_000;

function filesUnder(folder) {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath ?? entry.path, entry.name)));
}

/** What is made from other sources does not count. */
const MADE = [path.join('src', 'generated'), path.join('admin', 'generated')];

/** A digest of everything the build reads. */
function fingerprint() {
  const files = [...SOURCES.flatMap(filesUnder), ...SINGLE_FILES].filter((file) => !MADE.some((folder) => file.startsWith(folder)));
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}

/** True when dist/ was built from the sources as they are now. */
export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();
}

async function withLock(work) {
  mkdirSync(path.dirname(LOCK), { recursive: true });
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > STALE_LOCK_MS) rmSync(LOCK, { recursive: true, force: true });
      await sleep(100);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

/** Compiles and removes what an earlier build left that no source makes any more. */
function compile() {
  const run = spawnSync(process.execPath, [COMPILER, '-p', path.join(ROOT, 'tsconfig.build.json'), '--listEmittedFiles'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const lines = `${run.stdout}${run.stderr}`.split('\n');
  const emitted = new Set(
    lines.filter((line) => line.startsWith('TSFILE: ')).map((line) => path.resolve(ROOT, line.slice('TSFILE: '.length).trim())),
  );
  if (run.status !== 0)
    throw new Error(lines.filter((line) => line.includes('error')).join('\n') || `the compiler ended with ${run.status ?? run.signal}`);
  for (const file of filesUnder('dist')) {
    const full = path.join(ROOT, file);
    if (!emitted.has(full)) rmSync(full, { force: true });
  }
}

/** Describes what was built, in a process of its own, as it loads all of it. */
function describeApi() {
  const run = spawnSync(process.execPath, [API_DOCS], { cwd: ROOT, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr || `the description of the interface ended with ${run.status ?? run.signal}`);
}

/** Builds unless there is nothing to do; answers whether it did. */
export async function build() {
  if (isBuilt()) return false;
  return withLock(async () => {
    if (isBuilt()) return false;
    checkNative();
    const print = fingerprint();
    const { generate } = await import('./generate.mjs');
    await generate();
    rmSync(STAMP, { force: true });
    compile();
    describeApi();
    makeApiTypes();
    await makeAdminPage();
    await bundle();
    writeFileSync(STAMP, print);
    return true;
  });
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
