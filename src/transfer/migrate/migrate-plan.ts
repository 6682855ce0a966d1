import { resolve } from 'node:path';
import { environment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/config.ts';
import { readStorageOptions } from '../../config/reference-storage.ts';
import { planFolder, planStore, type StorePlan } from '../../store/plan.ts';
import { type Command, type CommandLine, UsageError } from '../command-line.ts';
import type { BaseOptions } from './tenancy.ts';
import type { SourceAddress } from './storages.ts';

/** `watchword migrate`. */
export const MIGRATE = {
  name: 'migrate',
  about: [
    'Moves everything from the databases of a SuperTokens core to a store of Watchword.',
    'Nothing is ever written to the old databases. Without --finish it copies while the old core serves, as often as you like; --finish,',
    'with the old core stopped, brings what has changed since, compares, and lets cores start on the store. docs/migrate.md tells all of it.',
  ].join('\n'),
  examples: [
    'migrate --from postgres://reader@db.example/supertokens --config old-config.yaml --rehearse',
    'migrate --from postgres://reader@db.example/supertokens --config old-config.yaml --to /var/lib/watchword',
    'migrate --from postgres://reader@db.example/supertokens --config old-config.yaml --to /var/lib/watchword --finish --yes',
    'migrate --rest /var/lib/watchword/migrate-rest.ndjson',
  ],
  flags: {
    from: {
      value: 'URL',
      doc: 'base database of the old core; its password is better not in the URL, which others see in the list of processes',
    },
    'from-password-file': { value: 'FILE', doc: 'file with the password for --from; else the variable PGPASSWORD' },
    to: { value: 'PLACE', doc: 'the new data folder, or the URL of a database for the new store (./data)' },
    'to-password-file': { value: 'FILE', doc: 'file with the password for --to' },
    config: { value: 'FILE', doc: 'config.yaml of the old core; what stands in the environment wins' },
    'config-out': {
      value: 'FILE',
      doc: 'where our configuration is written at the end (config.yaml in the data folder; where the new store is a database, in the current one)',
    },
    rehearse: { doc: 'do all of it with a throw-away store, read a sample back from a core on it, and report' },
    follow: { doc: 'go on bringing what changes until interrupted' },
    finish: { doc: 'the last pass; the old core is stopped' },
    'accept-losses': { value: 'FILE', doc: 'finish although the rows listed in this file cannot be moved' },
    losses: {
      value: 'FILE',
      doc: 'where rows that cannot be moved are listed (migrate-losses.ndjson in the data folder or the current one)',
    },
    left: { value: 'FILE', doc: 'where rows that are left behind are named (migrate-left.ndjson in the data folder or the current one)' },
    rest: {
      value: 'FILE',
      doc: 'where rows are kept aside that this version has no use for (migrate-rest.ndjson in the data folder or the current one); without --from: tells what it holds',
    },
    yes: { doc: 'do it without a question' },
    json: { doc: 'print the report as JSON' },
  },
} as const satisfies Command;

export type MigrateLine = CommandLine<typeof MIGRATE.flags>;

/** What is to be done. */
export type MigrateMode = 'copy' | 'follow' | 'finish' | 'rehearse';

/** A command line that was understood. */
export interface MigratePlan {
  readonly mode: MigrateMode;
  readonly from: SourceAddress;
  readonly to: StorePlan;
  readonly base: BaseOptions;
  readonly loaded: LoadedConfig;
  readonly files: {
    readonly config: string;
    readonly losses: string;
    readonly left: string;
    readonly rest: string;
    readonly accepted: string | undefined;
  };
}

const DATABASE_URL = /^postgres(?:ql)?:\/\//;
const DEFAULT_FOLDER = './data';

/** The file of rows that an earlier move kept aside, where a command line asks for nothing but that. */
export const keptAsideIn = ({ flags: { from, rest } }: MigrateLine): string | undefined => (from === undefined ? rest : undefined);

/** Understands the command line. @param secretIn reads the file of a flag @throws UsageError, ConfigError */
export function planMigrate({ flags }: MigrateLine, secretIn: (flag: string, file: string) => string): MigratePlan {
  if (flags.from === undefined) throw new UsageError('Name the database of the old core with --from');
  const env = environment();
  const configFile = flags.config === undefined ? undefined : resolve(flags.config);
  const argv = configFile === undefined ? [] : ['--config', configFile];
  const loaded = loadConfig({ argv, env, cwd: process.cwd(), serves: false });
  const to = flags.to ?? DEFAULT_FOLDER;
  const toPassword = flags['to-password-file'];
  // A rehearsal without a target leaves nothing but files about it.
  const isHere = DATABASE_URL.test(to) || (flags.rehearse && flags.to === undefined);
  const folder = isHere ? process.cwd() : resolve(to);
  const password = flags['from-password-file'];
  const mode = modeOf(flags);
  const written = resolve(flags['config-out'] ?? `${folder}/config.yaml`);
  // Whoever returns to the old core needs it. A rehearsal writes none that stays.
  if (mode !== 'rehearse' && written === configFile)
    throw new UsageError(`${written} is the configuration of the old core: name another file for ours with --config-out`);
  return {
    mode,
    from: { url: flags.from, password: password === undefined ? undefined : secretIn('from-password-file', password) },
    to: DATABASE_URL.test(to)
      ? planStore({
          ...loaded.config,
          store_engine: 'postgres',
          postgres_url: to,
          postgres_password_file: toPassword ?? loaded.config.postgres_password_file,
        })
      : planFolder(folder),
    base: { config: loaded.config, storage: readStorageOptions(configFile, env) },
    loaded,
    files: {
      config: written,
      losses: resolve(flags.losses ?? `${folder}/migrate-losses.ndjson`),
      left: resolve(flags.left ?? `${folder}/migrate-left.ndjson`),
      rest: resolve(flags.rest ?? `${folder}/migrate-rest.ndjson`),
      accepted: flags['accept-losses'],
    },
  };
}

function modeOf({ rehearse, follow, finish }: MigrateLine['flags']): MigrateMode {
  if (Number(rehearse) + Number(follow) + Number(finish) > 1) throw new UsageError('Say one of --rehearse, --follow and --finish');
  if (rehearse) return 'rehearse';
  if (follow) return 'follow';
  return finish ? 'finish' : 'copy';
}
