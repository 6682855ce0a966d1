import { join } from 'node:path';
import type { LoadedConfig } from '../config/config.ts';
import { isLoopback } from '../config/loopback.ts';
import type { LastBackup } from '../jobs/scheduled-backups.ts';
import { HOUR_MS } from '../recipes/recipe.ts';
import { note, ok, problem, type Verdict, warning } from './finding.ts';
import type { Machine } from './machine.ts';

/* Who may read what is kept, and who may ask. */

/** Bits of others than the owner. */
const OTHERS = 0o077;

const octal = (mode: number): string => `0${mode.toString(8).padStart(3, '0')}`;

/** The folder of the store and all files in it, the configuration file, and the folder of backups. */
export function checkPermissions({ config, configFile }: LoadedConfig, machine: Machine): readonly Verdict[] {
  const { data_dir: data, backup_dir: backups } = config;
  const files = machine.list(data).map((name) => join(data, name));
  const found = [data, ...files, configFile, ...(backups === null ? [] : [backups])].flatMap((path) => verdictOn(path, machine));
  return found.length > 0 ? found : [ok('only their owner can read the data folder and the configuration')];
}

function verdictOn(path: string, machine: Machine): readonly Verdict[] {
  const access = machine.access(path);
  if (!access) return [];
  const { mode, owner } = access;
  const isOther = machine.user !== undefined && machine.user !== 0 && owner !== machine.user;
  return [
    ...(isOther
      ? [warning(`${path} belongs to user ${owner}, not to ${machine.user}`, `run this as the user of the core, or "chown" it`)]
      : []),
    ...((mode & OTHERS) === 0 ? [] : [warning(`others can get at ${path} (mode ${octal(mode)})`, `chmod go-rwx ${path}`)]),
  ];
}

/** @param keptKeys API keys in the store; undefined where it was not looked into */
export function checkOpenAddress({ config }: LoadedConfig, keptKeys: number | undefined): readonly Verdict[] {
  const { host, api_keys: keys } = config;
  const count = (keys?.length ?? 0) + (keptKeys ?? 0);
  if (count > 0) return [ok(`${count} API ${count === 1 ? 'key opens' : 'keys open'} the base app`)];
  if (isLoopback(host)) return [note('no API key is asked, of callers on this machine', 'set api_keys before it listens elsewhere')];
  return [problem(`no API key is asked, and it listens on ${host}`, 'set api_keys: whoever reaches it can sign in as anybody')];
}

/** Whether backups are made on a schedule, and come. @param last the newest one in the folder of backups */
export function checkBackups({ config }: LoadedConfig, now: number, last: LastBackup | undefined): readonly Verdict[] {
  const { backup_dir: folder, backup_every: every } = config;
  if (folder === null) return [note('no backups are made on a schedule', 'set backup_dir, or run "watchword backup" from a timer')];
  if (!last) return [warning(`there is no backup in ${folder} yet`, 'the first comes one backup_every after the first start with it')];
  const hours = (now - last.at) / HOUR_MS;
  const text = `the last backup in ${folder} is ${hours.toFixed(1)} hours old`;
  return [hours > 2 * every ? problem(text, 'look for "a job failed" in the log') : ok(text)];
}
