import { beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

/** What may be signed has limits wherever it comes in, and what is signed can always be verified. */
let core: InProcessCore;
beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

const create = (userDataInJWT: object, userId = 'u'): Promise<InProcessAnswer> =>
  core.call('POST', '/recipe/session', { userId, enableAntiCsrf: false, userDataInJWT, userDataInDatabase: {} });
const tokenOf = ({ body }: InProcessAnswer, name: 'accessToken' | 'refreshToken'): string =>
  (body[name] as { readonly token: string }).token;
const handleOf = ({ body }: InProcessAnswer): string => (body['session'] as { readonly handle: string }).handle;

const LARGEST: Readonly<Record<string, object>> = {
  'most bytes': { a: 'x'.repeat(LIMITS.freeFormBytes - 8) },
  'most bytes of escapes': { a: '"'.repeat(LIMITS.freeFormBytes / 2 - 8) },
  'most bytes of wide letters': { a: '\u20ac'.repeat(Math.floor(LIMITS.freeFormBytes / 3) - 8) },
  'most members': Object.fromEntries(Array.from({ length: LIMITS.freeFormBytes / 13 }, (_, at) => [`k${at}`, null])),
  'most arrays': { a: Array.from({ length: LIMITS.bodyParts / 2 - 20 }, () => []) },
  'most short numbers': { a: Array.from({ length: LIMITS.bodyParts - 20 }, () => 1) },
};
const TOO_LONG = { status: 400, body: { text: `Field name 'userDataInJWT' must not be larger than ${LIMITS.freeFormBytes} bytes\n` } };
const TOO_MANY = { status: 413, body: { text: 'Request body is too large\n' } };
const TOO_LARGE: Readonly<Record<string, { readonly claims: object; readonly refused: object }>> = {
  'too many bytes': { claims: { a: 'x'.repeat(LIMITS.freeFormBytes) }, refused: TOO_LONG },
  'too many members': {
    claims: Object.fromEntries(Array.from({ length: LIMITS.bodyParts + 1 }, (_, at) => [`k${at}`, null])),
    refused: TOO_MANY,
  },
  'too many arrays': { claims: { a: Array.from({ length: LIMITS.bodyParts }, () => []) }, refused: TOO_MANY },
};

describe('claims that are as large as they may be', () => {
  test.each(Object.keys(LARGEST))('%s', async (name) => {
    const claims = LARGEST[name] ?? {};
    const made = await create(claims);
    expect(made.status).toBe(200);
    const check = { enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: true };
    const verified = await core.call('POST', '/recipe/session/verify', { accessToken: tokenOf(made, 'accessToken'), ...check });
    expect(verified.body).toMatchObject({ status: 'OK', session: { userDataInJWT: claims } });
    expect(verified.body).not.toHaveProperty('accessToken');
    const again = await core.call('POST', '/recipe/session/regenerate', { accessToken: tokenOf(made, 'accessToken') });
    expect(again.body).toMatchObject({ status: 'OK' });
    const refresh = { refreshToken: tokenOf(made, 'refreshToken'), enableAntiCsrf: false, useDynamicSigningKey: true };
    const refreshed = await core.call('POST', '/recipe/session/refresh', refresh);
    expect(refreshed.body).toMatchObject({ status: 'OK' });
    const next = await core.call('POST', '/recipe/session/verify', { accessToken: tokenOf(refreshed, 'accessToken'), ...check });
    expect(next.body).toMatchObject({ status: 'OK' });
  });
});

describe('claims that are larger', () => {
  test.each(Object.entries(TOO_LARGE))('%s', async (_, { claims, refused }) => {
    const made = await create({});
    expect(await create(claims)).toEqual(refused);
    const regenerated = { accessToken: tokenOf(made, 'accessToken'), userDataInJWT: claims };
    expect(await core.call('POST', '/recipe/session/regenerate', regenerated)).toEqual(refused);
    expect(await core.call('PUT', '/recipe/jwt/data', { sessionHandle: handleOf(made), userDataInJWT: claims })).toEqual(refused);
  });

  test('ids that no token can hold', async () => {
    const text = "Field name 'userId' must not be larger than 65536 characters\n";
    expect(await create({}, 'x'.repeat(LIMITS.textChars + 1))).toEqual({ status: 400, body: { text } });
    expect((await create({ a: 'x'.repeat(LIMITS.freeFormBytes - 8) }, 'x'.repeat(LIMITS.textChars))).status).toBe(400);
  });
});
