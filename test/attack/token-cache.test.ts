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

  test.each(['.', '....'])('with %j at its end it is good, but not remembered', async (dots) => {
    expect(await verify(token + dots)).toBe('OK');
    expect(core.services.verifiedTokens.get(token + dots)).toBeUndefined();
  });

  test('another spelling of the signature is none', async () => {
    expect(await verify(`${token}=`)).toBe('TRY_REFRESH_TOKEN');
    expect(core.services.verifiedTokens.get(`${token}=`)).toBeUndefined();
  });
});
