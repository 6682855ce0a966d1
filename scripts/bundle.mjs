// Bundles each thread of the core into a folder in dist/run: a few large files load in two thirds of the time that many take.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const DIST = path.join(ROOT, 'dist');
const TARGET = path.join(DIST, 'run');
/** What threads begin with. They share no memory, so that each may have modules of its own. */
const ENTRIES = ['src/main.js', 'src/threads/http-thread.js', 'src/threads/jobs-thread.js'];
/** Many small modules and nothing native; all other packages are loaded from where they are installed. */
const BUNDLED = new Set(['lossless-json']);

const nameOf = (entry) => path.basename(entry, '.js');
const addressFrom = (folder, file) => path.relative(folder, file).split(path.sep).join('/');

/** Modules find files by where they were compiled to, and go on doing so. @param folder where the bundle is put */
const compiledAddresses = (folder) => ({
  name: 'compiled-addresses',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = `new URL(${JSON.stringify(addressFrom(folder, file))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address) };
    });
  },
});

/** What the entry imports becomes one file, and what it may load later others beside it. */
async function bundleOne(entry, external) {
  const { build } = await import('esbuild');
  const folder = path.join(TARGET, nameOf(entry));
  const { warnings } = await build({
    absWorkingDir: DIST,
    entryPoints: [entry],
    outdir: folder,
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    plugins: [compiledAddresses(folder)],
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text, location }) => `${location?.file}: ${text}`).join('\n'));
}

/** Puts in the place of each entry a line that loads its bundle. */
export async function bundle() {
  const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !BUNDLED.has(name));
  for (const entry of ENTRIES) await bundleOne(entry, external);
  for (const entry of ENTRIES) {
    const file = path.join(DIST, entry);
    const name = nameOf(entry);
    writeFileSync(file, `import '${addressFrom(path.dirname(file), path.join(TARGET, name, `${name}.js`))}';\n`);
  }
}
