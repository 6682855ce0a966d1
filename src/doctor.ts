import { loadConfig } from './config/config.ts';
import { environment } from './config/environment.ts';
import { COLLECTIONS } from './recipes/recipes.ts';
import { leases } from './jobs/runner.ts';
import type { CheckCount } from './store/check-store.ts';
import { checkStored } from './store/open-store.ts';
import { planFolder } from './store/plan.ts';
import { type Command, type CommandLine, UsageError } from './transfer/command-line.ts';
import { count, duration, type Screen } from './transfer/progress.ts';

/** `watchword doctor`. */
export const DOCTOR = {
  name: 'doctor',
  about: [
    'Reads the whole store and checks it, also while a core runs on the folder: the pages of the database, the sum of each record and of',
    'each index entry, and that they lead to each other. Nothing is changed. Each finding is one line on standard output, which names',
    'digests of keys and nothing of what is stored. The exit code is 0 when there are none, and 1 otherwise.',
  ].join('\n'),
  examples: ['doctor --check-store --data-dir ./data'],
  flags: {
    'check-store': { doc: 'check the store' },
    'data-dir': { value: 'DIR', doc: 'the data folder (that of the configuration)' },
    config: { value: 'FILE', doc: 'YAML file with the options of the core' },
    quiet: { doc: 'say nothing but what was found' },
  },
} as const satisfies Command;

/** Exit codes. */
const SOUND = 0;
const FOUND = 1;
/** A terminal is written to so often at most, anything else so seldom. */
const TERMINAL_MS = 100;
const LINE_MS = 5_000;

/**
 * `watchword doctor`: answers the exit code.
 * @throws UsageError, ConfigError, or what the store says
 */
export async function runDoctor({ flags }: CommandLine<typeof DOCTOR.flags>, screen: Screen, signal: AbortSignal): Promise<number> {
  if (!flags['check-store']) throw new UsageError('Say what to do: --check-store');
  const say = flags.quiet ? () => undefined : screen.write;
  let found = 0;
  const begun = screen.now();
  const report = {
    finding: (text: string) => {
      found += 1;
      process.stdout.write(`${text}\n`);
    },
    progress: progressOn({ ...screen, write: say }),
  };
  const checked = await checkStored(planFolder(folderOf(flags)), [...COLLECTIONS, leases], report, signal);
  say(`${screen.isTerminal ? '\r' : ''}${summary(checked, found, (screen.now() - begun) / 1000)}\n`);
  return found === 0 ? SOUND : FOUND;
}

function folderOf(flags: { readonly 'data-dir': string | undefined; readonly config: string | undefined }): string {
  const words = (['data-dir', 'config'] as const).flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]));
  return loadConfig({ argv: words, env: environment(), cwd: process.cwd(), serves: false }).config.data_dir;
}

function summary(checked: CheckCount | undefined, found: number, seconds: number): string {
  const findings = found === 0 ? 'nothing was found' : `${count(found)} ${found === 1 ? 'finding' : 'findings'}`;
  if (!checked) return `Pages of the database are damaged, so that its records were not looked at: ${findings}.`;
  const { records, indexEntries, withoutSum } = checked;
  const old = withoutSum === 0 ? '' : `, ${count(withoutSum)} of them without a sum, from an older version`;
  return `${count(records)} records and ${count(indexEntries)} index entries were checked in ${duration(seconds)}${old}: ${findings}.`;
}

/** Tells now and then how far the check is. */
function progressOn({ isTerminal, now, write }: Screen): (checked: number, total: number) => void {
  let written = isTerminal ? Number.NEGATIVE_INFINITY : now();
  return (checked, total) => {
    if (now() - written < (isTerminal ? TERMINAL_MS : LINE_MS)) return;
    written = now();
    const text = `${count(checked)} of ${count(total)} entries checked`;
    write(isTerminal ? `\r${text}` : `${text}\n`);
  };
}
