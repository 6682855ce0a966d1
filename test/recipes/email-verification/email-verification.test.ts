import { runJob } from '../run-job.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../../src/recipes/recipes.ts';
import {
  isVerificationUsed,
  markEmailVerified,
  moveVerificationData,
  removeVerificationData,
} from '../../../src/recipes/email-verification/lookups.ts';
import { verificationTokens, verifiedEmails } from '../../../src/recipes/email-verification/records.ts';
import { hashOfVerificationToken, newVerificationToken } from '../../../src/recipes/email-verification/tokens.ts';
import type { AppNumber, TenantNumber, Transaction } from '../../../src/store/store.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

const PATH = '/recipe/user/email/verify';
const DAY = 86_400_000;
const INVALID = { status: 'EMAIL_VERIFICATION_INVALID_TOKEN_ERROR' };
const ALREADY = { status: 'EMAIL_ALREADY_VERIFIED_ERROR' };
const OK = { status: 'OK' };

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

const post = (path: string, body: object): Promise<InProcessAnswer> => core.call('POST', path, body);
const ask = async (userId: string, email: string, at = '') => (await post(`${at}${PATH}/token`, { userId, email })).body;
const tokenFor = async (userId: string, email: string, at = ''): Promise<string> => String((await ask(userId, email, at))['token']);
const verify = async (token: string, at = '') => (await post(`${at}${PATH}`, { method: 'token', token })).body;
const isVerified = async (userId: string, email: string): Promise<unknown> => {
  const { body } = await core.call('GET', `${PATH}?userId=${encodeURIComponent(userId)}&email=${encodeURIComponent(email)}`);
  return body['isVerified'];
};
const addTenant = (tenantId: string, coreConfig = {}) => core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId, coreConfig });
const numbers = async (): Promise<readonly [app: AppNumber, tenant: TenantNumber]> => {
  const tenant = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  return [appNumber(Number(tenant?.app)), tenantNumber(Number(tenant?.tenant))];
};

describe('tokens', () => {
  test('are the base64url of the hex of 48 bytes, kept as the SHA-256 of their text', () => {
    const token = newVerificationToken((size) => Buffer.alloc(size, 3));
    expect(token).toBe('MDMwMzAz'.repeat(16));
    expect(hashOfVerificationToken(token)).toBe('eb4df5f75553e5fbe2fc887abad8762344ceb7b74b96044100e1ab5e9137615b');
  });

  test('differ from each other and do not stand in the store', async () => {
    const [one, other] = [await tokenFor('u', 'e@x'), await tokenFor('u', 'e@x')];
    expect(one).toMatch(/^[A-Za-z0-9]{128}$/);
    expect(one).not.toBe(other);
    const kept = await core.services.store.read((reader) => reader.list(verificationTokens, undefined, { prefix: [], limit: 10 }));
    expect(kept.map((record) => record.tokenHash).toSorted()).toEqual([one, other].map(hashOfVerificationToken).toSorted());
    expect(JSON.stringify(kept)).not.toContain(one);
  });
});

