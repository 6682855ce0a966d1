import { join, resolve } from 'node:path';
import { normaliseConnectionUriDomain } from './connection-uri-domain.ts';
import { OPTION_NAMES, OPTIONS, type OptionName, optionOf } from './options.ts';
import { brokenRules, hasKnownChoices } from './rules.ts';
import { type CommandLine, readCommandLine, readEnvironment, readYamlFile, type Source } from './sources.ts';
import type { Candidate, Config, Values } from './values.ts';

export type { Config } from './values.ts';

/** Where a value of the base configuration comes from, the weakest first. */
export type ValueSource = 'default' | 'file' | 'environment' | 'flag';

/** What a process starts with; plain data that may be handed to its threads. */
export interface LoadedConfig {
  /** The base configuration, frozen. */
  readonly config: Config;
  /** Where each value of it comes from. */
  readonly sources: Readonly<Record<OptionName, ValueSource>>;
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
  /** False for what works on a data folder and listens nowhere. */
  readonly serves?: boolean;
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

const NO_SOURCE: Source = { values: {}, faults: [], ignored: [] };

/** All sources, read and not yet judged. */
interface ReadSources {
  readonly flags: CommandLine;
  /** Absolute path of the file that was named. */
  readonly named: string | undefined;
  /** The later wins. */
  readonly all: readonly (readonly [ValueSource, Source])[];
  readonly candidate: Candidate;
}

/**
 * Reads and checks the base configuration: default, then YAML file, environment, flag (contract 01 section 10.1).
 * Throws one `ConfigError` that names every fault, the contract's texts first.
 */
export function loadConfig(from: ConfigSources): LoadedConfig {
  const { flags, named, all, candidate } = readSources(from);
  const { testMode } = flags;
  const unread = all.flatMap(([, source]) => source.faults);
  const broken = brokenRules(candidate, { testMode, configFile: named, serves: from.serves ?? true });
  if (unread.length > 0 || broken.length > 0 || !hasKnownChoices(candidate)) throw new ConfigError([...broken, ...unread]);
  return {
    config: Object.freeze(candidate),
    sources: sourcesOf(all),
    configFile: named ?? join(candidate.data_dir, 'config.yaml'),
    testMode,
    warnings: [...idleWarnings(all), ...collectorWarnings(candidate)],
  };
}

/** Where a core with these sources listens, whatever else is wrong with them: a running one may have older values. */
export function listensAt(from: ConfigSources): Pick<Candidate, 'host' | 'port'> {
  return readSources(from).candidate;
}

function readSources({ argv, env, cwd }: ConfigSources): ReadSources {
  const flags = readCommandLine(argv);
  const named = flags.configFile === undefined ? undefined : resolve(cwd, flags.configFile);
  const all = [
    ['file', named === undefined ? NO_SOURCE : readYamlFile(named)],
    ['environment', readEnvironment(env)],
    ['flag', flags],
  ] as const;
  // The values have the right types already.
  const merged = all.reduce<Values>((values, [, source]) => ({ ...values, ...source.values }), DEFAULTS) as Candidate;
  return { flags, named, all, candidate: normalise(merged, cwd) };
}

function sourcesOf(all: ReadSources['all']): LoadedConfig['sources'] {
  const sourceOf = (name: OptionName): ValueSource => all.findLast(([, { values }]) => name in values)?.[0] ?? 'default';
  return Object.freeze(Object.fromEntries(OPTION_NAMES.map((name) => [name, sourceOf(name)]))) as LoadedConfig['sources'];
}

/** What somebody who comes from the reference core may expect in vain, in one line. */
function idleWarnings(all: ReadSources['all']): readonly string[] {
  const idle = OPTION_NAMES.filter((name) => optionOf(name).idle && all.some(([, { values }]) => name in values));
  const names = [...idle, ...new Set(all.flatMap(([, { ignored }]) => ignored))];
  return names.length === 0 ? [] : [`Options of the reference core that mean nothing here: ${names.join(', ')}`];
}

/** The reference core sends to the port for gRPC, where OTLP over HTTP finds nobody who understands it. */
function collectorWarnings({ otel_collector_connection_uri: uri }: Candidate): readonly string[] {
  const isGrpc = uri !== null && URL.canParse(uri) && new URL(uri).port === '4317';
  return isGrpc
    ? ['otel_collector_connection_uri names port 4317, which collectors use for gRPC: traces are sent over HTTP, mostly port 4318']
    : [];
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
    backup_dir: pathOf(candidate.backup_dir, cwd),
    password_blocklist: pathOf(candidate.password_blocklist, cwd),
    otel_collector_connection_uri: blankToNull(candidate.otel_collector_connection_uri),
    otel_collector_headers: blankToNull(candidate.otel_collector_headers),
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
