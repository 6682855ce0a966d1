import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { totpCode } from '../totp-code.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { EmailPassword, type ExpressApp, MultiFactorAuth, startApp, SuperTokens, ThirdParty, Totp } from './express-app.ts';
import { type AppAnswer, FrontEnd } from './front-end.ts';
import { type OAuthProvider, providerConfig, startOAuthProvider } from './oauth-provider.ts';

const load = createRequire(import.meta.url);
const Multitenancy: typeof import('supertokens-node/recipe/multitenancy/index.js') = load('supertokens-node/recipe/multitenancy');

/** The published Node SDK, unmodified: tenants with factors and providers of their own, users who are in several, and factors that tenants ask for. */
const PASSWORD = 'correct-horse-1';
const REDIRECT = 'http://127.0.0.1:3000/callback';
/** Long, so that a code holds as long as the test takes. */
const PERIOD = 100_000;

let core: RunningCore;
let provider: OAuthProvider;
let app: ExpressApp;

beforeAll(async () => {
  [core, provider] = await Promise.all([startCore(), startOAuthProvider()]);
  const recipes = [Multitenancy.init(), ThirdParty.init(), Totp.init({ defaultPeriod: PERIOD }), MultiFactorAuth.init()];
  app = await startApp(core.url, undefined, recipes);
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
  await core?.stop();
});

const enter = (front: FrontEnd, tenant: string, path: 'signup' | 'signin', email: string): Promise<AppAnswer> => {
  const formFields = [
    { id: 'email', value: email },
    { id: 'password', value: PASSWORD },
  ];
  return front.post(`/auth/${tenant}/${path}`, { formFields });
};
const newcomer = async (tenant: string, email: string) => {
  const made = await EmailPassword.signUp(tenant, email, PASSWORD);
  if (made.status !== 'OK') throw new Error(made.status);
  return made;
};

describe('tenants', () => {
  test('are made, changed, read, listed and removed', async () => {
    const firstFactors = ['emailpassword'];
    expect(await Multitenancy.createOrUpdateTenant('life', { firstFactors })).toMatchObject({ status: 'OK', createdNew: true });
    expect(await Multitenancy.getTenant('life')).toMatchObject({
      tenantId: 'life',
      firstFactors,
      thirdParty: { providers: [] },
      coreConfig: {},
    });
    const change = { firstFactors: null, requiredSecondaryFactors: ['totp'], coreConfig: { totp_max_attempts: 3 } };
    expect(await Multitenancy.createOrUpdateTenant('LIFE', change)).toMatchObject({ status: 'OK', createdNew: false });
    const changed = await Multitenancy.getTenant('life');
    expect(changed).toMatchObject({ requiredSecondaryFactors: ['totp'], coreConfig: { totp_max_attempts: 3 } });
    expect(changed?.firstFactors).toBeUndefined();
    await Multitenancy.createOrUpdateTenant('life', { firstFactors: [], coreConfig: { totp_max_attempts: null } });
    expect(await Multitenancy.getTenant('life')).toMatchObject({ firstFactors: [], requiredSecondaryFactors: ['totp'], coreConfig: {} });
    const { tenants } = await Multitenancy.listAllTenants();
    expect(tenants.map(({ tenantId }) => tenantId)).toEqual(expect.arrayContaining(['life', 'public']));
    expect(await Multitenancy.deleteTenant('life')).toMatchObject({ status: 'OK', didExist: true });
    expect(await Multitenancy.deleteTenant('life')).toMatchObject({ status: 'OK', didExist: false });
    expect(await Multitenancy.getTenant('life')).toBeUndefined();
  });

  test('of malformed or reserved names, or with wrong options, are refused in the words of the core', async () => {
    await expect(Multitenancy.createOrUpdateTenant('no spaces')).rejects.toThrow('tenantId can only contain letters, numbers and hyphens');
    await expect(Multitenancy.createOrUpdateTenant('users')).rejects.toThrow("Cannot use 'users' as a tenantId");
    const coreConfig = { access_token_validity: 1 };
    await expect(Multitenancy.createOrUpdateTenant('wrong', { coreConfig })).rejects.toThrow(
      'You cannot set different values for access_token_validity for the same appId',
    );
    expect(await Multitenancy.getTenant('wrong')).toBeUndefined();
  });

  test('say what a login page may offer', async () => {
    await Multitenancy.createOrUpdateTenant('page', { firstFactors: ['thirdparty'] });
    await Multitenancy.createOrUpdateThirdPartyConfig('page', { thirdPartyId: 'own', name: 'Own', clients: [{ clientId: 'c' }] });
    const { body } = await new FrontEnd(app.url, 'header').get('/auth/page/loginmethods');
    expect(body).toMatchObject({
      status: 'OK',
      emailPassword: { enabled: false },
      thirdParty: { enabled: true, providers: [{ id: 'own', name: 'Own' }] },
      firstFactors: ['thirdparty'],
    });
  });
});