describe('verifying', () => {
  test('one of several tokens ends all of its email and no others', async () => {
    const [first, second, another, someoneElse] = [
      await tokenFor('u', 'e@x'),
      await tokenFor('u', ' E@X\n'),
      await tokenFor('u', 'other@x'),
      await tokenFor('v', 'e@x'),
    ];
    expect(await verify(second)).toEqual({ status: 'OK', userId: 'u', email: 'e@x' });
    expect(await isVerified('u', 'e@x')).toBe(true);
    expect(await verify(first)).toEqual(INVALID);
    expect(await ask('u', 'e@x')).toEqual(ALREADY);
    expect(await verify(another)).toEqual({ status: 'OK', userId: 'u', email: 'other@x' });
    expect(await verify(someoneElse)).toEqual({ status: 'OK', userId: 'v', email: 'e@x' });
  });

  test('takes any text for user and email, and looks an email up as it is written', async () => {
    const userId = `né\u0000 ${'long '.repeat(200)}`;
    const email = `${'x'.repeat(400)}@E`;
    expect(await verify(await tokenFor(userId, email))).toEqual({ status: 'OK', userId, email: email.toLowerCase() });
    expect(await isVerified(userId, email.toLowerCase())).toBe(true);
    expect(await isVerified(userId, email)).toBe(false);
    expect(await verify(await tokenFor('', ''))).toEqual({ status: 'OK', userId: '', email: '' });
    expect(await isVerified('', '')).toBe(true);
  });

  test('works until the token expires, and an expired one ends the others', async () => {
    const early = await tokenFor('u', 'e@x');
    core.clock.now += DAY;
    const late = await tokenFor('u', 'e@x');
    core.clock.now += 1;
    expect(await verify(early)).toEqual(INVALID);
    expect(await verify(late)).toEqual(INVALID);
    expect(await isVerified('u', 'e@x')).toBe(false);
    const last = await tokenFor('u', 'e@x');
    core.clock.now += DAY;
    expect(await verify(last)).toMatchObject(OK);
  });

  test('only one of those who send a token at once succeeds', async () => {
    const tokens = [await tokenFor('u', 'e@x'), await tokenFor('u', 'e@x')];
    const answers = await Promise.all([...tokens, ...tokens, ...tokens].map((token) => verify(token)));
    expect(answers.filter((answer) => answer['status'] === 'OK')).toHaveLength(1);
    expect(answers.filter((answer) => answer['status'] === INVALID.status)).toHaveLength(5);
    expect(await ask('u', 'e@x')).toEqual(ALREADY);
  });

  test('shows in the user', async () => {
    const { user } = (await post('/recipe/signup', { email: 'e@x', password: 'a good password' })).body as { user: { id: string } };
    const shown = async () => (await core.call('GET', `/user/id?userId=${user.id}`)).body['user'];
    expect(await shown()).toMatchObject({ loginMethods: [{ verified: false }] });
    await verify(await tokenFor(user.id, 'E@x'));
    expect(await shown()).toMatchObject({ loginMethods: [{ verified: true }] });
    expect((await post(`${PATH}/remove`, { userId: user.id, email: ' E@X ' })).body).toEqual(OK);
    expect(await shown()).toMatchObject({ loginMethods: [{ verified: false }] });
  });
});

describe('taking back', () => {
  test('removed tokens do not verify', async () => {
    const [token, kept] = [await tokenFor('u', 'e@x'), await tokenFor('u', 'other@x')];
    for (let i = 0; i < 2; i++) expect((await post(`${PATH}/token/remove`, { userId: 'u', email: ' E@x' })).body).toEqual(OK);
    expect(await verify(token)).toEqual(INVALID);
    expect(await verify(kept)).toMatchObject(OK);
  });

  test('an email that was never verified is unverified gladly', async () => {
    expect((await post(`${PATH}/remove`, { userId: 'u', email: 'e@x' })).body).toEqual(OK);
  });
});

