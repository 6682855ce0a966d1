import type { ShownKey } from '../recipes/signing-keys/operate.ts';
import { bind, type Bound, CommandFault, EXIT } from './command.ts';
import { CORE_FLAGS, show, withCore } from './connection.ts';
import { table, time } from './table.ts';
import { confirm } from './terminal.ts';

const PATH = '/manage/v1/signing-keys';
const YES = { doc: 'do it without a question' } as const;

const LIST = bind(
  { name: 'list', about: 'Lists the keys that sign or verify tokens.', examples: ['keys list'], flags: CORE_FLAGS },
  async ({ flags }, { print }) => {
    const answer = await withCore(flags, (core) => core.call<{ keys: readonly ShownKey[] }>('GET', PATH));
    show(flags, print, answer.keys, () =>
      table(
        ['key', 'kind', 'state', 'created', 'verifies until'],
        answer.keys.map((key) => [key.kid, key.kind, key.state, time(key.createdAt), time(key.verifiesUntil)]),
      ),
    );
    return EXIT.done;
  },
);

const ROTATE = bind(
  {
    name: 'rotate',
    about:
      'Makes a new signing key, which signs after a minute.\nVerifiers have that minute to fetch it; the key before it goes on verifying.',
    examples: ['keys rotate', 'keys rotate --static'],
    flags: { ...CORE_FLAGS, static: { doc: 'the key of JWTs that rotates by hand alone, instead of the dynamic one' } },
  },
  async ({ flags }, { print }) => {
    const body = { kind: flags.static ? 'static' : 'dynamic' };
    const answer = await withCore(flags, (core) => core.call<{ kid: string }>('POST', `${PATH}/rotate`, { body }));
    show(flags, print, answer, () => `${answer.kid}\n`);
    return EXIT.done;
  },
);

interface Retired {
  readonly status: string;
  readonly breaks?: string;
}

const RETIRE = bind(
  {
    name: 'retire',
    operands: ['<KEY>'],
    about: 'Removes a signing key at once: nothing that it signed verifies any more.',
    examples: ['keys retire d-1795355866700 --yes'],
    flags: { ...CORE_FLAGS, yes: YES },
  },
  async ({ operands: [kid = ''], flags }, terminal) => {
    if (!(await confirm(terminal, flags.yes, `What ${kid} signed will not verify any more.`))) return EXIT.failed;
    const answer = await withCore(flags, (core) => core.call<Retired>('POST', `${PATH}/retire`, { body: { kid } }));
    if (answer.status !== 'OK') throw new CommandFault(`There is no key ${kid}`, EXIT.notFound);
    show(flags, terminal.print, answer, () => `${answer.breaks}\n`);
    return EXIT.done;
  },
);

/** `watchword keys`. */
export const commands: readonly Bound[] = [LIST, ROTATE, RETIRE];
