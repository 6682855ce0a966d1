import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';

const DIST = join(PROJECT_ROOT, 'dist');
const ENTRIES = { main: 'src/main.js', 'http-thread': 'src/threads/http-thread.js', 'jobs-thread': 'src/threads/jobs-thread.js' };

describe.each(Object.entries(ENTRIES))('the bundle of %s', (name, entry) => {
  const folder = join(DIST, 'run', name);
  const text = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

  test('is what its entry loads', () => {
    expect(readFileSync(join(DIST, entry), 'utf8')).toMatch(new RegExp(`^import '(?:\\.\\./)+run/${name}/${name}\\.js';\\n$`));
  });

  test('loads no module of ours from elsewhere, of which a thread would then have two', () => {
    const later = [...text.matchAll(/\bimport\(([^)]*)\)/g)].map(([, what = '']) => what);
    const atOnce = [...text.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]*)";/gms)].map(([, what = '']) => what);
    expect(later.length).toBeGreaterThan(0);
    expect(later.filter((what) => !/^"\.\/part-[0-9A-Z]+\.js"$/.test(what))).toEqual([]);
    expect(atOnce.filter((what) => !/^\.\/(?:part-[0-9A-Z]+|[a-z-]+)\.js$/.test(what))).toEqual([]);
  });
});
