// Makes admin/generated/api.ts, the types of the client that the admin page uses, from the openapi.json of the built program.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const DESCRIPTION = path.join(ROOT, 'dist', 'api', 'openapi.json.gz');
const TARGET = path.join(ROOT, 'admin', 'generated');
const GENERATOR = path.join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
/** The generator needs the programming interface of TypeScript 5. */
const WITH_TYPESCRIPT_5 = pathToFileURL(path.join(ROOT, 'scripts', 'with-typescript-5.mjs')).href;

/** Writes them anew. @throws Error with what the generator says */
export function makeApiTypes() {
  mkdirSync(TARGET, { recursive: true });
  const description = path.join(TARGET, 'openapi.json');
  writeFileSync(description, gunzipSync(readFileSync(DESCRIPTION)));
  const words = ['--import', WITH_TYPESCRIPT_5, GENERATOR, description, '--output', path.join(TARGET, 'api.ts')];
  const run = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  rmSync(description);
  if (run.status !== 0) throw new Error(run.stderr || `the types of the interface ended with ${run.status ?? run.signal}`);
}
