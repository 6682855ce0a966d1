// Runs the benches and writes docs/performance.md. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './core.mjs';
import { GENERATOR } from './load/load.mjs';
import { Stage } from './stage.mjs';

/** In the order of the table. Each is a file beside this one that exports `measure(stage)`. */
const BENCHES = [
  'verify-seen',
  'verify-database',
  'verify-new',
  'create-refresh',
  'sign-in',
  'timing',
  'passwordless',
  'totp',
  'verify-under-sign-ins',
  'bulk-import',
  'verify-under-import',
  'saml-callback',
  'growth',
  'many-users',
  'many-tenants',
  'start',
  'memory',
  'import-memory',
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    sessions: { type: 'string' },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const say = (text) => console.log(`  ${text}`);

/** A bench that cannot be measured is a line of the table, not the end of the run. */
async function measured(name, stage) {
  const { measure } = await import(`./${name}.mjs`);
  const before = performance.now();
  console.log(name);
  try {
    const results = await measure(stage);
    for (const { what, ours, ratio, bar, met } of results)
      say(`${met ? 'met' : 'NOT MET'}: ${what}: ${ours}${ratio ? `, ratio ${ratio}` : ''} (${bar})`);
    return results;
  } catch (error) {
    say(`could not be measured: ${error.stack}`);
    const note = `could not be measured: ${error.message.split('\n', 1)[0].slice(0, 200)}`;
    return [{ what: name, limitName: '-', ours: '-', bar: '-', met: false, note }];
  } finally {
    say(`took ${((performance.now() - before) / 1000).toFixed(0)} s`);
  }
}

function table(results) {
  const lines = results.map(({ what, limitName, limit, ours, ratio, bar, met, note }) =>
    [what, limit ? `${limitName}: ${limit}` : limitName, ours, ratio ?? '-', bar, met ? 'yes' : '**no**', note]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | '),
  );
  const head = ['| what | limit | ours | ratio | bar | met | note |', '|---|---|---|---|---|---|---|'];
  return [...head, ...lines.map((line) => `| ${line} |`)].join('\n');
}

function versionOf(name) {
  return JSON.parse(readFileSync(resolve(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
}

function describe(stage, results, minutes) {
  const { version } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const libraries = ['uWebSockets.js', 'lmdb', 'piscina', 'hash-wasm'].map((name) => `${name} ${versionOf(name)}`).join(', ');
  const sizes = [stage.sizes.small, stage.sizes.large].map((size) => size.toLocaleString('en-US')).join(' and ');
  return `# Performance

Written by \`npm run bench\` (see [bench/README.md](../bench/README.md)); do not edit. Each line was measured beside its limit in the same run on the same
machine, limit and ours in turn; values are medians. Load comes from a second process on the same machine, so it shares the cores with what it measures.

- Machine: ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} threads, ${(totalmem() / 1e9).toFixed(0)} GB; ${type()} ${release()}
- Versions: Watchword ${version}${commit.status === 0 ? ` (${commit.stdout.trim()})` : ''}, Node ${process.versions.node}, ${libraries}
- Load generator of the verify lines: ${GENERATOR}
- Stores with ${sizes} sessions
- Date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC; the run took ${minutes.toFixed(1)} minutes

${table(results)}
`;
}

async function main() {
  const names = options.only ?? BENCHES;
  const unknown = names.filter((name) => !BENCHES.includes(name));
  if (unknown.length > 0) throw new Error(`unknown bench ${unknown.join(', ')}; there are: ${BENCHES.join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'watchword-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const large = Number(options.sessions ?? (options.quick ? 50_000 : 1_000_000));
  const largeFolder = options.keep === undefined ? undefined : join(resolve(options.keep), `sessions-${large}`);
  const stage = new Stage({ directory, largeFolder, scale: options.quick ? 0.25 : 1, small: 10_000, large, say });
  if (GENERATOR !== 'wrk') console.log(`Load generator: ${GENERATOR}`);
  const before = performance.now();
  const results = [];
  for (const name of names) results.push(...(await measured(name, stage)));
  const text = describe(stage, results, (performance.now() - before) / 60_000);
  console.log(`\n${text}`);
  const complete = options.only === undefined && !options.quick && options.sessions === undefined;
  if (complete || options.write) {
    mkdirSync(resolve(ROOT, 'docs'), { recursive: true });
    writeFileSync(resolve(ROOT, 'docs/performance.md'), text);
  } else {
    console.log('Not a complete run: docs/performance.md was left alone.');
  }
  process.exit(results.every(({ met }) => met) ? 0 : 1);
}

await main();
