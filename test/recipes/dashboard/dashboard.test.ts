import { runJob } from '../run-job.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/recipes/context.ts';
import { coreConfig } from '../../../src/recipes/dashboard/core-config.ts';
import { signIn as signInVerb } from '../../../src/recipes/dashboard/sign-in.ts';
import { dashboardSessions } from '../../../src/recipes/dashboard/records.ts';
import { type InProcessCallOptions, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';
import { appNumber } from '../../numbers.ts';

const PASSWORD = 'validPass123';
const DAY_MS = 86_400_000;

type Answer = string | { readonly status: string; readonly [member: string]: unknown };

let core: InProcessCore;
let count = 0;
let email = '';

beforeAll(async () => {
  core = await openInProcessCore('5.4');
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
});
beforeEach(() => {
  email = `user-${(count += 1)}@example.com`;
});

async function call(method: string, path: string, body?: object, options?: InProcessCallOptions): Promise<Answer> {
  const answer = await checkedCall(core, method, path.replace('/', '/recipe/dashboard/'), body, options);
  return answer.status === 200 ? (answer.body as Answer) : `${answer.status} ${String(answer.body['text']).trimEnd()}`;
}
const member = (answer: Answer, name: string): unknown => (typeof answer === 'string' ? undefined : answer[name]);

async function newUser(more: object = {}): Promise<string> {
  const made = await call('POST', '/user', { email, password: PASSWORD, ...more });
  return (member(made, 'user') as { readonly userId: string }).userId;
}
const signIn = (password = PASSWORD, as = email) => call('POST', '/signin', { email: as, password });
const newSession = async (): Promise<string> => String(member(await signIn(), 'sessionId'));
const verify = (sessionId: string, options?: InProcessCallOptions) => call('POST', '/session/verify', { sessionId }, options);
const change = (body: object) => call('PUT', '/user', body);

const OK = { status: 'OK' };
const REFUSED = { status: 'INVALID_CREDENTIALS_ERROR' };
const NO_SESSION = { status: 'INVALID_SESSION_ERROR' };

describe('users', () => {
  test('are created, listed by age, and shown without the hash', async () => {
    core.clock.now += 1;
    const userId = await newUser({ email: ` ${email.toUpperCase()} `, password: ` ${PASSWORD} ` });
    const shown = { email, userId, timeJoined: core.clock.now };
    core.clock.now += 1;
    const other = email;
    email = `later-${email}`;
    await newUser();
    const users = member(await call('GET', '/users'), 'users') as { readonly email: string }[];
    expect(users).toContainEqual(shown);
    expect(users.findIndex((user) => user.email === other)).toBeLessThan(users.findIndex((user) => user.email === email));
    expect(await signIn(`  ${PASSWORD}\t`)).toMatchObject(OK);
  });

  test('that joined at the same moment are listed by id', async () => {
    core.clock.now += 1;
    const ids: string[] = [];
    for (const at of [1, 2, 3, 4]) ids.push(await newUser({ email: `${at}-${email}` }));
    const users = member(await call('GET', '/users'), 'users') as { readonly userId: string }[];
    expect(users.map((user) => user.userId).filter((id) => ids.includes(id))).toEqual(ids.toSorted());
  });

  test('have an email of their own, also when twenty ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/user', { email, password: PASSWORD })));
    expect(answers.filter((answer) => member(answer, 'status') === 'OK')).toHaveLength(1);
    expect(answers.filter((answer) => member(answer, 'status') === 'EMAIL_ALREADY_EXISTS_ERROR')).toHaveLength(19);
  });

  test('belong to an app', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    await newUser();
    const answer = await checkedCall(core, 'POST', '/appid-other/recipe/dashboard/signin', { email, password: PASSWORD });
    expect(answer.body).toEqual(REFUSED);
  });

  test('more than one look at the store holds are all listed', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'large' });
    for (let at = 0; at < 520; at++) {
      await core.call('POST', '/appid-large/recipe/dashboard/user', { email: `u${at}@example.com`, password: PASSWORD });
    }
    const { body } = await checkedCall(core, 'GET', '/appid-large/recipe/dashboard/users');
    expect(new Set((body['users'] as { readonly email: string }[]).map((user) => user.email)).size).toBe(520);
  });
});

