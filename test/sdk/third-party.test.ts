import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { EmailVerification, type ExpressApp, startApp, SuperTokens, ThirdParty } from './express-app.ts';
import { type AppAnswer, FrontEnd } from './front-end.ts';
import { type Account, type OAuthProvider, providerConfig, startOAuthProvider } from './oauth-provider.ts';

/** The SDK with a provider of its own: codes are exchanged and accounts read over HTTP, as with any provider on the internet. */
const REDIRECT = 'http://127.0.0.1:3000/callback';

type SignInAndUp = NonNullable<NonNullable<Parameters<typeof ThirdParty.init>[0]>['signInAndUpFeature']>;
type Provider = Parameters<NonNullable<NonNullable<SignInAndUp['providers']>[number]['override']>>[0];

/** By itself the SDK believes that an email is verified only by an id token, which this provider does not give. */
function withVerification(original: Provider): Provider {
  if (original.type !== 'oauth2') return original;
  const provider: typeof original = {
    ...original,
    getUserInfo: async (input) => {
      const { email, ...info } = await original.getUserInfo(input);
      const isVerified = info.rawUserInfoFromProvider.fromUserInfoAPI?.['email_verified'] === true;
      return email ? { ...info, email: { ...email, isVerified } } : info;
    },
  };
  return provider;
}

let core: RunningCore;
let provider: OAuthProvider;
let app: ExpressApp;

beforeAll(async () => {
  [core, provider] = await Promise.all([startCore(), startOAuthProvider()]);
  const config = providerConfig(provider);
  app = await startApp(core.url, undefined, [
    ThirdParty.init({ signInAndUpFeature: { providers: [{ config, override: withVerification }] } }),
    EmailVerification.init({ mode: 'OPTIONAL' }),
  ]);
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
  await core?.stop();
});

/** Goes to the provider and comes back, as a browser does. */
async function enter(account: Account, front = new FrontEnd(app.url, 'header')): Promise<AppAnswer & { readonly front: FrontEnd }> {
  provider.account = account;
  const asked = await front.get(
    `/auth/authorisationurl?thirdPartyId=custom&redirectURIOnProviderDashboard=${encodeURIComponent(REDIRECT)}`,
  );
  expect(asked.body['status'], JSON.stringify(asked)).toBe('OK');
  const { urlWithQueryParams, pkceCodeVerifier } = asked.body as { readonly urlWithQueryParams: string; readonly pkceCodeVerifier: string };
  const sent = await fetch(urlWithQueryParams, { redirect: 'manual' });
  const { searchParams } = new URL(sent.headers.get('location') ?? '');
  const redirectURIInfo = {
    redirectURIOnProviderDashboard: REDIRECT,
    redirectURIQueryParams: Object.fromEntries(searchParams),
    pkceCodeVerifier,
  };
  const answer = await front.post('/auth/signinup', { thirdPartyId: 'custom', redirectURIInfo });
  return { ...answer, front };
}

const userIn = (answer: AppAnswer) =>
  answer.body['user'] as { readonly id: string; readonly emails: string[]; readonly loginMethods: object[] };

