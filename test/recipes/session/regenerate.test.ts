import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { decode, type TokenObject } from './session-calls.ts';

/** `POST /recipe/session/regenerate`: whose signature does not hold changes nothing, and is told as verify tells it. */
let core: InProcessCore;
let access: string;
let handle: string;

const post = (path: string, body: object): Promise<InProcessAnswer> => core.call('POST', path, body);
const regenerate = (accessToken: string, userDataInJWT?: object): Promise<InProcessAnswer> =>
  post('/recipe/session/regenerate', { accessToken, userDataInJWT });
const verify = async (accessToken: string): Promise<InProcessAnswer['body']> =>
  (await post('/recipe/session/verify', { accessToken, enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: false })).body;
const claims = async (): Promise<unknown> => (await core.call('GET', `/recipe/jwt/data?sessionHandle=${handle}`)).body['userDataInJWT'];
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

beforeEach(async () => {
  core ??= await openInProcessCore('5.4');
  const session = { userId: 'u', enableAntiCsrf: false, userDataInJWT: { role: 'reader' }, userDataInDatabase: {} };
  const { body } = await post('/recipe/session', session);
  access = (body['accessToken'] as TokenObject).token;
  handle = (body['session'] as { readonly handle: string }).handle;
});

describe('of a token that no key of the app signed', () => {
  const FORGERIES: Readonly<Record<string, () => string>> = {
    'other claims, old signature': () => {
      const [header, , signature] = access.split('.');
      return [header, part({ ...decode(access).claims, sub: 'victim' }), signature].join('.');
    },
    'the signature of zeros': () => access.replace(/[^.]*$/, 'A'.repeat(342)),
    'no signature': () => access.replace(/[^.]*$/, ''),
    'an unknown kid': () => access.replace(/^[^.]*/, part({ ...decode(access).header, kid: 'd-1' })),
  };
  test.each(Object.keys(FORGERIES))('%s', async (name) => {
    const forged = FORGERIES[name]?.() ?? '';
    const told = await verify(forged);
    expect(told['status']).toBe('TRY_REFRESH_TOKEN');
    expect(await regenerate(forged, { role: 'admin' })).toEqual({ status: 200, body: { ...told, status: 'UNAUTHORISED' } });
    expect(await claims()).toEqual({ role: 'reader' });
  });
});

test('of what is no token: 400 with the text of verify', async () => {
  const { version: _version, ...header } = decode(access).header;
  for (const text of ['x', `${access}.`, `${part('x')}.x.x`, access.replace(/^[^.]*/, part(header))]) {
    const { message } = await verify(text);
    expect(message).toMatch(/^io\.supertokens\.session\.jwt\.JWT\$JWTException: /);
    expect(await regenerate(text)).toEqual({ status: 400, body: { text: `${String(message)}\n` } });
  }
});

test('of an expired token: new claims, no new token', async () => {
  core.clock.now = decode(access).claims.exp * 1000 + 1;
  const answer = await regenerate(access, { role: 'writer' });
  expect(answer.body).toMatchObject({ status: 'OK', session: { userDataInJWT: { role: 'writer' } } });
  expect(answer.body).not.toHaveProperty('accessToken');
  expect(await claims()).toEqual({ role: 'writer' });
});
