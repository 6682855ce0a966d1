import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { create, exists, grantOf, refresh, type SessionAnswer, tryCreate, verify } from './session-calls.ts';
import { withCore } from '../../with-core.ts';

/**
 * Claims and session data are the caller's own JSON: whatever it is, it comes back equal, and what is signed into a token equals what is kept,
 * since otherwise every verify with the database would hand out another token (contract 02 section 6).
 */
let client: CdiClient;
withCore({}, (core) => {
  client = cdiClient(core.url);
});

/** Objects with awkward names and values, but for the names that belong to the core and `aud`, which it rewrites. */
const awkwardName = fc.oneof(
  fc.constantFrom('', 'constructor', 'toString', 'a.b', '"', '\\', '\u2028', 'ключ', '0'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const RESERVED = new Set([
  'sub',
  'exp',
  'iat',
  'sessionHandle',
  'refreshTokenHash1',
  'parentRefreshTokenHash1',
  'antiCsrfToken',
  'tId',
  'rsub',
  'aud',
  '__proto__',
]);
const claims = fc
  .dictionary(awkwardName, fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), { maxKeys: 6 })
  .filter((object) => Object.keys(object).every((name) => !RESERVED.has(name)))
  // -0 has no spelling of its own in JSON.
  .map((object): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(object)));

test('any claims and any data come back as they were sent', async () => {
  await fc.assert(
    fc.asyncProperty(claims, claims, async (userDataInJWT, userDataInDatabase) => {
      const grant = await create(client, 'free-form', { userDataInJWT, userDataInDatabase });
      expect(grant.answer.session?.userDataInJWT).toEqual(userDataInJWT);
      const seen = await verify(client, grant.access, { checkDatabase: true });
      expect(seen.session?.userDataInJWT).toEqual(userDataInJWT);
      expect(seen).not.toHaveProperty('accessToken');
      expect(await verify(client, grant.access, { checkDatabase: true }, { cdi: '5.6' })).toMatchObject({ payloadUpdateAvailable: false });
      const kept = await client.get<SessionAnswer>('/recipe/session', { sessionHandle: grant.handle });
      expect(kept.body.userDataInDatabase).toEqual(userDataInDatabase);
      const next = await refresh(client, grant.refresh);
      expect(next.answer.session?.userDataInJWT).toEqual(userDataInJWT);
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
});

/** Texts that JavaScript's own JSON would change, as members of the claims. */
const DELICATE: readonly string[] = [
  '"big":9007199254740993',
  '"most":9223372036854775807,"least":-9223372036854775808',
  '"decimal":0.1000000000000000055511151231257827',
  '"twice":1,"twice":2',
  '"half":"\\ud800"',
  '"line":"\\u2028\\u2029"',
  '"__proto__":{"polluted":true}',
  '"nested":{"__proto__":1,"constructor":{"prototype":2}}',
  '"zero":-0',
  '"spelled":1.0e2',
];

test.each(DELICATE)('%s', async (members) => {
  const body = `{"userId":"delicate","userDataInJWT":{${members}},"userDataInDatabase":{${members}},"enableAntiCsrf":false}`;
  const grant = grantOf(await client.post<SessionAnswer>('/recipe/session', body));
  expect(await verify(client, grant.access, { checkDatabase: true })).not.toHaveProperty('accessToken');
  expect(await verify(client, grant.access, { checkDatabase: true }, { cdi: '5.6' })).toMatchObject({
    status: 'OK',
    payloadUpdateAvailable: false,
  });
  const next = await refresh(client, grant.refresh);
  expect(next.answer.session?.userDataInJWT).toEqual(grant.answer.session?.userDataInJWT);
});

test('integers beyond 64 bits are refused in claims', async () => {
  const body = '{"userId":"u","userDataInJWT":{"n":9223372036854775808},"userDataInDatabase":{},"enableAntiCsrf":false}';
  expect((await client.post('/recipe/session', body)).status).toBe(400);
});

test('handles of any form are looked up without harm', async () => {
  for (const handle of ['', '_', '__', 'a_public', 'x'.repeat(10_000), '\u0000', '../..', '😀', '%00', "';--"]) {
    expect(await exists(client, handle), handle).toBe(false);
  }
  const foreign = await client.get('/recipe/session', { sessionHandle: 'a_no-such-tenant_c' });
  expect(foreign.status).toBe(400);
  expect(foreign.text).toContain('AppId or tenantId not found');
});

test('user ids of any form have sessions of their own', async () => {
  const ids = ['', ' ', 'a', 'A', 'a ', 'ä', 'a\u0308', '\u0000', '😀', 'x'.repeat(100), 'a_b', '%', '__proto__'];
  for (const id of ids) expect((await tryCreate(client, id)).body.status, JSON.stringify(id)).toBe('OK');
  for (const userId of ids) {
    const listed = await client.get<SessionAnswer>('/recipe/session/user', { userId });
    expect(listed.body.sessionHandles, JSON.stringify(userId)).toHaveLength(1);
  }
});
