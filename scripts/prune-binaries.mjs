// Deletes every native binary under node_modules that this platform does not load; the container image runs it after `npm prune --omit=dev`.
// What is needed is not guessed from names: the packages are loaded, and what the process has mapped then is kept.
import { readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');
/** Every production package that brings native code. */
const NATIVE = ['uWebSockets.js', 'lmdb', '@node-rs/argon2', '@napi-rs/nice', 'msgpackr'];

for (const name of NATIVE) await import(name);
const loaded = new Set(
  process.report
    .getReport()
    .sharedObjects.filter((file) => file.endsWith('.node'))
    .map((file) => realpathSync(file)),
);
if (loaded.size < NATIVE.length) throw new Error(`only ${loaded.size} of ${NATIVE.length} native packages load here`);

let freed = 0;
for (const entry of readdirSync(MODULES, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.node')) continue;
  const file = path.join(entry.parentPath ?? entry.path, entry.name);
  if (loaded.has(realpathSync(file))) continue;
  freed += statSync(file).size;
  rmSync(file);
}
console.log(`kept ${loaded.size} native binaries, freed ${Math.round(freed / 1e6)} MB`);
