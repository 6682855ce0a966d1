import type { ShownUser as Shown } from '../recipes/management/show-user.ts';
import type { SessionSummary } from '../recipes/session/session-summaries.ts';
import { UsageError } from '../transfer/command-line.ts';
import { asking, type Outcome, ok } from './answers.ts';
import { type Bound, CommandFault } from './command.ts';
import type { Core } from './connection.ts';
import { facts, table, time } from './table.ts';
import { readSecret } from './terminal.ts';
import { sessionsTable } from './sessions.ts';

interface LoginMethod {
  readonly recipeId: string;
  readonly recipeUserId: string;
  readonly tenantIds: readonly string[];
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly thirdParty?: { readonly id: string; readonly userId: string };
  readonly verified: boolean;
}

interface User {
  readonly id: string;
  readonly emails: readonly string[];
  readonly phoneNumbers: readonly string[];
  readonly thirdParty: readonly { readonly id: string; readonly userId: string }[];
  readonly tenantIds: readonly string[];
  readonly timeJoined: number;
  readonly loginMethods: readonly LoginMethod[];
}

/** What the endpoint shows, with the user as JSON has it. */
type ShownUser = Omit<Shown, 'status' | 'user'> & { readonly user: User };

const USER = '/manage/v1/user';
const UNKNOWN = { UNKNOWN_USER_ID_ERROR: 'There is no such user' } as const;
const PAGE = 500;

const PAGE_FLAGS = {
  limit: { value: 'N', doc: 'how many at most (100)' },
  all: { doc: 'all of them, however many there are' },
} as const;