describe('tenants', () => {
  beforeEach(async () => {
    await addTenant('t1', { email_verification_token_lifetime: 1000 });
  });

  test('a token belongs to one, the verified email to the app', async () => {
    const [here, there] = [await tokenFor('u', 'e@x'), await tokenFor('u', 'e@x', '/t1')];
    expect(await verify(there)).toEqual(INVALID);
    expect(await verify(here, '/t1')).toEqual(INVALID);
    expect(await verify(there, '/t1')).toMatchObject(OK);
    expect(await ask('u', 'e@x')).toEqual(ALREADY);
    // Verifies again, harmlessly.
    expect(await verify(here)).toMatchObject(OK);
  });

  test('removing tokens touches one of them', async () => {
    const [here, there] = [await tokenFor('u', 'e@x'), await tokenFor('u', 'e@x', '/t1')];
    await post(`/t1${PATH}/token/remove`, { userId: 'u', email: 'e@x' });
    expect(await verify(there, '/t1')).toEqual(INVALID);
    expect(await verify(here)).toMatchObject(OK);
  });

  test('each has its own lifetime of tokens', async () => {
    const [here, there] = [await tokenFor('u', 'e@x'), await tokenFor('u', 'e@x', '/t1')];
    core.clock.now += 1001;
    expect(await verify(there, '/t1')).toEqual(INVALID);
    expect(await verify(here)).toMatchObject(OK);
  });

  test('of an unknown one nothing is known, and the state of the app is asked of the public one', async () => {
    const unknown = { status: 400, body: { text: expect.stringContaining('Tenant with the following') } };
    const body = { userId: 'u', email: 'e@x' };
    expect(await post(`/none${PATH}/token`, body)).toMatchObject(unknown);
    expect(await post(`/none${PATH}/token/remove`, body)).toMatchObject(unknown);
    expect(await post(`/none${PATH}`, { method: 'token', token: 'x' })).toMatchObject(unknown);
    const publicOnly = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
    expect(await post(`/t1${PATH}/remove`, body)).toEqual(publicOnly);
    expect(await core.call('GET', `/t1${PATH}?userId=u&email=e@x`)).toEqual(publicOnly);
  });

  test('below CDI 5.0 the tenant of an app endpoint does not matter', async () => {
    core = await openInProcessCore('4.0');
    expect(await core.call('GET', `/t1${PATH}?userId=u&email=e@x`)).toEqual({ status: 200, body: { status: 'OK', isVerified: false } });
    expect(await post(`/t1${PATH}/remove`, { userId: 'u', email: 'e@x' })).toEqual({ status: 200, body: OK });
  });

  test('another app is another world', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    const token = await tokenFor('u', 'e@x');
    expect(await verify(token, '/appid-a1')).toEqual(INVALID);
    expect(await verify(token)).toMatchObject(OK);
    expect((await core.call('GET', `/appid-a1${PATH}?userId=u&email=e@x`)).body).toEqual({ status: 'OK', isVerified: false });
  });
});

describe('complaints', () => {
  const invalid = (field: string): string => `Field name '${field}' is invalid in JSON input\n`;
  const cases: readonly [path: string, body: object, text: string][] = [
    ...['/token', '/token/remove', '/remove'].flatMap((end): [string, object, string][] => [
      [`${PATH}${end}`, {}, invalid('userId')],
      [`${PATH}${end}`, { userId: 1, email: 'e' }, invalid('userId')],
      [`${PATH}${end}`, { userId: 'u' }, invalid('email')],
      [`${PATH}${end}`, { userId: 'u', email: null }, invalid('email')],
    ]),
    [PATH, {}, invalid('method')],
    [PATH, { method: 'x' }, invalid('token')],
    [PATH, { method: 'x', token: 't' }, 'Unsupported method for email verification\n'],
    [`/none${PATH}`, { method: 'x', token: 't' }, 'Unsupported method for email verification\n'],
  ];
  test.each(cases)('POST %s %j', async (path, body, text) => {
    expect(await post(path, body)).toEqual({ status: 400, body: { text } });
  });

  test.each([
    ['', 'userId'],
    ['?email=e', 'userId'],
    ['?userId=u', 'email'],
  ])('GET %j', async (query, field) => {
    expect(await core.call('GET', `${PATH}${query}`)).toEqual({
      status: 400,
      body: { text: `Field name '${field}' is missing in GET request\n` },
    });
  });

  test.each(['nonsense', '', 'x'.repeat(10_000), '\ud800'])('an unknown token %#', async (token) => {
    expect(await verify(token)).toEqual(INVALID);
  });
});