describe('what is wrong is told in the order of the contract', () => {
  const bad = (field: string) => `400 Field name '${field}' is invalid in JSON input`;
  const empty = (field: string) => `400 Field name '${field}' cannot be an empty String`;
  const invalid = { status: 'INVALID_EMAIL_ERROR' };
  const weak = { status: 'PASSWORD_WEAK_ERROR', message: 'Password must contain at least 8 characters, including a number' };
  const nobody = "400 Either field 'email' or 'userId' must be present";

  test.each<readonly [object, Answer]>([
    [{}, bad('email')],
    [{ email: 3, password: 3 }, bad('email')],
    [{ email: ' ', password: ' ' }, empty('email')],
    [{ email: 'bad' }, invalid],
    [{ email: 'bad', password: 'x' }, invalid],
    [{ email: 'a@bcde' }, bad('password')],
    [{ email: 'a@bcde', password: ' ' }, empty('password')],
    [{ email: 'a@bcde', password: 'weak' }, weak],
  ])('creating with %j', async (body, answer) => {
    expect(await call('POST', '/user', body)).toEqual(answer);
    // All of it before the app is looked for.
    const elsewhere = await core.call('POST', '/appid-none/recipe/dashboard/user', body);
    expect(elsewhere.status === 200 ? elsewhere.body : `${elsewhere.status} ${String(elsewhere.body['text']).trimEnd()}`).toEqual(answer);
  });

  test.each<readonly [object, Answer]>([
    [{}, nobody],
    [{ newEmail: 'a@bcde', newPassword: PASSWORD }, nobody],
    [{ newEmail: 'bad', newPassword: 'weak' }, invalid],
    [{ newEmail: ' ', newPassword: 'weak' }, empty('newEmail')],
    [{ newEmail: 3 }, bad('newEmail')],
    [{ newEmail: 'bad', newPassword: 3 }, invalid],
    [{ newPassword: 3 }, bad('newPassword')],
    [{ newPassword: ' ' }, empty('newPassword')],
    [{ newPassword: 'weak', userId: ' ' }, weak],
    [{ userId: ' ', email: ' ' }, empty('userId')],
    [{ email: ' ' }, empty('email')],
    [{ userId: 3 }, bad('userId')],
    [{ userId: null, email: 'none@b.co' }, bad('userId')],
    [{ email: 3 }, bad('email')],
    [{ newPassword: 'weak', userId: 3 }, weak],
    [{ newPassword: 'weak', email: 3 }, weak],
    [{ userId: ['none'] }, { status: 'UNKNOWN_USER_ERROR' }],
    // Whoever is named by id is not looked for by email, whatever that is.
    [{ userId: 'none', email: 3 }, { status: 'UNKNOWN_USER_ERROR' }],
    [{ userId: 'none' }, { status: 'UNKNOWN_USER_ERROR' }],
    [{ userId: 'none', email: ' ' }, { status: 'UNKNOWN_USER_ERROR' }],
    [{ email: 'none@b.co', newPassword: PASSWORD }, { status: 'UNKNOWN_USER_ERROR' }],
  ])('changing with %j', async (body, answer) => expect(await change(body)).toEqual(answer));

  test.each<readonly [string, string, object | undefined, Answer]>([
    ['POST', '/signin', {}, bad('email')],
    ['POST', '/signin', { email: 'a' }, bad('password')],
    ['POST', '/signin', { email: ' ', password: 'b' }, empty('email')],
    ['POST', '/signin', { email: 'a', password: ' ' }, empty('password')],
    ['POST', '/session/verify', {}, bad('sessionId')],
    ['POST', '/session/verify', { sessionId: ' ' }, empty('sessionId')],
    ['DELETE', '/session', undefined, "400 Field name 'sessionId' is missing in GET request"],
    ['DELETE', '/session?sessionId=%20', undefined, empty('sessionId')],
    ['DELETE', '/session?sessionId=none', undefined, OK],
    ['GET', '/user/sessions', undefined, "400 Field name 'userId' is missing in GET request"],
    ['GET', '/user/sessions?userId=%20', undefined, empty('userId')],
    ['GET', '/user/sessions?userId=none', undefined, { ...OK, sessions: [] }],
    ['DELETE', '/user', undefined, nobody],
    ['DELETE', '/user?userId=%20', undefined, empty('userId')],
    ['DELETE', '/user?email=%20', undefined, empty('email')],
    ['DELETE', '/user?userId=none&email=%20', undefined, { ...OK, didUserExist: false }],
    ['DELETE', '/user?userId=none', undefined, { ...OK, didUserExist: false }],
  ])('%s %s with %j', async (method, path, body, answer) => expect(await call(method, path, body)).toEqual(answer));

  test('then come tenant and app', async () => {
    const only = '403 Only public tenantId can call this app specific API';
    const body = { email, password: PASSWORD };
    const at = async (place: string, method: string, path: string, sent?: object) => {
      const answer = await core.call(method, `/${place}/recipe/dashboard${path}`, sent);
      return `${answer.status} ${String(answer.body['text'] ?? JSON.stringify(answer.body)).trimEnd()}`;
    };
    expect(await at('t1', 'POST', '/user', body)).toBe(only);
    expect(await at('t1', 'PUT', '/user', { userId: 'x' })).toBe(only);
    expect(await at('t1', 'PUT', '/user', {})).toBe(nobody);
    expect(await at('t1', 'DELETE', '/user')).toBe(nobody);
    expect(await at('t1', 'DELETE', '/user?userId=x')).toBe(only);
    expect(await at('t1', 'POST', '/signin', body)).toBe(only);
    expect(await at('appid-none', 'POST', '/user', body)).toMatch(/^400 AppId or tenantId not found/);
    expect(await at('none', 'GET', '/tenant/core-config')).toMatch(/^400 AppId or tenantId not found/);
    const legacy = await core.call('POST', '/t1/recipe/dashboard/user', body, { cdi: '4.0' });
    expect(legacy.body).toMatchObject({ status: 'OK', user: { email } });
  });
});

