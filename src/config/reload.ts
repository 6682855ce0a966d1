import { ConfigError, type ConfigSources, type LoadedConfig, loadConfig } from './config.ts';
import { OPTION_NAMES, type OptionName, optionOf } from './options.ts';
import { brokenRules } from './rules.ts';
import type { Config } from './values.ts';

/** What became of a reload, by the names of options. */
export type Reloaded =
  | {
      readonly status: 'OK';
      /** Those that have another value from now on. */
      readonly changed: readonly OptionName[];
      /** Those that would have another one, and keep the old one until the next start. */
      readonly needsRestart: readonly OptionName[];
    }
  /** Nothing changed. */
  | { readonly status: 'INVALID_CONFIG_ERROR'; readonly faults: readonly string[] };

/** What a running process can take over, with what the reload comes to. */
export interface Reread extends Extract<Reloaded, { status: 'OK' }> {
  readonly loaded: LoadedConfig;
}

/**
 * Reads the sources of a running process again, and checks them as at its start. Options that need a restart keep their
 * values, so what is left of the new ones must hold together with those too.
 * @throws ConfigError that names every fault
 */
export function reread(running: LoadedConfig, from: ConfigSources): Reread {
  const next = loadConfig(from);
  const differing = OPTION_NAMES.filter((name) => !isSame(running.config[name], next.config[name]));
  const needsRestart = differing.filter((name) => optionOf(name).restart);
  const config = Object.freeze({ ...next.config, ...pick(running.config, needsRestart) });
  const broken = brokenRules(config, { testMode: next.testMode, serves: true });
  if (broken.length > 0) throw new ConfigError(broken.map((text) => `${text} (until the restart that ${needsRestart.join(', ')} needs)`));
  return {
    status: 'OK',
    changed: differing.filter((name) => !optionOf(name).restart),
    needsRestart,
    loaded: { ...next, config, sources: Object.freeze({ ...next.sources, ...pick(running.sources, needsRestart) }) },
  };
}

/** Options are texts, numbers, switches, and lists of texts. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function pick<T extends Config | LoadedConfig['sources']>(all: T, names: readonly OptionName[]): Partial<T> {
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<T>;
}
