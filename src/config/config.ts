import { join, resolve } from 'node:path';
import { normaliseConnectionUriDomain } from './connection-uri-domain.ts';
import { OPTIONS } from './options.ts';
import { brokenRules, hasKnownChoices } from './rules.ts';
import { readCommandLine, readEnvironment, readYamlFile, type Source } from './sources.ts';
import type { Candidate, Config, Values } from './values.ts';

export type { Config } from './values.ts';

/** What a process starts with; plain data that may be handed to its threads. */
export interface LoadedConfig {
  /** The base configuration, frozen. */
  readonly config: Config;
  /** Absolute path of the configuration file; when none was named, the data folder's `config.yaml` (`GET /config`). */
  readonly configFile: string;
  /** True with `--test-mode`. */
  readonly testMode: boolean;
  /** Lines for the log, without secrets. */
  readonly warnings: readonly string[];
}

/** What configuration is read from. */
export interface ConfigSources {
  /** Arguments after the program and its command. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start at. */
  readonly cwd: string;
}

/** Everything that is wrong with the configuration, one fault a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The defaults of all options. */
export const DEFAULTS: Candidate = Object.fromEntries(Object.entries(OPTIONS).map(([name, option]) => [name, option.initial])) as Candidate;

const NO_SOURCE: Source = { values: {}, faults: [], warnings: [] };

/**
 * Reads and checks the base configuration: default, then YAML file, environment, flag (contract 01 section 10.1).
 * Throws one `ConfigError` that names every fault, the contract's texts first.
 */
export function loadConfig({ argv, env, cwd }: ConfigSources): LoadedConfig {
  const flags = readCommandLine(argv);
  const named = flags.configFile === undefined ? undefined : resolve(cwd, flags.configFile);
  const yaml = named === undefined ? NO_SOURCE : readYamlFile(named);
  const variables = readEnvironment(env);
  const sources = [yaml, variables, flags];
  const candidate = normalise(
    merge({ ...DEFAULTS, core_config_version: named === undefined ? 0 : DEFAULTS.core_config_version }, sources),
    cwd,
  );
  const unread = sources.flatMap((source) => source.faults);
  const broken = brokenRules(candidate, { testMode: flags.testMode, configFile: named });
  if (unread.length > 0 || broken.length > 0 || !hasKnownChoices(candidate)) throw new ConfigError([...broken, ...unread]);
  return {
    config: Object.freeze(candidate),
    configFile: named ?? join(candidate.data_dir, 'config.yaml'),
    testMode: flags.testMode,
    warnings: sources.flatMap((source) => source.warnings),
  };
}

/** Later sources win; their values have the right types already. */
function merge(defaults: Candidate, sources: readonly Source[]): Candidate {
  return sources.reduce<Values>((merged, source) => ({ ...merged, ...source.values }), defaults) as Candidate;
}

/** Brings values into the form that is used (contract 01 sections 2.2 and 10.2); the rules refuse what is malformed. */
function normalise(candidate: Candidate, cwd: string): Candidate {
  const cud = candidate.supertokens_saas_load_only_cud;
  return {
    ...normaliseShared(candidate),
    argon2_hashing_pool_size:
      candidate.password_hashing_alg === 'ARGON2' ? candidate.argon2_hashing_pool_size : Math.max(1, candidate.argon2_hashing_pool_size),
    firebase_password_hashing_pool_size: Math.max(1, candidate.firebase_password_hashing_pool_size),
    base_path: normaliseBasePath(candidate.base_path),
    info_log_path: pathOf(candidate.info_log_path, cwd),
    error_log_path: pathOf(candidate.error_log_path, cwd),
    data_dir: candidate.data_dir.trim() === '' ? '' : resolve(cwd, candidate.data_dir),
    supertokens_saas_load_only_cud: cud === null ? null : (normaliseConnectionUriDomain(cud.trim()) ?? cud),
  };
}

const SAML_ENTITY_ID = 'https://saml.supertokens.com';
const blankToNull = (text: string | null) => (text === null || text.trim() === '' ? null : text);

/** The part of normalisation that options of levels A and T need, wherever they were set. */
export function normaliseShared(candidate: Candidate): Candidate {
  return {
    ...candidate,
    ip_allow_regex: blankToNull(candidate.ip_allow_regex),
    ip_deny_regex: blankToNull(candidate.ip_deny_regex),
    saml_sp_entity_id: blankToNull(candidate.saml_sp_entity_id) ?? SAML_ENTITY_ID,
  };
}

/** `null`, as YAML value or as text, means the standard streams. */
function pathOf(path: string | null, cwd: string): string | null {
  return path === null || path.trim() === '' || path === 'null' ? null : resolve(cwd, path);
}

function normaliseBasePath(path: string): string {
  const trimmed = `/${path}`.replace(/\/+/g, '/').replace(/\/$/, '');
  return trimmed;
}