describe('changing', () => {
  test('email and password, in one step, named by id or by email', async () => {
    const userId = await newUser();
    const next = `next-${email}`;
    expect(await change({ userId, email: 'ignored@b.co', newEmail: next.toUpperCase(), newPassword: ' another1234 ' })).toMatchObject({
      status: 'OK',
      user: { email: next, userId },
    });
    expect(await signIn()).toEqual(REFUSED);
    expect(await signIn('another1234', next)).toMatchObject(OK);
    expect(await change({ email: ` ${next.toUpperCase()}`, newEmail: email })).toMatchObject({ status: 'OK', user: { email } });
    expect(await signIn('another1234')).toMatchObject(OK);
    await newUser({ email: next });
    expect(await change({ userId, newEmail: next })).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect(await change({ userId, newEmail: email })).toMatchObject(OK);
  });

  test('ends all sessions, even where nothing changes; a refused change ends none', async () => {
    const userId = await newUser();
    const sessions = [await newSession(), await newSession()];
    await change({ userId, newPassword: 'weak' });
    await newUser({ email: `taken-${email}` });
    await change({ userId, newEmail: `taken-${email}` });
    for (const session of sessions) expect(await verify(session)).toEqual({ ...OK, email });
    await change({ userId });
    for (const session of sessions) expect(await verify(session)).toEqual(NO_SESSION);
  });

  test('the password while somebody signs in with the old one leaves no session behind', async () => {
    const userId = await newUser();
    for (let round = 0; round < 5; round++) {
      const old = round === 0 ? PASSWORD : `another${round - 1}xyz`;
      await Promise.all([...Array.from({ length: 5 }, () => signIn(old)), change({ userId, newPassword: `another${round}xyz` })]);
      expect(member(await call('GET', `/user/sessions?userId=${userId}`), 'sessions')).toEqual([]);
    }
  });
});

describe('removing', () => {
  test('by id or by email takes the sessions along', async () => {
    const userId = await newUser();
    const session = await newSession();
    expect(await call('DELETE', `/user?userId=${userId}&email=someone@else.co`)).toEqual({ ...OK, didUserExist: true });
    expect(await verify(session)).toEqual(NO_SESSION);
    expect(await signIn()).toEqual(REFUSED);
    await newUser();
    expect(await call('DELETE', `/user?email=%20${email.toUpperCase()}`)).toEqual({ ...OK, didUserExist: true });
    expect(await call('DELETE', `/user?email=${email}`)).toEqual({ ...OK, didUserExist: false });
  });
});

describe('sessions', () => {
  test('are opened with the right credentials only, checked, listed and ended', async () => {
    const userId = await newUser();
    expect(await signIn('wrongPass1')).toEqual(REFUSED);
    expect(await signIn(PASSWORD, `nobody-${email}`)).toEqual(REFUSED);
    const sessionId = await newSession();
    expect(await call('GET', `/user/sessions?userId=${userId}`)).toEqual({
      ...OK,
      sessions: [{ userId, sessionId, timeCreated: core.clock.now, expiry: core.clock.now + 2_592_000_000 }],
    });
    expect(await verify(` ${sessionId} `)).toEqual({ ...OK, email });
    expect(await verify(sessionId, { cdi: '3.0' })).toEqual({ ...OK, email });
    expect(await verify(sessionId, { cdi: '2.21' })).toEqual(OK);
    expect(await call('DELETE', `/session?sessionId=${sessionId}`)).toEqual(OK);
    expect(await verify(sessionId)).toEqual(NO_SESSION);
  });

  test('end after 30 days, whether or not they were cleaned up', async () => {
    const userId = await newUser();
    const session = await newSession();
    core.clock.now += 30 * DAY_MS;
    expect(await verify(session)).toEqual({ ...OK, email });
    const clean = () => runJob('expired-dashboard-sessions', core.services, core.clock.now, 2);
    while (await clean());
    expect(await verify(session)).toEqual({ ...OK, email });
    core.clock.now += 1;
    expect(await verify(session)).toEqual(NO_SESSION);
    for (let at = 0; at < 5; at++) await newSession();
    while (await clean());
    expect(await core.services.store.read((reader) => reader.get(dashboardSessions, [appNumber(1), session]))).toBeUndefined();
    expect(member(await call('GET', `/user/sessions?userId=${userId}`), 'sessions')).toHaveLength(5);
  });

  test('an unknown email costs the work of a known one', async () => {
    await newUser();
    const { crypto } = core.services;
    const hashes: string[] = [];
    const watched = {
      ...core.services,
      crypto: {
        ...crypto,
        verifyPassword: (...given: Parameters<typeof crypto.verifyPassword>) =>
          crypto.verifyPassword(...given).finally(() => hashes.push(given[1])),
      },
    };
    const tenant = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
    if (!tenant) throw new Error('no base tenant');
    const context = { ...watched, tenant } as Context;
    for (const as of [email, `nobody-${email}`]) await signInVerb(context, { email: as, password: 'wrongPass1' });
    expect(hashes).toHaveLength(2);
    for (const hash of hashes) expect(hash).toMatch(/^\$2a\$04\$/);
  });
});

