import { flagName, OPTION_NAMES, type OptionName, optionOf } from '../config/options.ts';
import { mayBeFlag } from '../config/secret-flags.ts';
import type { Flag } from '../transfer/command-line.ts';
import { bind, EXIT } from './command.ts';

/** How help names values of a type. */
const VALUES = { boolean: 'true|false', string: 'TEXT', keys: 'KEY,…', list: 'NAME,…' } as const;

function flagOf(name: OptionName): Flag {
  const { doc, type, values, initial, initialText } = optionOf(name);
  const value = values?.join('|') ?? (Object.hasOwn(VALUES, type) ? VALUES[type as keyof typeof VALUES] : 'N');
  const isPlain = initial !== null && initial !== '';
  return {
    value,
    doc:
      initialText !== undefined || isPlain
        ? `${doc} Default: ${initialText ?? (Array.isArray(initial) ? initial.join(', ') : String(initial))}.`
        : doc,
  };
}

const OWN_FLAGS: Readonly<Record<string, Flag>> = {
  config: { value: 'FILE', doc: 'YAML file with options.' },
  'test-mode': { doc: 'Second-scale key intervals; never in production.' },
};

/** `watchword start`, for help and completion: the core itself reads its command line (`src/config`). */
export const START = bind(
  {
    name: 'start',
    about: [
      'Serves until SIGTERM or SIGINT.',
      'Every option is also a key of the YAML file and a variable of the environment, as docs/configuration.md says; a flag wins.',
      'Secrets, such as api_keys, are no flags: others on the machine would see them.',
      '"--flag value" and "--flag=value" are the same; true may be left out.',
    ].join('\n'),
    examples: ['start --data-dir /var/lib/watchword --port 3567', 'start --config /etc/watchword.yaml'],
    flags: { ...OWN_FLAGS, ...Object.fromEntries(OPTION_NAMES.filter(mayBeFlag).map((name) => [flagName(name), flagOf(name)])) },
  },
  async () => EXIT.usage,
);