describe('a visitor', () => {
  test('signs up at the first visit and in at the next ones', async () => {
    const account = { sub: 'account-1', email: 'First@Example.com', email_verified: true };
    const first = await enter(account);
    expect(first.body).toMatchObject({ status: 'OK', createdNewRecipeUser: true, user: { emails: ['first@example.com'] } });
    const thirdParty = { id: 'custom', userId: 'account-1' };
    expect(userIn(first)).toMatchObject({
      thirdParty: [thirdParty],
      loginMethods: [{ recipeId: 'thirdparty', thirdParty, verified: true }],
    });
    expect((await first.front.get('/me')).body).toMatchObject({ userId: userIn(first).id, claims: { 'st-ev': { v: true } } });

    const second = await enter(account);
    expect(second.body).toMatchObject({ status: 'OK', createdNewRecipeUser: false, user: { id: userIn(first).id } });
  });

  test('whose email changes stays the same user', async () => {
    const first = await enter({ sub: 'account-2', email: 'old@example.com', email_verified: true });
    const moved = await enter({ sub: 'account-2', email: 'new@example.com', email_verified: false });
    expect(moved.body).toMatchObject({
      status: 'OK',
      createdNewRecipeUser: false,
      user: { id: userIn(first).id, emails: ['new@example.com'] },
    });
    expect(userIn(moved).loginMethods).toMatchObject([{ verified: false }]);
    expect((await moved.front.get('/me')).body).toMatchObject({ claims: { 'st-ev': { v: false } } });
    const back = await enter({ sub: 'account-2', email: 'old@example.com' });
    expect(userIn(back).loginMethods).toMatchObject([{ verified: true }]);
  });

  test('who is disabled is not let in, in words of the SDK', async () => {
    const account = { sub: 'account-disabled', email: 'disabled@example.com', email_verified: true };
    const userId = userIn(await enter(account)).id;
    await cdiClient(core.url).post('/manage/v1/user/disable', { userId });
    const refused = await enter(account);
    expect(refused.body['status']).toBe('SIGN_IN_UP_NOT_ALLOWED');
    expect((await refused.front.get('/me')).status).toBe(401);
  });

  test('of whom the provider tells no email gets none of somebody else', async () => {
    expect((await enter({ sub: 'account-3' })).body['status']).toBe('NO_EMAIL_GIVEN_BY_PROVIDER');
  });

  test('with a code that was used, or was never given, is not let in', async () => {
    const front = new FrontEnd(app.url, 'header');
    const redirectURIInfo = { redirectURIOnProviderDashboard: REDIRECT, redirectURIQueryParams: { code: 'x' }, pkceCodeVerifier: 'y' };
    const answer = await front.post('/auth/signinup', { thirdPartyId: 'custom', redirectURIInfo });
    expect(answer.status).toBe(500);
    expect((await front.get('/me')).status).toBe(401);
  });
});

describe('the back end', () => {
  const put = (account: string, email: string) => ThirdParty.manuallyCreateOrUpdateUser('public', 'custom', account, email, false);

  test('makes and updates users', async () => {
    const made = await put('account-4', 'made@example.com');
    if (made.status !== 'OK') throw new Error(made.status);
    expect(made).toMatchObject({ createdNewRecipeUser: true, user: { emails: ['made@example.com'] } });
    expect(made.recipeUserId.getAsString()).toBe(made.user.id);
    expect(await put('account-4', 'again@example.com')).toMatchObject({
      status: 'OK',
      createdNewRecipeUser: false,
      user: { id: made.user.id },
    });
  });

  test('finds users by their account and counts, lists and searches them', async () => {
    await put('account-5', 'same@example.com');
    await put('account-6', 'same@example.com');
    const [byAccount] = await SuperTokens.listUsersByAccountInfo('public', { thirdParty: { id: 'custom', userId: 'account-5' } });
    expect(byAccount?.emails).toEqual(['same@example.com']);
    expect(await SuperTokens.listUsersByAccountInfo('public', { email: 'same@example.com' })).toHaveLength(2);

    const count = await SuperTokens.getUserCount(['thirdparty']);
    const ids: string[] = [];
    for (let paginationToken: string | undefined; ; ) {
      const page = await SuperTokens.getUsersOldestFirst({ tenantId: 'public', limit: 2, ...(paginationToken && { paginationToken }) });
      ids.push(...page.users.map(({ id }) => id));
      paginationToken = page.nextPaginationToken;
      if (paginationToken === undefined) break;
    }
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
    const newest = await SuperTokens.getUsersNewestFirst({ tenantId: 'public' });
    expect(newest.users.map(({ timeJoined }) => timeJoined)).toEqual(
      newest.users.map(({ timeJoined }) => timeJoined).toSorted((a, b) => b - a),
    );
    const found = await SuperTokens.getUsersNewestFirst({ tenantId: 'public', query: { email: 'same', provider: 'cus' } });
    expect(found.users).toHaveLength(2);
    expect(found.nextPaginationToken).toBeUndefined();
  });
});
