import type { LoadedConfig, ValueSource } from './config.ts';
import { type CoreConfig, hasSay, overlay } from './core-config.ts';
import type { Level } from './option.ts';
import { OPTION_NAMES, type OptionName, optionOf } from './options.ts';
import type { Config } from './values.ts';

/** Whose coreConfig a value comes from. */
export type LayerSource = 'connection-uri-domain' | 'app' | 'tenant';

/** The coreConfig of somebody. */
export interface Layer {
  readonly source: LayerSource;
  readonly values: CoreConfig;
}

/** An option with the value in force, and where that comes from. */
export interface EffectiveOption {
  readonly name: OptionName;
  /** Of a secret always null. */
  readonly value: Config[OptionName];
  /** Of secrets only: whether there is one. */
  readonly isSet?: boolean;
  readonly source: ValueSource | LayerSource;
  readonly level: Level;
  /** Whether a change counts from the next start on only. */
  readonly needsRestart: boolean;
  readonly doc: string;
}

/**
 * All options in force, in their order: of the base, or under the layers of an app or tenant.
 * @param layers those that have values of their own, nearest first
 */
export function effectiveOptions(
  { config: base, sources }: Pick<LoadedConfig, 'config' | 'sources'>,
  layers: readonly Layer[] = [],
): readonly EffectiveOption[] {
  const config = overlay(base, ...layers.map(({ values }) => values));
  // Where this version refuses what is stored, the base alone is in force.
  const inForce = config === base ? [] : layers;
  const sourceOf = (name: OptionName): EffectiveOption['source'] =>
    inForce.find(({ values }) => hasSay(values, name))?.source ?? sources[name];
  return OPTION_NAMES.map((name) => shown(name, config[name], sourceOf(name)));
}

function shown(name: OptionName, value: Config[OptionName], source: EffectiveOption['source']): EffectiveOption {
  const { secret: isSecret, level, restart, doc } = optionOf(name);
  const told = isSecret ? { value: null, isSet: value !== null } : { value };
  return { name, ...told, source, level, needsRestart: restart === true, doc };
}
