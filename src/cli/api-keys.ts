import { API_SCOPES } from '../recipes/tenants/api-keys.ts';
import type { ShownApiKey } from '../recipes/tenants/keep-api-keys.ts';
import { UsageError } from '../transfer/command-line.ts';
import { bind, type Bound, CommandFault, EXIT } from './command.ts';
import { CORE_FLAGS, show, withCore } from './connection.ts';
import { table, time } from './table.ts';
import { confirm } from './terminal.ts';

const PATH = '/manage/v1/api-keys';
const DAY_MS = 86_400_000;

interface Listed {
  readonly apiKeys: readonly ShownApiKey[];
  readonly inConfiguration: number;
}

const LIST = bind(
  { name: 'list', about: 'Lists the API keys of an app, without the keys themselves.', examples: ['api-key list'], flags: CORE_FLAGS },
  async ({ flags }, { print }) => {
    const answer = await withCore(flags, (core) => core.call<Listed>('GET', PATH));
    const { apiKeys, inConfiguration } = answer;
    show(flags, print, answer, () => {
      const rows = apiKeys.map((key) => [key.name, key.scopes.join(','), time(key.createdAt), time(key.expiresAt), time(key.lastUsedAt)]);
      return `${table(['name', 'scopes', 'created', 'expires', 'last used'], rows)}Keys in the configuration, which have all scopes: ${inConfiguration}\n`;
    });
    return EXIT.done;
  },
);

interface Added {
  readonly status: string;
  readonly key: string;
}

const ADD = bind(
  {
    name: 'add',
    operands: ['<NAME>'],
    about: 'Makes an API key and prints it, this once.\nThe first key of an app that had none makes the app ask for a key.',
    examples: ['api-key add backend --scope cdi', 'api-key add support --scope read --scope users --days 90'],
    flags: {
      ...CORE_FLAGS,
      scope: { value: 'SCOPE', many: true, choices: API_SCOPES, doc: 'what it is good for; several times for several' },
      days: { value: 'N', doc: 'how long it is good (for ever)' },
    },
  },
  async ({ operands: [name = ''], flags }, { print }) => {
    if (flags.scope.length === 0) throw new UsageError(`Say what it is good for: --scope, one of ${API_SCOPES.join(', ')}`);
    const body = { name, scopes: flags.scope, ...(flags.days !== undefined && { validityMs: daysOf(flags.days) }) };
    const answer = await withCore(flags, (core) => core.call<Added>('POST', PATH, { body }));
    if (answer.status !== 'OK') throw new CommandFault(`There is a key ${name} already: remove it first, or choose another name`);
    show(flags, print, answer, () => `${answer.key}\n`);
    return EXIT.done;
  },
);

function daysOf(text: string): number {
  const days = Number(text);
  if (!(days > 0 && days <= 36_500)) throw new UsageError('--days must be a number above 0, at most 36500');
  return Math.ceil(days * DAY_MS);
}

const REMOVE = bind(
  {
    name: 'remove',
    operands: ['<NAME>'],
    about: 'Removes an API key, which opens nothing from then on.',
    examples: ['api-key remove backend --yes'],
    flags: { ...CORE_FLAGS, yes: { doc: 'do it without a question' } },
  },
  async ({ operands: [name = ''], flags }, terminal) => {
    if (!(await confirm(terminal, flags.yes, `Who uses the key ${name} will be refused.`))) return EXIT.failed;
    const answer = await withCore(flags, (core) => core.call<{ didExist: boolean }>('POST', `${PATH}/remove`, { body: { name } }));
    if (!answer.didExist) throw new CommandFault(`There is no key ${name}`, EXIT.notFound);
    show(flags, terminal.print, answer, () => `The key ${name} is removed.\n`);
    return EXIT.done;
  },
);

/** `watchword api-key`. */
export const commands: readonly Bound[] = [LIST, ADD, REMOVE];
