import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { environmentName, flagName, OPTION_NAMES, optionOf } from '../../src/config/options.ts';
import { sampleFile } from '../../src/config/sample.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string) {
  writeFileSync(join(folder, 'config.yaml'), text);
  return loadConfig({ argv: ['--config', 'config.yaml'], env: {}, cwd: folder });
}

const withoutFile = () => loadConfig({ argv: [], env: {}, cwd: folder });

test('the sample sets nothing', () => {
  const { config, sources } = load(sampleFile());
  expect(config).toEqual(withoutFile().config);
  expect(new Set(Object.values(sources))).toEqual(new Set(['default']));
});

test('with every option switched on it says the defaults', () => {
  const { config, sources } = load(sampleFile().replace(/^#(?=[a-z])/gm, ''));
  expect(config).toEqual(withoutFile().config);
  expect(new Set(Object.values(sources))).toEqual(new Set(['file']));
});

test('it tells of every option what the table says', () => {
  const entries = sampleFile().split('\n\n').slice(1);
  expect(entries).toHaveLength(OPTION_NAMES.length);
  for (const [at, name] of OPTION_NAMES.entries()) {
    const [entry = '', line = ''] = (entries[at] ?? '').split(/\n(?=#[a-z])/);
    const words = entry.replaceAll(/\s*\n?# /g, ' ').trim();
    expect(line).toMatch(new RegExp(`^#${name}: \\S`));
    expect(words).toContain(optionOf(name).doc);
    expect(words).toContain(`flag --${flagName(name)}`);
    expect(words).toContain(environmentName(name) ?? '');
    expect(words.includes('needs a restart')).toBe(optionOf(name).restart === true);
  }
});

test('its lines fit a terminal', () => {
  const wide = sampleFile()
    .split('\n')
    .filter((line) => line.startsWith('# ') && line.length > 100 && line.includes(' ', 2) && line.split(' ').length > 2);
  expect(wide).toEqual([]);
});
