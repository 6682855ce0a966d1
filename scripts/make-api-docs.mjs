// Makes dist/api from the built program: openapi.json and the page that shows it, compressed, so that serving them costs next to nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { constants, gzipSync } from 'node:zlib';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = path.join(ROOT, 'dist', 'api');
const ASSETS = path.join(ROOT, 'scripts', 'api-docs');

const read = (...parts) => readFileSync(path.join(...parts), 'utf8');
const load = (...parts) => import(pathToFileURL(path.join(ROOT, 'dist', 'src', ...parts)).href);

/** Writes them; throws an error that names the row where a row lacks what they need. */
export async function makeApiDocs() {
  const [{ openApiDocument }, { referencePage }, { ROUTES }] = await Promise.all([
    load('http', 'openapi', 'document.js'),
    load('http', 'openapi', 'page.js'),
    load('recipes', 'routes.js'),
  ]);
  const { version } = JSON.parse(read(ROOT, 'package.json'));
  const examples = JSON.parse(read(ROOT, 'schemas', 'examples.json'));
  const document = openApiDocument({ routes: ROUTES, examples, version });
  const files = {
    'openapi.json': JSON.stringify(document),
    'docs.html': referencePage(document),
    'reference.css': read(ASSETS, 'reference.css'),
    'reference.js': read(ASSETS, 'reference.js'),
  };
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(TARGET, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  await makeApiDocs();
  process.exit();
}
