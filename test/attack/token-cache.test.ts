import { beforeAll, describe, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';

/** What a thread remembers of tokens: only one spelling of each, and only for the app whose key signed it. */
describe('verified tokens that are remembered', () => {
  let core: InProcessCore;
  let token: string;

  const verify = async (accessToken: string): Promise<unknown> => {
    const body = { accessToken, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: false };
    return (await core.call('POST', '/recipe/session/verify', body)).body['status'];
  };

  beforeAll(async () => {
    core = await openInProcessCore('5.4');
    const session = { userId: 'u', enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {} };
    const { body } = await core.call('POST', '/recipe/session', session);
    token = (body['accessToken'] as { readonly token: string }).token;
  });

  test('a genuine token is remembered', async () => {
    expect(await verify(token)).toBe('OK');
    expect(core.services.verifiedTokens.get(token)).toBeDefined();
  });

  test('a request that came often is refused as soon as its token has expired', async () => {
    const aged = await openInProcessCore('5.4');
    const session = { userId: 'u', enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {} };
    const { body } = await aged.call('POST', '/recipe/session', session);
    const { token: accessToken, expiry } = body['accessToken'] as { readonly token: string; readonly expiry: number };
    const verifyAgain = async (): Promise<unknown> => {
      const again = { accessToken, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: false };
      return (await aged.call('POST', '/recipe/session/verify', again)).body['status'];
    };
    for (let times = 0; times < 4; times++) expect(await verifyAgain()).toBe('OK');
    aged.clock.now = expiry;
    expect(await verifyAgain()).toBe('OK');
    aged.clock.now = expiry + 1;
    expect(await verifyAgain()).toBe('TRY_REFRESH_TOKEN');
  });

  test('a request that came often is refused by another app, and once its session has ended where that is asked', async () => {
    const app = { appId: 'a1', coreConfig: {} };
    expect((await core.call('PUT', '/recipe/multitenancy/app/v2', app)).body['status']).toBe('OK');
    const verifyAt = async (path: string, checkDatabase: boolean): Promise<unknown> => {
      const again = { accessToken: token, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase };
      return (await core.call('POST', `${path}/recipe/session/verify`, again)).body['status'];
    };
    for (let times = 0; times < 4; times++) {
      expect(await verifyAt('', true)).toBe('OK');
      expect(await verifyAt('/appid-a1', true)).toBe('TRY_REFRESH_TOKEN');
      expect(await verifyAt('/appid-a1', false)).toBe('TRY_REFRESH_TOKEN');
    }
    await core.call('POST', '/recipe/session/remove', { userId: 'u' });
    expect(await verifyAt('', true)).toBe('UNAUTHORISED');
    expect(await verifyAt('', false)).toBe('OK');
  });

  test.each(['.', '....'])('with %j at its end it is no token', async (dots) => {
    expect(await verify(token + dots)).toBe('TRY_REFRESH_TOKEN');
    expect(core.services.verifiedTokens.get(token + dots)).toBeUndefined();
  });

  test('another spelling of the signature is none', async () => {
    expect(await verify(`${token}=`)).toBe('TRY_REFRESH_TOKEN');
    expect(core.services.verifiedTokens.get(`${token}=`)).toBeUndefined();
  });
});
