import type { OptionType } from '../../config/option.ts';
import { isProtected, OPTION_NAMES, type OptionName, optionOf } from '../../config/options.ts';
import { decimal } from '../../json/decimal.ts';
import type { Context } from '../context.ts';
import type { JsonValue } from '../../json/free-form.ts';

/** An option as the dashboard shows it. */
export type ShownOption = { readonly [member: string]: JsonValue };

/** The dashboard knows one kind of number. Lists of API keys are never shown. */
const VALUE_TYPES: { readonly [T in OptionType]: 'number' | 'string' | 'boolean' | 'enum' } = {
  int: 'number',
  long: 'number',
  double: 'number',
  boolean: 'boolean',
  string: 'string',
  enum: 'enum',
  keys: 'string',
  list: 'string',
};

/** `GET /recipe/dashboard/tenant/core-config` (contract 05 section 5.10): settable options and the values in force. */
export function coreConfig({ tenant, protectedMode }: Context): readonly ShownOption[] {
  const shown = OPTION_NAMES.filter((name) => optionOf(name).dashboard && !(protectedMode && isProtected(name)));
  return shown.map((name) => shownOption(name, tenant.config[name]));
}

function shownOption(key: OptionName, value: unknown): ShownOption {
  const { type, doc, level, initial, values } = optionOf(key);
  return {
    key,
    valueType: VALUE_TYPES[type],
    value: shownValue(type, value),
    description: doc,
    isDifferentAcrossTenants: level === 'T',
    possibleValues: values ?? null,
    // As in the reference: the dashboard never empties an option with a default, even if the file may say null.
    isNullable: initial === null,
    defaultValue: shownValue(type, initial),
    isPluginProperty: false,
    isPluginPropertyEditable: false,
  };
}

function shownValue(type: OptionType, value: unknown): JsonValue {
  if (typeof value === 'number') return type === 'double' ? decimal(value) : value;
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
