// Makes dist/admin from admin/: scripts and styles bundled under names with their digests, and every file compressed, so that serving one costs nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = path.join(ROOT, 'admin');
const TARGET = path.join(ROOT, 'dist', 'admin');

function put(name, bytes) {
  const file = path.join(TARGET, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** Tags for what the first script imports, so that the browser fetches all of it at once and not one after the other. */
function preloads(outputs) {
  const names = new Set();
  const visit = (output) => {
    for (const { path: imported, kind } of outputs[output].imports) {
      if (kind !== 'import-statement' || names.has(imported)) continue;
      names.add(imported);
      visit(imported);
    }
  };
  visit(Object.keys(outputs).find((output) => outputs[output].entryPoint?.endsWith('main.tsx')));
  return [...names].map((name) => `  <link rel="modulepreload" href="./assets/${path.basename(name)}">\n  `).join('');
}

/** Writes them anew. */
export async function makeAdminPage() {
  const { build } = await import('esbuild');
  const { outputFiles, warnings, metafile } = await build({
    entryPoints: [path.join(SOURCE, 'main.tsx'), path.join(SOURCE, 'style.css')],
    outdir: path.join(TARGET, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022'],
    metafile: true,
    write: false,
  });
  // Browsers pass over a fault in a style sheet and whatever follows it.
  if (warnings.length > 0) throw new Error('the admin page was built with warnings');
  rmSync(TARGET, { recursive: true, force: true });
  const assets = outputFiles.map((file) => ({ name: path.relative(TARGET, file.path).split(path.sep).join('/'), bytes: file.contents }));
  for (const { name, bytes } of assets) put(name, bytes);
  const page = readFileSync(path.join(SOURCE, 'index.html'), 'utf8');
  // `main.tsx` in the page stands for `assets/main-DIGEST.js`, and `style.css` for its own.
  const named = page.replace(/"\.\/(main|style)\.(?:tsx|css)"/g, (whole, name) => {
    const asset = assets.find((one) => path.posix.basename(one.name).startsWith(`${name}-`));
    return asset ? `"./${asset.name}"` : whole;
  });
  put('index.html', Buffer.from(named.replace('</head>', `${preloads(metafile.outputs)}</head>`)));
}