describe('the periodic clean-up', () => {
  test('removes what has expired and nothing else, in bounded batches', async () => {
    for (let i = 0; i < 5; i++) await tokenFor(`u${i}`, 'e@x');
    const { store } = core.services;
    const expiresAt = core.clock.now + DAY;
    core.clock.now += 1;
    const kept = await tokenFor('kept', 'e@x');
    expect(await runJob('expired-verification-tokens', core.services, expiresAt, 3)).toBe(false);
    const left = () => store.read((reader) => reader.keys(verificationTokens, undefined, { prefix: [], limit: 10 }));
    expect(await left()).toHaveLength(6);
    expect(await runJob('expired-verification-tokens', core.services, expiresAt + 1, 3)).toBe(true);
    expect(await runJob('expired-verification-tokens', core.services, expiresAt + 1, 3)).toBe(false);
    expect(await left()).toHaveLength(1);
    expect(await verify(kept)).toMatchObject(OK);
  });

  test('runs every twelve hours', () => {
    expect(JOBS.find((job) => job.name === 'expired-verification-tokens')?.everyMs).toBe(DAY / 2);
  });
});

describe('for other recipes', () => {
  const transact = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> => core.services.store.transact(body);
  const used = async (userId: string): Promise<boolean> => {
    const [app] = await numbers();
    return core.services.store.read((reader) => isVerificationUsed(reader, app, userId));
  };

  test('a user id is in use with a token in any tenant, or a verified email', async () => {
    await addTenant('t1');
    expect(await used('u')).toBe(false);
    const token = await tokenFor('u', 'e@x', '/t1');
    expect(await used('u')).toBe(true);
    await verify(token, '/t1');
    expect(await used('u')).toBe(true);
    await post(`${PATH}/remove`, { userId: 'u', email: 'e@x' });
    expect(await used('u')).toBe(false);
  });

  test('all of a user id moves, however much it is, and joins what the other has', async () => {
    await addTenant('t1');
    const [app, tenant] = await numbers();
    await transact(async (tx) => {
      for (let i = 0; i < 1200; i++) {
        const token = { app, tenant, tokenHash: `h${i}`, userId: 'from', email: `e${i % 7}@x`, expiresAt: i };
        await tx.insert(verificationTokens, token);
        await markEmailVerified(tx, app, 'from', `e${i}@x`);
      }
      await markEmailVerified(tx, app, 'to', 'e3@x');
      await markEmailVerified(tx, app, 'fro', 'e3@x');
      await markEmailVerified(tx, appNumber(app + 1), 'from', 'e3@x');
    });
    const there = await tokenFor('from', 'new@x', '/t1');
    await transact((tx) => moveVerificationData(tx, app, 'from', 'to'));
    expect(await used('from')).toBe(false);
    expect(await verify(there, '/t1')).toEqual({ status: 'OK', userId: 'to', email: 'new@x' });
    const { store } = core.services;
    const emails = await store.read((reader) => reader.keys(verifiedEmails, undefined, { prefix: [app, 'to'], limit: 2000 }));
    expect(emails).toHaveLength(1201);
    const tokens = await store.read((reader) => reader.keys(verificationTokens, 'byUser', { prefix: [app, 'to'], limit: 2000 }));
    expect(tokens).toHaveLength(1200);

    await transact((tx) => moveVerificationData(tx, app, 'to', 'to'));
    expect(await isVerified('to', 'e1199@x')).toBe(true);
    await transact((tx) => removeVerificationData(tx, app, 'to'));
    expect(await used('to')).toBe(false);
    expect(await used('fro')).toBe(true);
    expect(await store.read((reader) => isVerificationUsed(reader, appNumber(app + 1), 'from'))).toBe(true);
  });

  test('what is moved while it is being verified is never lost', async () => {
    const [app] = await numbers();
    const tokens = await Promise.all(['a@x', 'b@x', 'c@x'].map((email) => tokenFor('from', email)));
    const [, ...answers] = await Promise.all([
      transact((tx) => moveVerificationData(tx, app, 'from', 'to')),
      ...tokens.map((t) => verify(t)),
    ]);
    expect(answers.map((answer) => answer['status'])).toEqual(['OK', 'OK', 'OK']);
    for (const answer of answers) expect(await isVerified(String(answer['userId']), String(answer['email']))).toBe(true);
  });
});
