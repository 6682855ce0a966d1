// Runs the benches and writes docs/performance.md. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  'webauthn',
  'verify-under-sign-ins',
  'bulk-import',
  'verify-under-import',
  'saml-callback',
  'growth',
  'many-users',
  'user-find',
  'many-tenants',
  'long-lists',
  'backup',
  'migrate',
  'start',
  'memory',
  'import-memory',
  'postgres',
  'audit',
  'traces',
  'admin',
];

/** Those that run only when they are named: they take long, and room on the disk. */
const NAMED_ONLY = ['beyond-memory'];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    sessions: { type: 'string' },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const DOCUMENT = resolve(ROOT, 'docs/performance.md');
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

const HEAD = ['| what | limit | ours | ratio | bar | met | note | measured |', '|---|---|---|---|---|---|---|---|'];

/** The row of a result; `measured` says when and of what. */
function rowOf({ what, limitName, limit, ours, ratio, bar, met, note }, measuredAt) {
  const cells = [what, limit ? `${limitName}: ${limit}` : limitName, ours, ratio ?? '-', bar, met ? 'yes' : '**no**', note, measuredAt];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Rows that an earlier run wrote, where they are of things that this one did not measure; new ones in their places or at the end. */
function mergeRows(kept, rows) {
  const whatOf = (row) => row.split(' | ', 1)[0];
  const merged = new Map([...kept, ...rows].map((row) => [whatOf(row), row]));
  return [...merged.values()];
}

function rowsOf(document) {
  return document.split('\n').filter((line) => line.startsWith('| ') && !HEAD.includes(line));
}

function versionOf(name) {
  return JSON.parse(readFileSync(resolve(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** When this is measured, of which commit, and with how many sessions stored. */
function occasion(stage) {
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const parts = [new Date().toISOString().slice(0, 16).replace('T', ' ')];
  if (commit.status === 0) parts.push(commit.stdout.trim());
  if (options.quick) parts.push(`a quick run, ${stage.sizes.large.toLocaleString('en-US')} sessions`);
  return parts.join(', ');
}

function describe(stage, rows) {
  const { version } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  const libraries = ['uWebSockets.js', 'lmdb', 'piscina', 'hash-wasm'].map((name) => `${name} ${versionOf(name)}`).join(', ');
  const sizes = [stage.sizes.small, stage.sizes.large].map((size) => size.toLocaleString('en-US')).join(' and ');
  return `# Performance

Written by \`npm run bench\` (see [bench/README.md](../bench/README.md)); do not edit. Each line was measured beside its limit in the same run on the same
machine, limit and ours in turn; values are medians. Load comes from a second process on the same machine, so it shares the cores with what it measures.

- Machine: ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} threads, ${(totalmem() / 1e9).toFixed(0)} GB; ${type()} ${release()}
- Versions: Watchword ${version}, Node ${process.versions.node}, ${libraries}
- Load generator of the verify lines: ${GENERATOR}
- Stores with ${sizes} sessions
- The last column says when a line was measured (UTC), of which commit, and whether in a quick run

${[...HEAD, ...rows].join('\n')}
`;
}

async function main() {
  const isNamed = positionals.length > 0;
  const names = isNamed ? positionals : BENCHES;
  const all = [...BENCHES, ...NAMED_ONLY];
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`unknown bench ${unknown.join(', ')}; there are: ${all.join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'watchword-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const sized = (full, quick) => Number(options.sessions ?? (options.quick ? quick : full));
  const sizes = { small: 10_000, large: sized(1_000_000, 50_000), beyond: sized(10_000_000, 500_000) };
  const kept = options.keep === undefined ? undefined : resolve(options.keep);
  const stage = new Stage({ directory, kept, scale: options.quick ? 0.25 : 1, sizes, say });
  if (GENERATOR !== 'wrk') console.log(`Load generator: ${GENERATOR}`);
  const results = [];
  const rows = [];
  const complete = !isNamed && !options.quick && options.sessions === undefined;
  for (const name of names) {
    const some = await measured(name, stage);
    results.push(...some);
    rows.push(...some.map((result) => rowOf(result, occasion(stage))));
    // After each, so that what was measured is kept whatever ends the run.
    if (complete || options.write) writeFileSync(DOCUMENT, describe(stage, mergeRows(rowsOf(readFileSync(DOCUMENT, 'utf8')), rows)));
  }
  console.log(`\n${describe(stage, rows)}`);
  if (!complete && !options.write) console.log('Not a complete run: docs/performance.md was left alone.');
  process.exit(results.every(({ met }) => met) ? 0 : 1);
}

await main();
