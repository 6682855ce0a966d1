import { type Config, ConfigError, type LoadedConfig, loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { lastBackup } from '../jobs/scheduled-backups.ts';
import { isStored, openToRead } from '../store/open-store.ts';
import { planFolder } from '../store/plan.ts';
import type { Store } from '../store/store.ts';
import { checkBackups, checkOpenAddress, checkPermissions } from './access-checks.ts';
import { checkPasswordBlocklist } from './blocklist-check.ts';
import { type Finding, note, ok, problem, type Verdict } from './finding.ts';
import type { Machine } from './machine.ts';
import { checkEngine, FOLDER_CHECKS, PROCESS_CHECKS } from './machine-checks.ts';
import { checkAuditTrail, checkCertificates, checkSigningKeys, checkStoredTimes, countKeptKeys } from './store-checks.ts';

type Verdicts = readonly Verdict[] | Promise<readonly Verdict[]>;

/** The checks that need the configuration, in the order in which they are shown. */
const MACHINE_CHECKS: Readonly<Record<string, (config: Config, machine: Machine) => Verdicts>> = {
  ...FOLDER_CHECKS,
  ...PROCESS_CHECKS,
  'http engine': checkEngine,
  'password blocklist': checkPasswordBlocklist,
};

const STORE_CHECKS = {
  'stored times': checkStoredTimes,
  'signing keys': checkSigningKeys,
  certificates: checkCertificates,
  'audit trail': checkAuditTrail,
} as const;

/**
 * Looks at the configuration, at the machine and into the store, and changes nothing.
 * @param argv flags of the core, such as `--data-dir`
 */
export async function examine(argv: readonly string[], machine: Machine): Promise<readonly Finding[]> {
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig({ argv, env: environment(), cwd: process.cwd() });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => ({ check: 'configuration', ...problem(fault, 'correct it: a core does not start with it') }));
  }
  return examineWith(loaded, machine);
}

/** `examine` with a configuration that was read. */
export async function examineWith(loaded: LoadedConfig, machine: Machine): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const add = async (check: string, verdicts: Verdicts): Promise<void> => {
    for (const verdict of await verdicts) found.push({ check, ...verdict });
  };
  const warnings = loaded.warnings.map((line) => note(line, 'see docs/configuration.md'));
  await add('configuration', warnings.length > 0 ? warnings : [ok('it can be read, and nothing in it is wrong')]);
  for (const [check, look] of Object.entries(MACHINE_CHECKS)) await add(check, look(loaded.config, machine));
  await add('permissions', checkPermissions(loaded, machine));
  const { store, verdict } = await openStoreOf(loaded.config);
  await add('store', [verdict]);
  try {
    await add('api keys', checkOpenAddress(loaded, await store?.read(countKeptKeys)));
    if (store)
      for (const [check, look] of Object.entries(STORE_CHECKS))
        await add(
          check,
          store.read((reader) => look(reader, machine.now, loaded.config)),
        );
  } finally {
    await store?.close();
  }
  const { backup_dir: folder } = loaded.config;
  await add('backups', checkBackups(loaded, machine.now, folder === null ? undefined : lastBackup(folder)));
  return found;
}

/** The store, where there is one that can be opened, and what is to be said of that. */
async function openStoreOf({ data_dir: folder }: Config): Promise<{ readonly store?: Store; readonly verdict: Verdict }> {
  const plan = planFolder(folder);
  try {
    if (!(await isStored(plan))) return { verdict: note(`there is no store in ${folder} yet`, 'the first start makes one') };
    return { store: await openToRead(plan), verdict: ok(`the store in ${folder} can be opened`) };
  } catch (error) {
    return {
      verdict: problem(error instanceof Error ? error.message : String(error), 'see "When something breaks" in docs/operations.md'),
    };
  }
}
