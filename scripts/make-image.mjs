// `node scripts/make-image.mjs FOLDER`: puts together all files of the container image, which has nothing else: Node without its symbols, the libraries
// that it and the native packages load, and the built program with its production packages. What is loaded is not guessed from names: it is loaded, and
// what the process has mapped then is copied. Modes are set here, so those of the checkout do not matter. Needs `strip` (binutils).
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNative } from './check-native.mjs';

const PROJECT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const APP = '/app';
const NODE = '/usr/local/bin/node';

/** Production packages with native code. Where uWebSockets.js does not load (musl), node:http serves; without the locks on open files nothing but a check is missing. */
const NATIVE = ['lmdb', '@node-rs/argon2', '@napi-rs/nice', 'msgpackr', 'uWebSockets.js', 'fs-native-extensions'];
const NEEDED = 'lmdb';

/** Files of packages that are loaded, or that a licence asks for; maps, declarations, sources in C and pages are not among them. */
const KEPT_FILE = /\.(?:[cm]?js|json|node|wasm|txt)$|^(?:LICENSE|LICENCE|NOTICE|COPYING)/i;
const DROPPED_FOLDER = /^(?:tests?|docs?|examples?|bench(?:marks?)?|dependencies|\.github)$/;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to make');

/** Loads the native packages of this platform. Answers all files that the process has mapped then: their binaries, and the libraries of Node and of them. */
async function loadNative() {
  for (const name of NATIVE) {
    try {
      await import(name);
    } catch (error) {
      if (name === NEEDED) throw error;
      console.log(`${name} does not load here: ${error.message}`);
    }
  }
  process.report.excludeNetwork = true;
  const files = process.report.getReport().sharedObjects.filter((file) => path.isAbsolute(file) && file !== process.execPath);
  return {
    binaries: new Set(files.filter((file) => file.endsWith('.node')).map((file) => realpathSync(file))),
    libraries: files.filter((file) => !file.endsWith('.node')),
  };
}

function put(from, to, mode = 0o644) {
  const target = path.join(folder, to);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(from, target, { dereference: true });
  chmodSync(target, mode);
}

/** Puts the files beneath a folder of the project in their place. @param keeps says of a file, by its path in that folder, whether it is wanted */
function putFolder(name, keeps) {
  for (const entry of readdirSync(path.join(PROJECT, name), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    if (keeps(path.relative(path.join(PROJECT, name), file), file)) put(file, path.join(APP, path.relative(PROJECT, file)));
  }
}

/** Folders of the packages that production needs, as the lockfile has them. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync(path.join(PROJECT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([name, { dev, devOptional }]) => name !== '' && !dev && !devOptional && existsSync(path.join(PROJECT, name)))
    .map(([name]) => name);
}

checkNative();
const { binaries, libraries } = await loadNative();
put(process.execPath, NODE, 0o755);
execFileSync('strip', [path.join(folder, NODE)]);
for (const library of libraries) put(library, library, 0o755);

for (const file of ['package.json', 'LICENSE', 'scripts/thread-pool.cjs']) put(path.join(PROJECT, file), path.join(APP, file));
putFolder('dist', (name) => /\.(?:js|gz)$/.test(name) || name.startsWith(`admin${path.sep}`));
for (const name of productionPackages())
  putFolder(name, (inside, file) => {
    const parts = inside.split(path.sep);
    if (parts.includes('node_modules') || parts.some((part) => DROPPED_FOLDER.test(part))) return false;
    return file.endsWith('.node') ? binaries.has(realpathSync(file)) : KEPT_FILE.test(path.basename(file));
  });
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
  if (entry.isDirectory()) chmodSync(path.join(entry.parentPath, entry.name), 0o755);
console.log(`${binaries.size} native binaries, ${libraries.length} libraries`);
