import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OPTION_NAMES, optionOf } from '../../config/options.ts';
import type { MigratePlan } from './migrate-plan.ts';

/** Of the place where the command ran, not of the old core. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['data_dir', 'store_engine', 'postgres_url', 'postgres_password_file']);

/** Writes the configuration of the old core as ours: what it sets and has an effect here. */
export function writeConfig({ loaded, to, files }: MigratePlan): void {
  const { config, sources } = loaded;
  const set = OPTION_NAMES.filter((name) => sources[name] !== 'default' && !optionOf(name).idle && !NOT_WRITTEN.has(name));
  const lines = set.map((name) => `${name}: ${yamlOf(config[name])}`);
  const store = to.engine === 'postgres' ? ['store_engine: postgres', `postgres_url: ${yamlOf(withoutPassword(to.url))}`] : [];
  mkdirSync(dirname(files.config), { recursive: true });
  const text = ['# Written by "watchword migrate" from the configuration of the old core.', ...lines, ...store];
  writeFileSync(files.config, `${text.join('\n')}\n`, { mode: 0o600 });
}

/** JSON is YAML; a list is kept as text. */
const yamlOf = (value: unknown): string => JSON.stringify(Array.isArray(value) ? value.join(',') : value);

function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}