describe('the options', () => {
  type Shown = { readonly key: string; readonly value: unknown; readonly [member: string]: unknown };
  const options = async (of: InProcessCore, path = ''): Promise<readonly Shown[]> =>
    (await checkedCall(of, 'GET', `${path}/recipe/dashboard/tenant/core-config`)).body['config'] as Shown[];

  test('are those of the contract', async () => {
    const shown = await options(core);
    const facts = shown.map(({ key, valueType, isDifferentAcrossTenants, isNullable }) => [
      key,
      valueType,
      isDifferentAcrossTenants,
      isNullable,
    ]);
    const T = (key: string, nullable = false, type = 'number') => [key, type, true, nullable];
    const A = (key: string, type = 'number', nullable = false) => [key, type, false, nullable];
    expect(facts.toSorted()).toEqual(
      [
        T('passwordless_code_lifetime'),
        T('passwordless_max_code_input_attempts'),
        T('totp_max_attempts'),
        T('totp_rate_limit_cooldown_sec'),
        T('password_reset_token_lifetime'),
        T('email_verification_token_lifetime'),
        T('ip_allow_regex', true, 'string'),
        T('ip_deny_regex', true, 'string'),
        T('saml_sp_entity_id', true, 'string'),
        T('saml_claims_validity'),
        T('saml_relay_state_validity'),
        A('access_token_validity'),
        A('access_token_validity_jitter'),
        A('refresh_token_validity'),
        A('refresh_token_rotation_grace_period'),
        A('access_token_dynamic_signing_key_update_interval'),
        A('password_hashing_alg', 'enum'),
        A('firebase_password_hashing_signer_key', 'string', true),
        A('disable_telemetry', 'boolean'),
        A('bulk_migration_parallelism'),
        A('bulk_migration_batch_size'),
        A('bulk_migration_sleep_between_rounds_in_batch_ms'),
        A('webauthn_recover_account_token_lifetime'),
      ].toSorted(),
    );
    const one = (key: string) => shown.find((option) => option.key === key);
    expect(one('password_hashing_alg')).toMatchObject({ value: 'BCRYPT', defaultValue: 'BCRYPT', possibleValues: ['ARGON2', 'BCRYPT'] });
    expect(one('saml_sp_entity_id')).toMatchObject({ value: 'https://saml.supertokens.com', defaultValue: null, possibleValues: null });
    expect(one('saml_claims_validity')).toMatchObject({ value: 600_000, defaultValue: 600_000 });
    expect(one('access_token_validity_jitter')).toMatchObject({ value: 0.05, defaultValue: 0.05 });
  });

  test("show the tenant's values", async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't2', coreConfig: { totp_max_attempts: 7, ip_deny_regex: 'x' } });
    const shown = new Map((await options(core, '/t2')).map((option) => [option.key, option]));
    expect(shown.get('totp_max_attempts')).toMatchObject({ value: 7, defaultValue: 5 });
    expect(shown.get('ip_deny_regex')).toMatchObject({ value: 'x', defaultValue: null });
  });

  test('are without the protected ones for callers in protected mode', async () => {
    const tenant = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
    const keys = (protectedMode: boolean) => coreConfig({ tenant, protectedMode } as Context).map((option) => option['key']);
    expect(
      keys(false)
        .filter((key) => !keys(true).includes(key))
        .toSorted(),
    ).toEqual(['ip_allow_regex', 'ip_deny_regex']);
  });
});
