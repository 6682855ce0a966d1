/** Where an option may be set besides the base: B nowhere, A per app, T per tenant (contract 04 section 4.1). */
export type Level = 'B' | 'A' | 'T';

/** How a value is read; `keys`: comma separated API keys, kept as a sorted array; `list`: names in their order. */
export type OptionType = 'int' | 'long' | 'double' | 'boolean' | 'string' | 'enum' | 'keys' | 'list';

interface Facts {
  readonly level: Level;
  /** Meaning and unit in plain English, for the documentation and the dashboard. */
  readonly doc: string;
  /** Name of the environment variable; the option in upper case when absent, `null` for none. */
  readonly env?: string | null;
  /** Hidden and unchangeable in protected mode (contract 01 section 10.5). */
  readonly protected?: true;
  /** Listed by the dashboard's core-config endpoint (contract 05 section 5.10). */
  readonly dashboard?: true;
  /** The default in words, where its value depends on the machine. */
  readonly initialText?: string;
  /** A changed value counts from the next start on: what it decides is decided then. All others follow a reload. */
  readonly restart?: true;
  /** Its value is never shown, nor taken from a flag, which others see; flags may hold a URL without its password. */
  readonly secret?: true | 'with-password';
  /** Of the reference core, and without a meaning here: accepted, and named once in the log. */
  readonly idle?: true;
}

/** One row of the option table. */
export interface Option<V> extends Facts {
  readonly type: OptionType;
  /** The default. */
  readonly initial: V;
  /** True where `null` is a value of its own. */
  readonly nullable: boolean;
  /** The values of an enum, spelt as they are kept; read in any case. */
  readonly values?: readonly string[];
}

export const number = (type: 'int' | 'long' | 'double', initial: number, facts: Facts): Option<number> => ({
  type,
  initial,
  nullable: false,
  ...facts,
});
export const nullableInt = (initial: number, facts: Facts): Option<number | null> => ({ type: 'int', initial, nullable: true, ...facts });
export const toggle = (initial: boolean, facts: Facts): Option<boolean> => ({ type: 'boolean', initial, nullable: false, ...facts });
export const text = (initial: string, facts: Facts): Option<string> => ({ type: 'string', initial, nullable: false, ...facts });
export const optionalText = (facts: Facts): Option<string | null> => ({ type: 'string', initial: null, nullable: true, ...facts });
export const choice = <const V extends string>(values: readonly V[], initial: NoInfer<V>, facts: Facts): Option<V> => ({
  type: 'enum',
  initial,
  nullable: false,
  values,
  ...facts,
});
export const keyList = (facts: Facts): Option<readonly string[] | null> => ({ type: 'keys', initial: null, nullable: true, ...facts });

export const nameList = (initial: readonly string[], facts: Facts): Option<readonly string[]> => ({
  type: 'list',
  initial,
  nullable: false,
  ...facts,
});
