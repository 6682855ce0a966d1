import type { CdiClient } from '../cdi-client.ts';

/** Fills a core a little in every recipe, and reads all of it back: for tests that move or keep whole stores. */

const EMAIL = 'ann@example.com';
const PASSWORD = 'a good password';
const SESSION = { userDataInJWT: { plan: 'gold' }, userDataInDatabase: { note: 'é' }, enableAntiCsrf: false };

interface WithUser {
  readonly user: { readonly id: string };
}

/** What filling a core made, by which it is read again. */
export interface Filled {
  readonly userId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

async function fine<T>(answer: Promise<{ readonly status: number; readonly text: string; readonly body: T }>): Promise<T> {
  const { status, text, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
}

/** Makes users of every kind, a session, tenants, an app, roles, metadata, codes, devices and mappings. */
export async function fillCore(client: CdiClient): Promise<Filled> {
  const { user } = await fine(client.post<WithUser>('/recipe/signup', { email: EMAIL, password: PASSWORD }));
  await fine(client.post('/recipe/userid/map', { superTokensUserId: user.id, externalUserId: 'ann' }));
  await fine(client.post('/recipe/signinup', { thirdPartyId: 'google', thirdPartyUserId: 'g-1', email: { id: EMAIL, isVerified: true } }));
  const code = await fine(
    client.post<{ deviceId: string; userInputCode: string; preAuthSessionId: string }>('/recipe/signinup/code', {
      email: 'bob@example.com',
    }),
  );
  const { deviceId, userInputCode, preAuthSessionId } = code;
  await fine(client.post('/recipe/signinup/code/consume', { deviceId, userInputCode, preAuthSessionId }));
  await fine(client.put('/recipe/multitenancy/tenant/v2', { tenantId: 't1', firstFactors: ['emailpassword'] }));
  await fine(client.put('/recipe/multitenancy/app/v2', { appId: 'a1' }));
  await fine(client.put('/recipe/role', { role: 'admin', permissions: ['read', 'write'] }));
  await fine(client.put('/recipe/user/role', { userId: 'ann', role: 'admin' }));
  await fine(client.put('/recipe/user/metadata', { userId: 'ann', metadataUpdate: { filler: 'ü'.repeat(100_000) } }));
  await fine(client.post('/recipe/totp/device', { userId: 'ann', deviceName: 'phone', skew: 1, period: 30 }));
  await fine(client.post('/recipe/dashboard/user', { email: 'boss@example.com', password: PASSWORD }));
  await fine(client.post('/recipe/user/password/reset/token', { userId: 'ann', email: EMAIL }));
  const { accessToken, refreshToken } = await fine(
    client.post<{ accessToken: { token: string }; refreshToken: { token: string } }>('/recipe/session', { userId: 'ann', ...SESSION }),
  );
  return { userId: 'ann', accessToken: accessToken.token, refreshToken: refreshToken.token };
}

const READS = [
  '/users?limit=100',
  '/recipe/roles',
  '/recipe/user/roles?userId=ann',
  '/recipe/user/metadata?userId=ann',
  '/recipe/multitenancy/tenant/list/v2',
  '/recipe/multitenancy/app/list/v2',
  '/recipe/totp/device/list?userId=ann',
  '/recipe/session/user?userId=ann',
  '/recipe/userid/map?userId=ann&userIdType=EXTERNAL',
  '/recipe/dashboard/users',
  '/.well-known/jwks.json',
  '/recipe/jwt/jwks',
] as const;

/** What a core answers to all that reads, by path. */
export async function readCore(client: CdiClient): Promise<Readonly<Record<string, unknown>>> {
  const answers = await Promise.all(READS.map(async (path) => [path, (await client.get(path)).body] as const));
  return Object.fromEntries(answers);
}
