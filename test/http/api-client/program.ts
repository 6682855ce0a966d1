// A back end that speaks to a core by a client generated from its openapi.json. The test compiles it beside the generated types and runs it: a member
// that the description lacks, or has with another type, does not compile. It prints what it learned as JSON.
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './watchword.ts';

const [url = '', apiKey = ''] = process.argv.slice(2);
const connect = (baseUrl: string, key: string): Client<paths> =>
  createClient<paths>({ baseUrl, headers: { 'api-key': key }, querySerializer: { array: { style: 'form', explode: false } } });
const client = connect(url, apiKey);

const email = 'ann@example.com';
const password = 'correct-horse-1';

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`no ${what}`);
  return value;
}

async function signUp(): Promise<string> {
  const { data } = await client.POST('/recipe/signup', { body: { email, password } });
  if (data?.status !== 'OK') throw new Error(`sign-up: ${data?.status}`);
  // @ts-expect-error where the status is OK there is no reason
  void data.reason;
  return data.user.id;
}

async function signInWrongly(): Promise<string | undefined> {
  const { data } = await client.POST('/recipe/signin', { body: { email, password: 'wrong-horse-1' } });
  return data?.status;
}

async function startAndVerifySession(userId: string): Promise<object> {
  const made = await client.POST('/recipe/session', {
    body: { userId, enableAntiCsrf: false, userDataInJWT: { role: 'reader' }, userDataInDatabase: {}, useDynamicSigningKey: true },
  });
  const { token } = must(made.data, 'session').accessToken;
  const { data } = await client.POST('/recipe/session/verify', {
    body: { accessToken: token, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: true },
  });
  if (data?.status !== 'OK') throw new Error(`verify: ${data?.status}`);
  return { userId: data.session.userId, claims: data.session.userDataInJWT, tenantId: data.session.tenantId };
}

/** The same path means another recipe by `rid`. */
async function usersByRid(): Promise<object> {
  await client.POST('/recipe/signinup', {
    body: { thirdPartyId: 'google', thirdPartyUserId: 'g-1', email: { id: 'gus@example.com', isVerified: true } },
  });
  const ofGoogle = await client.GET('/recipe/user', {
    params: { header: { rid: 'thirdparty' }, query: { thirdPartyId: 'google', thirdPartyUserId: 'g-1' } },
  });
  const ofPassword = await client.GET('/recipe/user', { params: { query: { email } } });
  const ofPhone = await client.GET('/recipe/user', {
    params: { header: { rid: 'passwordless' }, query: { phoneNumber: '+4915112345678' } },
  });
  return { google: ofGoogle.data?.status, password: ofPassword.data?.status, phone: ofPhone.data?.status };
}

async function refused(): Promise<object> {
  const { response, error } = await connect(url, 'a-key-that-nobody-gave-out').GET('/recipe/roles', { parseAs: 'text' });
  return { status: response.status, text: error };
}

async function manage(userId: string): Promise<object> {
  const shown = await client.GET('/manage/v1/user', { params: { query: { userId } } });
  if (shown.data?.status !== 'OK') throw new Error(`show: ${shown.data?.status}`);
  const [method] = shown.data.user.loginMethods;
  const disabled = await client.POST('/manage/v1/user/disable', { body: { userId } });
  const { data: found } = await client.GET('/manage/v1/users', { params: { query: { limit: 10 } } });
  return {
    recipeId: method?.recipeId,
    sessions: shown.data.sessionCount,
    disabled: disabled.data?.status,
    users: found?.users.length,
  };
}

/** In a tenant of its own, whose id precedes the paths. */
async function inTenant(): Promise<object> {
  const made = await client.PUT('/recipe/multitenancy/tenant/v2', { body: { tenantId: 't1' } });
  const ofTenant = connect(`${url}/t1`, apiKey);
  const { data } = await ofTenant.POST('/recipe/signup', { body: { email, password } });
  const listed = await ofTenant.GET('/users', { params: { query: { limit: 5, includeRecipeIds: ['emailpassword', 'thirdparty'] } } });
  return { createdNew: made.data?.createdNew, signUp: data?.status, users: listed.data?.users.length };
}

const userId = await signUp();
console.log(
  JSON.stringify({
    userId,
    wrong: await signInWrongly(),
    session: await startAndVerifySession(userId),
    byRid: await usersByRid(),
    refused: await refused(),
    managed: await manage(userId),
    tenant: await inTenant(),
  }),
);
