import { closeBlocklist } from '../blocklist/blocklist.ts';
import { openConfigured } from '../blocklist/configured.ts';
import { ConfigError, loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import type { Reloaded } from '../config/reload.ts';
import { sampleFile } from '../config/sample.ts';
import { UsageError } from '../transfer/command-line.ts';
import { asking } from './answers.ts';
import { bind, type Bound, CommandFault, EXIT } from './command.ts';
import { show } from './connection.ts';
import { CHANGED_ONLY, effective, optionsTable } from './tenants.ts';

/** What a check comes to, as a reload says it. */
type Checked = { readonly status: 'OK'; readonly warnings: readonly string[] } | Extract<Reloaded, { status: 'INVALID_CONFIG_ERROR' }>;

function check(file: string | undefined): Checked {
  const argv = file === undefined ? [] : ['--config', file];
  try {
    const { config, warnings } = loadConfig({ argv, env: environment(), cwd: process.cwd() });
    const blocklist = openConfigured(config);
    if (blocklist) closeBlocklist(blocklist);
    return { status: 'OK', warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { status: 'INVALID_CONFIG_ERROR', faults: error.faults };
    throw error;
  }
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const CHECK = bind(
  {
    name: 'check',
    operands: ['[FILE]'],
    about:
      'Says whether a core would start with a file and this environment, and names everything that is wrong.\nThe exit code is 78 where something is. A secret is never printed.',
    examples: ['config check /etc/watchword.yaml', 'config check --json'],
    flags: { json: { doc: 'print the answer as JSON' } },
  },
  async ({ operands: [file], flags }, { print }) => {
    const checked = check(file);
    show(flags, print, checked, () =>
      checked.status === 'OK' ? linesOf([...checked.warnings, 'The configuration is right.']) : linesOf(checked.faults),
    );
    return checked.status === 'OK' ? EXIT.done : EXIT.configuration;
  },
);

const SHOW = asking({
  name: 'show',
  about: 'Shows the options in force for the core, and where each comes from.\nFor an app or a tenant: app show, tenant show.',
  examples: ['config show', 'config show --changed --json'],
  flags: CHANGED_ONLY,
  ask: (core, _, { changed }) => effective(core, changed),
  text: optionsTable,
});

const SAMPLE = bind(
  {
    name: 'sample',
    about: 'Prints a configuration file that sets nothing and tells of every option.',
    examples: ['config sample > watchword.yaml'],
    flags: {},
  },
  async (_, { print }) => {
    print(sampleFile());
    return EXIT.done;
  },
);

const RELOAD = asking({
  name: 'reload',
  about: 'Has a running core read its configuration anew, and take it over or refuse it whole.\nThe exit code is 78 where it was refused.',
  examples: ['config reload', 'config reload --url http://localhost:3567 --json'],
  ask: async (core, _, flags) => {
    if (flags['data-dir'] !== undefined) throw new UsageError('Only a running core reloads: use --url');
    const reloaded = await core.call<Reloaded>('POST', '/manage/v1/config/reload');
    if (reloaded.status === 'OK') return reloaded;
    throw new CommandFault(`the core goes on with what it had, since this is wrong:\n${reloaded.faults.join('\n')}`, EXIT.configuration);
  },
  text: ({ changed, needsRestart }) =>
    linesOf([
      changed.length === 0 ? 'Nothing changed.' : `In force: ${changed.join(', ')}`,
      ...(needsRestart.length === 0 ? [] : [`Need a restart: ${needsRestart.join(', ')}`]),
    ]),
});

/** `watchword config`. */
export const commands: readonly Bound[] = [CHECK, SHOW, SAMPLE, RELOAD];