function limitOf(flags: { readonly limit: string | undefined; readonly all: boolean }): number {
  if (flags.all) return Number.POSITIVE_INFINITY;
  const limit = Number(flags.limit ?? 100);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1 on');
  return limit;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Page after page, until there are enough. */
async function gathered<T>(
  most: number,
  page: (limit: number, paginationToken: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const { items, next } = await page(Math.min(PAGE, most - found.length), token);
    found.push(...items);
    token = next;
  } while (token !== undefined && found.length < most);
  return found;
}

async function showUser(core: Core, userId: string): Promise<ShownUser> {
  return ok(await core.call<Outcome & ShownUser>('GET', USER, { query: { userId } }), UNKNOWN);
}

/** The login method with an email, the only one where none is named. @throws CommandFault, UsageError */
function methodWithEmail({ user }: ShownUser, email: string | undefined): { readonly recipeUserId: string; readonly email: string } {
  const methods = user.loginMethods.flatMap((method) => (method.email === undefined ? [] : [{ ...method, email: method.email }]));
  const fitting = email === undefined ? methods : methods.filter((method) => method.email === email.trim().toLowerCase());
  const [first] = fitting;
  if (!first) throw new CommandFault(email === undefined ? 'The user has no email' : `The user has no email ${email}`);
  if (new Set(fitting.map((method) => method.email)).size > 1) throw new UsageError('The user has several emails: say which with --email');
  return first;
}

/** A verb of the management endpoints that takes a user alone. */
function simple(name: string, about: string, done: string, warning?: string): Bound {
  return asking({
    name,
    operands: ['<USER>'],
    about,
    examples: [`user ${name} 3f2c…${warning === undefined ? '' : ' --yes'}`],
    ...(warning !== undefined && { warning: () => warning }),
    ask: async (core, [userId]) => ok(await core.call<Outcome>('POST', `${USER}/${name}`, { body: { userId } }), UNKNOWN),
    text: (_, [userId]) => `${userId} ${done}.\n`,
  });
}

const FIND = asking({
  name: 'find',
  operands: ['[EMAIL]'],
  about: 'Finds users by the beginning of an email, a phone number, an id or a provider, by a passkey, or by metadata.',
  examples: ['user find ann@', 'user find --provider google', 'user find --metadata plan=gold --tenant-id t1'],
  flags: {
    email: { value: 'PREFIX', doc: 'how an email begins; the same as the operand' },
    phone: { value: 'PREFIX', doc: 'how a phone number begins' },
    provider: { value: 'PREFIX', doc: 'how the id of a third party begins, or ID::USER' },
    id: { value: 'PREFIX', doc: 'how an id begins, ours or an external one' },
    passkey: { value: 'ID', doc: 'the id of a passkey, as browsers spell it' },
    metadata: { value: 'KEY=VALUE', doc: 'a key that the option metadata_search_keys names' },
    ...PAGE_FLAGS,
  },
  ask: (core, [operand], flags) => {
    const [metadataKey, ...value] = flags.metadata?.split('=') ?? [];
    const query = {
      email: flags.email ?? operand,
      phone: flags.phone,
      provider: flags.provider,
      id: flags.id,
      credentialId: flags.passkey,
      metadataKey,
      metadataValue: metadataKey === undefined ? undefined : value.join('='),
    };
    return gathered(limitOf(flags), async (limit, paginationToken) => {
      const answer = await core.call<{ users: readonly User[]; nextPaginationToken?: string }>('GET', '/manage/v1/users', {
        query: { ...query, limit, paginationToken },
        inTenant: true,
      });
      return { items: answer.users, next: answer.nextPaginationToken };
    });
  },
  text: (users) =>
    table(
      ['user', 'emails', 'phone numbers', 'providers', 'tenants', 'joined'],
      users.map((user) => [
        user.id,
        user.emails.join(' '),
        user.phoneNumbers.join(' '),
        user.thirdParty.map(({ id }) => id).join(' '),
        user.tenantIds.join(' '),
        time(user.timeJoined),
      ]),
    ),
});

const SHOW = asking({
  name: 'show',
  operands: ['<USER>'],
  about: 'Shows all that is known about a user.',
  examples: ['user show 3f2c…', 'user show 3f2c… --json'],
  ask: (core, [userId = '']) => showUser(core, userId),
  text: ({ user, ...shown }) =>
    facts([
      ['user', user.id],
      ['joined', time(user.timeJoined)],
      ['last active', time(shown.lastActive)],
      ['disabled', shown.isDisabled],
      ['sign-in locked', shown.locked.signIn.join(' ')],
      ['TOTP locked', shown.locked.totp.join(' ')],
      ['tenants', user.tenantIds.join(' ')],
      ['roles', shown.roles.map(({ tenantId, roles }) => `${tenantId}: ${roles.join(' ')}`).join('; ')],
      ['sessions', shown.sessionCount],
      ['metadata', shown.hasMetadata],
      ['TOTP devices', shown.totpDevices.map(({ name, verified }) => (verified ? name : `${name} (unverified)`)).join(', ')],
    ]) +
    table(
      ['login method', 'recipe', 'email', 'verified', 'phone number', 'provider', 'tenants'],
      user.loginMethods.map((method) => [
        method.recipeUserId,
        method.recipeId,
        method.email,
        method.verified,
        method.phoneNumber,
        method.thirdParty && `${method.thirdParty.id}::${method.thirdParty.userId}`,
        method.tenantIds.join(' '),
      ]),
    ) +
    passkeysTable(shown.passkeys),
});

function passkeysTable(passkeys: ShownUser['passkeys']): string {
  if (passkeys.length === 0) return '';
  return table(
    ['passkey', 'login method', 'relying party', 'counter', 'backed up', 'made', 'last used'],
    passkeys.map((passkey) => [
      passkey.id,
      passkey.recipeUserId,
      passkey.relyingPartyId,
      passkey.counter,
      passkey.isBackedUp ?? undefined,
      time(passkey.createdAt),
      time(passkey.lastUsedAt),
    ]),
  );
}

interface Code {
  readonly preAuthSessionId: string;
  readonly deviceId: string;
  readonly userInputCode: string;
}

async function createPasswordless(core: Core, contact: { readonly email?: string; readonly phoneNumber?: string }): Promise<User> {
  const { preAuthSessionId, deviceId, userInputCode } = ok(
    await core.call<Outcome & Code>('POST', '/recipe/signinup/code', { body: contact, inTenant: true }),
  );
  const body = { preAuthSessionId, deviceId, userInputCode };
  const answer = await core.call<Outcome & { createdNewUser: boolean; user: User }>('POST', '/recipe/signinup/code/consume', {
    body,
    inTenant: true,
  });
  if (!ok(answer).createdNewUser) throw new CommandFault(`There is a user already: ${answer.user.id}`);
  return answer.user;
}

const CREATE = asking({
  name: 'create',
  about: 'Creates a user with email and password, or one who signs in by code.',
  examples: ['user create --email ann@example.com --password-file pw', 'user create --phone +491701234567'],
  flags: {
    email: { value: 'EMAIL', doc: 'the email of the user' },
    phone: { value: 'NUMBER', doc: 'the phone number of a user who signs in by code' },
    'password-file': { value: 'FILE', doc: 'file with the password, - for standard input; without, the user signs in by code' },
  },
  ask: async (core, _, { email, phone, 'password-file': file }) => {
    if ((email === undefined) === (phone === undefined)) throw new UsageError('Say who: either --email or --phone');
    // Back ends check these before they ask a core, which takes what it is given.
    if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError('--email must be an email');
    if (phone !== undefined && !/^\+[0-9 ()-]{6,}$/.test(phone)) throw new UsageError('--phone must begin with + and the country');
    if (phone !== undefined && file !== undefined) throw new UsageError('--password-file goes with --email only');
    if (phone !== undefined) return createPasswordless(core, { phoneNumber: phone });
    if (file === undefined) return createPasswordless(core, { email: email ?? '' });
    const body = { email, password: readSecret('password-file', file) };
    const answer = await core.call<Outcome & { user: User }>('POST', '/recipe/signup', { body, inTenant: true, rid: 'emailpassword' });
    return ok(answer, { EMAIL_ALREADY_EXISTS_ERROR: `There is a user with ${email} already` }).user;
  },
  text: (user) => `${user.id}\n`,
});

const SESSIONS = asking({
  name: 'sessions',
  operands: ['<USER>'],
  about: 'Lists the sessions of a user in all tenants.',
  examples: ['user sessions 3f2c…'],
  flags: PAGE_FLAGS,
  ask: (core, [userId], flags) =>
    gathered(limitOf(flags), async (limit, paginationToken) => {
      const answer = await core.call<Outcome & { sessions: readonly SessionSummary[]; nextPaginationToken?: string }>(
        'GET',
        `${USER}/sessions`,
        {
          query: { userId, limit, paginationToken },
        },
      );
      return { items: ok(answer, UNKNOWN).sessions, next: answer.nextPaginationToken };
    }),
  text: sessionsTable,
});

const LINK_FLAGS = { email: { value: 'EMAIL', doc: 'which email, where the user has several' } } as const;

const RESET_LINK = asking({
  name: 'reset-link',
  operands: ['<USER>'],
  about: 'Makes a password reset token and prints it, or a link that holds it.\nWhoever has it can set the password until it expires.',
  examples: ['user reset-link 3f2c… --base https://app.example/auth/reset-password'],
  flags: { ...LINK_FLAGS, base: { value: 'URL', doc: 'the page of the website where passwords are reset' } },
  ask: async (core, [userId = ''], flags) => {
    if (flags.base !== undefined && !URL.canParse(flags.base)) throw new UsageError('--base must be a URL');
    const { recipeUserId, email } = methodWithEmail(await showUser(core, userId), flags.email);
    const body = { userId: recipeUserId, email };
    const answer = await core.call<Outcome & { token: string }>('POST', '/recipe/user/password/reset/token', { body, inTenant: true });
    const { token } = ok(answer, UNKNOWN);
    return { email, token, ...(flags.base !== undefined && { link: linkTo(flags.base, token, flags['tenant-id']) }) };
  },
  text: ({ token, link }) => `${link ?? token}\n`,
});

function linkTo(base: string, token: string, tenantId = 'public'): string {
  const url = new URL(base);
  url.searchParams.set('token', token);
  url.searchParams.set('tenantId', tenantId);
  return url.href;
}

const VERIFY_EMAIL = asking({
  name: 'verify-email',
  operands: ['<USER>'],
  about: 'Marks an email of a user as verified.',
  examples: ['user verify-email 3f2c… --email ann@example.com'],
  flags: LINK_FLAGS,
  ask: async (core, [userId = ''], flags) => {
    const { recipeUserId, email } = methodWithEmail(await showUser(core, userId), flags.email);
    const path = '/recipe/user/email/verify';
    const body = { userId: recipeUserId, email };
    const made = await core.call<Outcome & { token: string }>('POST', `${path}/token`, { body, inTenant: true });
    if (made.status === 'EMAIL_ALREADY_VERIFIED_ERROR') return { email, wasVerified: true };
    ok(await core.call<Outcome>('POST', path, { body: { method: 'token', token: ok(made).token }, inTenant: true }));
    return { email, wasVerified: false };
  },
  text: ({ email, wasVerified }) => `${email} ${wasVerified ? 'was verified before' : 'is verified'}.\n`,
});

/** `watchword user`. */
export const commands: readonly Bound[] = [
  FIND,
  SHOW,
  CREATE,
  simple(
    'disable',
    'Lets a user in no more and ends all sessions.',
    'is disabled',
    'The user is signed out everywhere and cannot sign in.',
  ),
  simple('enable', 'Lets a disabled user in again.', 'is enabled'),
  simple('remove', 'Removes a user with everything about them.', 'is removed', 'The user and everything about them will be gone.'),
  SESSIONS,
  simple('sign-out', 'Ends all sessions of a user.', 'is signed out', 'All sessions of the user end.'),
  RESET_LINK,
  VERIFY_EMAIL,
  simple('unlock', 'Forgets failed sign-ins and TOTP codes, so that the user need not wait.', 'is unlocked'),
];
