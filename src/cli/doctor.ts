import { loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { checkRecords } from '../doctor/check-records.ts';
import { UsageError } from '../transfer/command-line.ts';
import { bind, EXIT } from './command.ts';

/** `watchword doctor`. */
export const DOCTOR_COMMAND = bind(
  {
    name: 'doctor',
    about: [
      'Reads the whole store and checks it, also while a core runs on it.',
      'Each finding is a line that names digests of keys, and nothing of what is stored. The exit code is 0 when there are none, and 1 otherwise.',
    ].join('\n'),
    examples: ['doctor --check-store --data-dir /data'],
    flags: {
      'check-store': { doc: 'check the store' },
      'data-dir': { value: 'DIR', doc: 'the data folder (that of the configuration)' },
      config: { value: 'FILE', doc: 'YAML file with the options of the core' },
      quiet: { doc: 'say nothing but what was found' },
    },
  },
  async ({ flags }, { print, screen, signal }) => {
    if (!flags['check-store']) throw new UsageError('Say what to do: --check-store');
    const argv = (['data-dir', 'config'] as const).flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]));
    const { config } = loadConfig({ argv, env: environment(), cwd: process.cwd(), serves: false });
    const quiet = flags.quiet ? { ...screen, write: () => undefined } : screen;
    const found = await checkRecords(config.data_dir, { screen: quiet, finding: (text) => print(`${text}\n`), signal });
    return found === 0 ? EXIT.done : EXIT.failed;
  },
);
