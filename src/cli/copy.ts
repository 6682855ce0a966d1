import { loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { holdsPassword } from '../config/secret-flags.ts';
import { STORED } from '../doctor/check-records.ts';
import { copyStore } from '../store/open-store.ts';
import { PLACE_EXAMPLES, PLACE_TEXT, planPlace } from '../store/place.ts';
import type { StorePlan } from '../store/plan.ts';
import { type Given, UsageError } from '../transfer/command-line.ts';
import { count, countEntries, duration, Progress } from '../transfer/progress.ts';
import { bind, CommandFault, EXIT } from './command.ts';
import { show } from './connection.ts';
import { facts } from './table.ts';

const FLAGS = {
  from: { value: 'PLACE', doc: `the store that is copied: ${PLACE_TEXT}` },
  to: { value: 'PLACE', doc: 'where to: the same; nothing may be there but an unfinished copy of this source' },
  'from-schema': { value: 'NAME', doc: 'schema of the source, where it is a database' },
  'to-schema': { value: 'NAME', doc: 'schema of the target, where it is a database' },
  'from-password-file': { value: 'FILE', doc: 'file with the password of the source; else as the configuration says, else PGPASSWORD' },
  'to-password-file': { value: 'FILE', doc: 'file with the password of the target; else as the configuration says, else PGPASSWORD' },
  config: { value: 'FILE', doc: 'YAML file with the options of the core' },
  json: { doc: 'print the answer as JSON' },
} as const;

type CopyFlags = Given<typeof FLAGS>;
type Side = 'from' | 'to';

const { folder, database } = PLACE_EXAMPLES;

/** `watchword copy`. */
export const COPY_COMMAND = bind(
  {
    name: 'copy',
    about: [
      'Copies a whole store to another place, such as from a folder to a database or back.',
      'No core may use either of them meanwhile. Ended at any moment, the same command goes on where it stopped.',
      'At the end both sides are read and compared; until that is done no core opens the target. The source stays as it is.',
    ].join('\n'),
    examples: [`copy --from ${folder} --to ${database} --to-password-file /run/secrets/database`, `copy --from ${database} --to ${folder}`],
    flags: FLAGS,
  },
  async ({ flags }, { print, screen, signal }) => {
    // The store of a folder is as secret as what it holds.
    process.umask(0o077);
    const [from, to] = [planOf(flags, 'from'), planOf(flags, 'to')];
    const bars = {
      copied: new Progress(screen, 'copied', countEntries),
      compared: new Progress(screen, 'compared', countEntries),
    };
    const begun = screen.now();
    const account = await copyStore(from, to, {
      progress: (stage, done, total) => bars[stage].show({ done, part: total === 0 ? 1 : Math.min(1, done / total) }),
      signal,
      collections: STORED,
    })
      .catch((error: unknown) => {
        throw signal.aborted ? new CommandFault('stopped; the same command goes on from here') : error;
      })
      .finally(() => bars.copied.clear());
    const { recordCommandIn } = await import('../transfer/record-command.ts');
    await recordCommandIn(to, 'store.copied', 'copy', Date.now);
    show(flags, print, account, () =>
      facts([
        ['copied entries', count(account.entries)],
        ['of them before', account.resumedAt === 0 ? undefined : count(account.resumedAt)],
        ['SHA-256 of both sides', account.sha256],
        ['took', duration((screen.now() - begun) / 1000)],
      ]),
    );
    return EXIT.done;
  },
);

function planOf(flags: CopyFlags, side: Side): StorePlan {
  const place = flags[side];
  if (place === undefined) throw new UsageError('Name both places: --from and --to');
  if (place.includes('://') && holdsPassword(place))
    throw new UsageError(
      `--${side} holds a password, which everybody on this machine sees in the list of processes: use --${side}-password-file or the variable PGPASSWORD`,
    );
  const argv = flags.config === undefined ? [] : ['--config', flags.config];
  const { config } = loadConfig({ argv, env: environment(), cwd: process.cwd(), serves: false });
  const manner = { schema: flags[`${side}-schema`], passwordFile: flags[`${side}-password-file`] };
  const plan = planPlace(place, manner, config);
  if (!plan) throw new UsageError(`--${side} must be ${PLACE_TEXT}`);
  return plan;
}
