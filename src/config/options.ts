import type { Option } from './option.ts';
import { OWN_OPTIONS } from './own-options.ts';
import { REFERENCE_OPTIONS } from './reference-options.ts';

/** The alias of the signing key interval (contract 01 section 10.1). */
export const ALIASES: Readonly<Record<string, string>> = {
  access_token_signing_key_update_interval: 'access_token_dynamic_signing_key_update_interval',
};

/** Every option of the product; ours follow the reference's. The order of validation is that of `RULES`. */
export const OPTIONS = { ...REFERENCE_OPTIONS, ...OWN_OPTIONS } as const;

export type OptionName = keyof typeof OPTIONS;

/** The names of all options in declaration order. */
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** The row of an option without its value type. */
export function optionOf(name: OptionName): Option<unknown> {
  return OPTIONS[name];
}

/** The option a key of a file or coreConfig means, aliases resolved. */
export function optionNamed(key: string): OptionName | undefined {
  const name = ALIASES[key] ?? key;
  return isOptionName(name) ? name : undefined;
}

/** The environment variable of an option, `undefined` when it has none. */
export function environmentName(name: OptionName): string | undefined {
  const { env } = optionOf(name);
  return env === null ? undefined : (env ?? name.toUpperCase());
}

/** The command line flag of an option, without dashes in front. */
export function flagName(name: OptionName): string {
  return name.replaceAll('_', '-');
}

const STORAGE_KEY = /^(?:(?:postgresql|mysql|mongodb)_[a-z0-9_]+|migration_mode)$/;
const STORAGE_TABLE = /_table_name$|_table_names_prefix$/;

/** An option for the reference's database: accepted, kept and given back, without effect. */
export function isStorageKey(key: string): boolean {
  return STORAGE_KEY.test(key);
}

/** A storage key or option that protected mode hides and guards (contract 04 section 4.4). */
export function isProtected(key: string): boolean {
  if (isStorageKey(key)) return key !== 'migration_mode' && !STORAGE_TABLE.test(key);
  const name = optionNamed(key);
  return name !== undefined && optionOf(name).protected === true;
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}
