import { OPERATOR_ROLES, type OperatorRole } from '../recipes/operators/roles.ts';
import type { ShownOperator } from '../recipes/admin/operators.ts';
import { UsageError } from '../transfer/command-line.ts';
import { asking, type Outcome, ok } from './answers.ts';
import { bind, type Bound, CommandFault, EXIT } from './command.ts';
import { CORE_FLAGS, type Core, show, withCore } from './connection.ts';
import { facts, table, time } from './table.ts';
import { readSecret, type Terminal } from './terminal.ts';

const PATH = '/manage/v1/operators';
const NOBODY = { UNKNOWN_USER_ERROR: 'There is no dashboard user with this email' } as const;

const list = async (core: Core): Promise<readonly ShownOperator[]> =>
  (await core.call<{ operators: readonly ShownOperator[] }>('GET', PATH)).operators;

/** The role that an operand names. @throws UsageError */
function roleOf(text: string | undefined): OperatorRole {
  const role = OPERATOR_ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`The role is one of ${OPERATOR_ROLES.join(', ')}`);
  return role;
}

/** The password of a new operator: from a file, or asked for twice. @throws UsageError where nobody can be asked */
async function newPassword(file: string | undefined, { isAttended, askSecret }: Terminal): Promise<string> {
  if (file !== undefined) return readSecret('password-file', file);
  if (!isAttended) throw new UsageError('Say the password in a file: --password-file, - for standard input');
  const password = await askSecret('Password: ');
  if (password !== (await askSecret('The same again: '))) throw new CommandFault('These are two passwords');
  return password;
}

const ADD_FAULTS = {
  EMAIL_ALREADY_EXISTS_ERROR: 'There is a dashboard user with this email already: give a role to that one by "operator grant"',
  INVALID_EMAIL_ERROR: 'This is no email',
} as const;

const ADD = bind(
  {
    name: 'add',
    operands: ['<EMAIL>'],
    about: 'Makes a dashboard user who can sign in to the admin page.\nThe password is asked for, or read from a file.',
    examples: ['operator add ann@example.com --data-dir /data', 'operator add bob@example.com --role support --password-file -'],
    flags: {
      ...CORE_FLAGS,
      role: { value: 'ROLE', choices: OPERATOR_ROLES, doc: 'what the operator may do (admin: everything)' },
      'password-file': { value: 'FILE', doc: 'file with the password, - for standard input' },
    },
  },
  async ({ operands: [email], flags }, terminal) => {
    const role = flags.role ?? 'admin';
    const password = await newPassword(flags['password-file'], terminal);
    const answer = await withCore(flags, (core) =>
      core.call<Outcome & { message?: string }>('POST', `${PATH}/add`, { body: { email, password, role } }),
    );
    if (answer.message !== undefined) throw new CommandFault(answer.message);
    show(flags, terminal.print, ok(answer, ADD_FAULTS), () => `${email} is an operator with the role ${role}.\n`);
    return EXIT.done;
  },
);

/** `watchword operator`: who may use the admin page. */
export const commands: readonly Bound[] = [
  asking({
    name: 'list',
    about: 'Lists who can sign in to the admin page.',
    examples: ['operator list'],
    ask: list,
    text: (operators) =>
      table(
        ['operator', 'role', 'granted', 'one-time codes', 'sessions'],
        operators.map(({ email, role, grantedAt, hasTotp, sessions }) => [email, role, time(grantedAt), hasTotp, sessions.length]),
      ),
  }),
  asking({
    name: 'show',
    operands: ['<EMAIL>'],
    about: 'Shows an operator and the sessions that go on.',
    examples: ['operator show ann@example.com'],
    ask: async (core, [email = '']) => {
      const operator = (await list(core)).find((one) => one.email === email.trim().toLowerCase());
      if (!operator) throw new CommandFault(`${email} is no operator`, EXIT.notFound);
      return operator;
    },
    text: ({ userId, email, role, grantedAt, hasTotp, sessions }) =>
      facts([
        ['id', userId],
        ['email', email],
        ['role', role],
        ['granted', time(grantedAt)],
        ['one-time codes', hasTotp],
      ]) +
      table(
        ['began', 'used', 'ends', 'from'],
        sessions.map((session) => [time(session.createdAt), time(session.usedAt), time(session.expiresAt), session.address]),
      ),
  }),
  ADD,
  asking({
    name: 'grant',
    operands: ['<EMAIL>', '<ROLE>'],
    about: `Gives a dashboard user a role on the admin page: ${OPERATOR_ROLES.join(', ')}.`,
    examples: ['operator grant ann@example.com support'],
    ask: async (core, [email, role]) =>
      ok(await core.call<Outcome>('POST', `${PATH}/grant`, { body: { email, role: roleOf(role) } }), NOBODY),
    text: (_, [email, role]) => `${email} has the role ${role}.\n`,
  }),
  asking({
    name: 'revoke',
    operands: ['<EMAIL>'],
    about: 'Takes the role away: the sessions end, and nobody signs in with this email any more.',
    examples: ['operator revoke ann@example.com --yes'],
    warning: ([email]) => `${email} will be signed out of the admin page for good.`,
    ask: async (core, [email]) => {
      const answer = await core.call<Outcome & { didExist: boolean }>('POST', `${PATH}/revoke`, { body: { email } });
      if (!answer.didExist) throw new CommandFault(`${email} is no operator`, EXIT.notFound);
      return answer;
    },
    text: (_, [email]) => `${email} is no operator any more.\n`,
  }),
  asking({
    name: 'sign-out',
    operands: ['<EMAIL>'],
    about: 'Ends all sessions of an operator.',
    examples: ['operator sign-out ann@example.com'],
    ask: async (core, [email]) =>
      ok(await core.call<Outcome & { ended: number }>('POST', `${PATH}/sessions/end`, { body: { email } }), NOBODY),
    text: ({ ended }, [email]) => `${ended} sessions of ${email} ended.\n`,
  }),
  asking({
    name: 'remove-totp',
    operands: ['<EMAIL>'],
    about: 'Lets an operator who lost the device sign in without one-time codes.',
    examples: ['operator remove-totp ann@example.com --yes'],
    warning: ([email]) => `${email} will sign in by the password alone.`,
    ask: async (core, [email]) =>
      ok(await core.call<Outcome & { didExist: boolean }>('POST', `${PATH}/totp/remove`, { body: { email } }), NOBODY),
    text: ({ didExist }, [email]) => (didExist ? `${email} needs no one-time codes any more.\n` : `${email} needed none.\n`),
  }),
];
