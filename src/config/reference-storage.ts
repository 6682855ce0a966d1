import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isStorageKey } from './options.ts';

/** Values of options by which the reference core finds its database; they mean nothing to this product's own. */
export type StorageOptions = Readonly<Record<string, string>>;

/** The storage options among values as they were sent. */
export function storageOptionsIn(values: Readonly<Record<string, unknown>>): StorageOptions {
  const found = Object.entries(values).filter(([key, value]) => isStorageKey(key) && value !== null && value !== undefined);
  return Object.fromEntries(found.map(([key, value]) => [key, String(value)]));
}

/**
 * The storage options of a base configuration of the reference core; a variable of the environment wins.
 * @param file one that `loadConfig` read without a fault
 */
export function readStorageOptions(file: string | undefined, environment: Readonly<Record<string, string | undefined>>): StorageOptions {
  const variables = Object.entries(environment).flatMap(([name, value]) => (value ? [[optionOf(name), value] as const] : []));
  return { ...(file === undefined ? {} : storageOptionsIn(membersIn(file))), ...storageOptionsIn(Object.fromEntries(variables)) };
}

/** The core takes its mode of migration by a name of its own. */
const optionOf = (variable: string): string => (variable === 'SUPERTOKENS_MIGRATION_MODE' ? 'migration_mode' : variable.toLowerCase());

function membersIn(file: string): Readonly<Record<string, unknown>> {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const content: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'silent' });
  return typeof content === 'object' && content !== null ? { ...content } : {};
}
