import { resolve } from 'node:path';
import { type Command, type CommandLine, UsageError, wholeNumber } from './command-line.ts';
import { type CoreAddress, urlOf } from './core-client.ts';
import type { AppPlace } from './data-folder.ts';
import type { BatchSize, JournalFiles } from './journal.ts';

/** `watchword import`. */
export const IMPORT = {
  name: 'import',
  operands: ['<FILE>'],
  about: [
    'Imports users from FILE (- for standard input): one JSON object a line, a JSON array, or {"users": [...]}.',
    'Roles and tenants that "watchword export" wrote before them are made first.',
    'Users that cannot be imported are written to a file of rejects with the reasons. An import that was interrupted,',
    'in whatever way, goes on where it stopped when the same command is given again. docs/import.md tells the rest.',
    'It ends with 0 when all users are imported, 2 when some were rejected, 1 when it could not go on.',
  ].join('\n'),
  examples: ['import users.ndjson --url http://localhost:3567', 'import users.ndjson --data-dir ./data --keep-ids'],
  flags: {
    url: { value: 'URL', doc: 'send to the core there, which imports through its queue' },
    'api-key-file': { value: 'FILE', doc: 'with --url: file with the API key; else the variable WATCHWORD_API_KEY' },
    'data-dir': { value: 'DIR', doc: 'write into this data folder, with or without a core running on it' },
    config: { value: 'FILE', doc: 'with --data-dir: YAML file with the options of the core' },
    'app-id': { value: 'ID', doc: 'the app that the users join (public)' },
    'connection-uri-domain': { value: 'DOMAIN', doc: 'the connection URI domain of the app' },
    rejects: { value: 'FILE', doc: "where rejects go (FILE.rejects.ndjson); an earlier import's are overwritten" },
    state: { value: 'FILE', doc: 'how far the import came (FILE.state)' },
    batch: { value: 'N', doc: 'users at once, at most 10000 (1000 with --url, 500 with --data-dir)' },
    patience: { value: 'SECONDS', doc: 'with --url: how long a core may be out of reach (600)' },
    'keep-ids': { doc: 'with --data-dir: login methods keep the superTokensUserId of the file' },
    'keep-failed': { doc: 'with --url: users that failed stay in the queue of the core too' },
    'no-wait': { doc: 'with --url: end when all are sent, without waiting for the queue' },
    'users-only': { doc: 'pass over the roles and tenants of the file' },
    quiet: { doc: 'say nothing but what went wrong' },
  },
} as const satisfies Command;

/** What an import is asked to do. */
export interface ImportPlan {
  /** `-` for standard input. */
  readonly file: string;
  readonly files: JournalFiles;
  readonly size: BatchSize;
  readonly isQuiet: boolean;
  /** Whether roles and tenants of the file are passed over. */
  readonly usersOnly: boolean;
  readonly into:
    | {
        readonly kind: 'core';
        readonly address: CoreAddress;
        readonly patienceMs: number;
        readonly keepsFailed: boolean;
        readonly waits: boolean;
      }
    | { readonly kind: 'store'; readonly place: AppPlace; readonly keepsIds: boolean };
}

/** Of users in one request: well below the 64 MiB that a core takes. */
const REQUEST_BYTES = 16 * 1024 * 1024;
const TRANSACTION_BYTES = 4 * 1024 * 1024;
const MOST_USERS = 10_000;
const LONGEST_PATIENCE_S = 86_400;

type Line = CommandLine<typeof IMPORT.flags>;

const ONLY_FOR = {
  url: ['api-key-file', 'patience', 'keep-failed', 'no-wait'],
  'data-dir': ['config', 'keep-ids'],
} as const;

/** Reads a command line. @param apiKey of the core, where there is one @throws UsageError */
export function planImport({ operands: [file = ''], flags }: Line, apiKey: string | undefined): ImportPlan {
  if ((flags.url === undefined) === (flags['data-dir'] === undefined)) throw new UsageError('Say where to: either --url or --data-dir');
  const base = file === '-' ? 'stdin' : file;
  const files = { state: resolve(flags.state ?? `${base}.state`), rejects: resolve(flags.rejects ?? `${base}.rejects.ndjson`) };
  if (new Set([files.state, files.rejects, resolve(file)]).size < 3)
    throw new UsageError('FILE, --rejects and --state must be different files');
  const shared = { file, files, isQuiet: flags.quiet, usersOnly: flags['users-only'] };
  if (flags['data-dir'] === undefined) {
    refuseFlags(flags, 'data-dir');
    const size = { users: wholeNumber('batch', flags.batch, 1000, MOST_USERS), bytes: REQUEST_BYTES };
    return { ...shared, size, into: intoCore(flags, apiKey) };
  }
  refuseFlags(flags, 'url');
  const place = {
    dataDir: resolve(flags['data-dir']),
    configFile: flags.config,
    appId: flags['app-id'],
    connectionUriDomain: flags['connection-uri-domain'],
  };
  const size = { users: wholeNumber('batch', flags.batch, 500, MOST_USERS), bytes: TRANSACTION_BYTES };
  return { ...shared, size, into: { kind: 'store', place, keepsIds: flags['keep-ids'] } };
}

function refuseFlags(flags: Line['flags'], missing: keyof typeof ONLY_FOR): void {
  for (const name of ONLY_FOR[missing])
    if (flags[name] !== undefined && flags[name] !== false) throw new UsageError(`--${name} goes with --${missing} only`);
}

function intoCore(flags: Line['flags'], apiKey: string | undefined): ImportPlan['into'] {
  return {
    kind: 'core',
    address: {
      url: urlOf(flags.url ?? ''),
      apiKey,
      appId: flags['app-id'],
      host: flags['connection-uri-domain'],
    },
    patienceMs: 1000 * wholeNumber('patience', flags.patience, 600, LONGEST_PATIENCE_S),
    keepsFailed: flags['keep-failed'],
    waits: !flags['no-wait'],
  };
}