describe('users', () => {
  test('of one email in two tenants are two users, each known in its own', async () => {
    for (const tenant of ['left', 'right']) await Multitenancy.createOrUpdateTenant(tenant, { firstFactors: ['emailpassword'] });
    const [left, right] = [new FrontEnd(app.url, 'header'), new FrontEnd(app.url, 'header')];
    const first = await enter(left, 'left', 'signup', 'twin@example.com');
    const second = await enter(right, 'right', 'signup', 'twin@example.com');
    const idIn = ({ body }: AppAnswer) => (body['user'] as { readonly id: string }).id;
    expect(idIn(first)).not.toBe(idIn(second));
    expect((await left.get('/me')).body).toMatchObject({ tenantId: 'left', userId: idIn(first), claims: { tId: 'left' } });
    expect((await right.get('/me')).body).toMatchObject({ tenantId: 'right', userId: idIn(second) });
    const found = await SuperTokens.listUsersByAccountInfo('left', { email: 'twin@example.com' });
    expect(found.map(({ id }) => id)).toEqual([idIn(first)]);
    expect((await SuperTokens.getUsersNewestFirst({ tenantId: 'right' })).users.map(({ id }) => id)).toEqual([idIn(second)]);
    const stranger = await enter(new FrontEnd(app.url, 'header'), 'public', 'signin', 'twin@example.com');
    expect(stranger.body['status']).toBe('WRONG_CREDENTIALS_ERROR');
  });

  test('are shared with another tenant and taken out of it again', async () => {
    for (const tenant of ['home', 'guest']) await Multitenancy.createOrUpdateTenant(tenant, { firstFactors: ['emailpassword'] });
    const { recipeUserId, user } = await newcomer('home', 'shared@example.com');
    const join = () => Multitenancy.associateUserToTenant('guest', recipeUserId);
    const signIn = async () => (await enter(new FrontEnd(app.url, 'header'), 'guest', 'signin', 'shared@example.com')).body['status'];
    expect(await signIn()).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await join()).toMatchObject({ status: 'OK', wasAlreadyAssociated: false });
    expect(await join()).toMatchObject({ status: 'OK', wasAlreadyAssociated: true });
    expect((await SuperTokens.getUser(user.id))?.tenantIds.toSorted()).toEqual(['guest', 'home']);
    const guest = new FrontEnd(app.url, 'header');
    expect((await enter(guest, 'guest', 'signin', 'shared@example.com')).body['status']).toBe('OK');
    expect(await Multitenancy.disassociateUserFromTenant('guest', recipeUserId)).toMatchObject({ status: 'OK', wasAssociated: true });
    expect((await guest.get('/me/checked')).status).toBe(401);
    expect(await signIn()).toBe('WRONG_CREDENTIALS_ERROR');
    await newcomer('guest', 'shared@example.com');
    expect(await join()).toMatchObject({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect(await Multitenancy.associateUserToTenant('guest', SuperTokens.convertToRecipeUserId('nobody'))).toMatchObject({
      status: 'UNKNOWN_USER_ID_ERROR',
    });
  });

  test('outlive their tenant, which forgets them', async () => {
    await Multitenancy.createOrUpdateTenant('gone', { firstFactors: ['emailpassword'] });
    const front = new FrontEnd(app.url, 'header');
    const { body } = await enter(front, 'gone', 'signup', 'survivor@example.com');
    const { id } = body['user'] as { readonly id: string };
    await Multitenancy.deleteTenant('gone');
    expect((await front.get('/me/checked')).status).not.toBe(200);
    expect((await SuperTokens.getUser(id))?.tenantIds).toEqual([]);
    await Multitenancy.createOrUpdateTenant('gone', { firstFactors: ['emailpassword'] });
    const again = await enter(new FrontEnd(app.url, 'header'), 'gone', 'signin', 'survivor@example.com');
    expect(again.body['status']).toBe('WRONG_CREDENTIALS_ERROR');
  });
});

test('a provider that is configured for one tenant lets its users in there, and only there', async () => {
  await Multitenancy.createOrUpdateTenant('branded', { firstFactors: ['thirdparty'] });
  const config = {
    ...providerConfig(provider),
    userInfoMap: { fromUserInfoAPI: { userId: 'sub', email: 'email', emailVerified: 'email_verified' } },
  };
  expect(await Multitenancy.createOrUpdateThirdPartyConfig('branded', config)).toMatchObject({ status: 'OK', createdNew: true });
  expect(await Multitenancy.createOrUpdateThirdPartyConfig('branded', config)).toMatchObject({ status: 'OK', createdNew: false });
  provider.account = { sub: 'account-1', email: 'branded@example.com', email_verified: true };
  const front = new FrontEnd(app.url, 'header');
  const authorise = (tenant: string) =>
    front.get(`/auth/${tenant}/authorisationurl?thirdPartyId=custom&redirectURIOnProviderDashboard=${encodeURIComponent(REDIRECT)}`);
  const { body } = await authorise('branded');
  const sent = await fetch(String(body['urlWithQueryParams']), { redirect: 'manual' });
  const redirectURIInfo = {
    redirectURIOnProviderDashboard: REDIRECT,
    redirectURIQueryParams: Object.fromEntries(new URL(sent.headers.get('location') ?? '').searchParams),
    pkceCodeVerifier: body['pkceCodeVerifier'],
  };
  const entered = await front.post('/auth/branded/signinup', { thirdPartyId: 'custom', redirectURIInfo });
  expect(entered.body).toMatchObject({ status: 'OK', createdNewRecipeUser: true, user: { tenantIds: ['branded'] } });
  expect((await authorise('public')).status).not.toBe(200);
  expect(await Multitenancy.deleteThirdPartyConfig('branded', 'custom')).toMatchObject({ status: 'OK', didConfigExist: true });
  expect(await Multitenancy.deleteThirdPartyConfig('branded', 'custom')).toMatchObject({ status: 'OK', didConfigExist: false });
  expect((await authorise('branded')).status).not.toBe(200);
});

test('a tenant that requires a second factor lets nobody in without it; others do', async () => {
  await Multitenancy.createOrUpdateTenant('strict', { firstFactors: ['emailpassword'], requiredSecondaryFactors: ['totp'] });
  const front = new FrontEnd(app.url, 'header');
  await enter(front, 'strict', 'signup', 'strict@example.com');
  expect(await front.get('/me')).toMatchObject({ status: 403, body: { claimValidationErrors: [{ id: 'st-mfa' }] } });
  const info = await front.send('PUT', '/auth/strict/mfa/info');
  expect(info.body).toMatchObject({ status: 'OK', factors: { next: ['totp'], alreadySetup: ['emailpassword'] } });
  const { body } = await front.post('/auth/strict/totp/device', { deviceName: 'phone' });
  const totp = totpCode({ secret: String(body['secret']), period: PERIOD, skew: 0 }, Date.now()) ?? '';
  expect((await front.post('/auth/strict/totp/device/verify', { deviceName: 'phone', totp })).body['status']).toBe('OK');
  expect(await front.get('/me')).toMatchObject({ status: 200, body: { claims: { 'st-mfa': { v: true } } } });
  const easy = new FrontEnd(app.url, 'header');
  await enter(easy, 'public', 'signup', 'easy@example.com');
  expect((await easy.get('/me')).status).toBe(200);
});
