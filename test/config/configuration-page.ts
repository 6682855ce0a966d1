import { mayBeFlag } from '../../src/config/secret-flags.ts';
import { ALIASES, environmentName, flagName, OPTION_NAMES, type OptionName, optionOf } from '../../src/config/options.ts';

const LEVELS = {
  B: 'the whole core',
  A: 'an app',
  T: 'a tenant',
} as const;

const TYPES = {
  int: 'integer',
  long: 'integer',
  double: 'number',
  boolean: 'true or false',
  string: 'text',
  keys: 'list',
  list: 'list',
} as const;

const INTRODUCTION = `# Configuration

Every option can stand in a YAML file (\`--config FILE\`, under its name), in the environment, and, unless it is a secret, on the command line (\`--flag value\` or
\`--flag=value\`; a flag of type "true or false" may stand alone). Default, file, environment, command line: the later wins. An empty
environment variable counts as not set; a value in double quotes is unwrapped. All mistakes are reported together at start.

What is no option is a mistake too, and the nearest known name is named: in the file, on the command line, and in the environment where a name begins with
\`WATCHWORD_\` or \`SUPERTOKENS_\`. Variables that container platforms set for a service of that name (\`SUPERTOKENS_SERVICE_HOST\`,
\`SUPERTOKENS_PORT=tcp://…\`) are left alone, and so is \`WATCHWORD_API_KEY\`, which commands read.

SIGHUP and \`POST /manage/v1/config/reload\` apply changes of the file while the core runs ([operations.md](operations.md#changing-the-configuration)),
but for options marked "restart", which keep their value until the next start.

"Per" says what may have a value of its own, set as \`coreConfig\` of a connection URI domain, app or tenant: the nearest value counts. An
app's options hold for all its tenants. Options marked with \\* can neither be seen nor changed without the key \`supertokens_saas_secret\`,
where one is set.

Options of the SuperTokens core that configure its database (\`postgresql_*\`, \`mysql_*\`, \`mongodb_*\`, \`migration_mode\`) are accepted and ignored; a line
of the log names them, and the options below that have no effect.
\`--test-mode\`, on the command line only, allows intervals of seconds where the rules below ask for more; it is not for production.
`;

const HEADER = ['Option', 'Meaning', 'Type', 'Default', 'Per', 'Change needs', 'Environment', 'Flag'];

/** The page \`docs/configuration.md\`, made from the option table. */
export function configurationMarkdown(): string {
  const rows = OPTION_NAMES.map(rowOf);
  return `${INTRODUCTION}\n${[HEADER, HEADER.map(() => '---'), ...rows].map(lineOf).join('\n')}\n`;
}

const lineOf = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

function rowOf(name: OptionName): readonly string[] {
  const { doc, level, restart, type, values, initial, initialText, nullable, protected: isProtected } = optionOf(name);
  const alias = Object.keys(ALIASES).find((key) => ALIASES[key] === name);
  const variable = environmentName(name);
  return [
    [name, alias]
      .filter((key) => key !== undefined)
      .map(code)
      .join(', ') + (isProtected ? ' \\*' : ''),
    doc,
    values ? values.map(code).join(', ') : type === 'enum' ? 'text' : TYPES[type],
    initialText ??
      (initial === null ? 'none' : initial === '' ? 'empty' : code(String(initial))) +
        (nullable && initial !== null ? ' (may be null)' : ''),
    LEVELS[level],
    restart ? 'restart' : '',
    variable === undefined ? '' : code(variable),
    mayBeFlag(name) ? code(`--${flagName(name)}`) : '',
  ];
}
