import { beforeEach, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const KEYS = '/manage/v1/signing-keys';
const OVERLAP_MS = 60_000;

interface ShownKey {
  readonly kid: string;
  readonly kind: string;
  readonly state: string;
  readonly createdAt: number;
  readonly signsFrom: number;
  readonly signsUntil: number | null;
}

let core: InProcessCore;

beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

async function keys(): Promise<readonly ShownKey[]> {
  const { body } = await core.call('GET', KEYS);
  return (body as unknown as { keys: readonly ShownKey[] }).keys;
}

async function token(useDynamicSigningKey = true): Promise<string> {
  const sent = { userId: 'u', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey };
  const { body } = await core.call('POST', '/recipe/session', sent);
  return (body as unknown as { accessToken: { token: string } }).accessToken.token;
}

const kidOf = (text: string): unknown => JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()).kid;

async function verified(accessToken: string): Promise<unknown> {
  const sent = { accessToken, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: false };
  return (await core.call('POST', '/recipe/session/verify', sent)).body['status'];
}

async function published(): Promise<readonly string[]> {
  const { body } = await core.call('GET', '/.well-known/jwks.json');
  return (body as unknown as { keys: readonly { kid: string }[] }).keys.map(({ kid }) => kid);
}

test.each([
  ['dynamic', true],
  ['static', false],
])('a new %s key is published at once and signs after a minute; the old one goes on verifying', async (kind, isDynamic) => {
  const old = await token(isDynamic);
  core.clock.now += 1;
  const { kid } = (await core.call('POST', `${KEYS}/rotate`, { kind })).body;
  expect(await published()).toContain(kid);
  expect(kidOf(await token(isDynamic))).toBe(kidOf(old));
  const states = async () => (await keys()).filter((key) => key.kind === kind).map(({ state }) => state);
  expect(await states()).toEqual(['coming', 'signing']);
  core.clock.now += OVERLAP_MS;
  expect(kidOf(await token(isDynamic))).toBe(kid);
  expect(await states()).toEqual(['signing', 'verifying']);
  expect(await verified(old)).toBe('OK');
});

test.each([
  ['dynamic', true, 'Access tokens'],
  ['static', false, 'JWTs'],
])('a retired %s key verifies nothing from then on, also what was verified before; a new one signs', async (kind, isDynamic, breaks) => {
  const old = await token(isDynamic);
  expect(await verified(old)).toBe('OK');
  core.clock.now += 1;
  const { body } = await core.call('POST', `${KEYS}/retire`, { kid: kidOf(old) });
  expect(body).toMatchObject({ status: 'OK', kind, wasSigning: true });
  expect(body['breaks']).toContain(breaks);
  expect(await verified(old)).toBe('TRY_REFRESH_TOKEN');
  expect(await published()).not.toContain(kidOf(old));
  const next = await token(isDynamic);
  expect(kidOf(next)).not.toBe(kidOf(old));
  expect(await verified(next)).toBe('OK');
});

test('a key signs until its interval ends or the next of its kind takes over', async () => {
  const [dynamic, fixed] = await keys();
  expect(dynamic?.signsUntil).toBe((dynamic?.createdAt ?? 0) + 168 * 3_600_000);
  expect(fixed?.signsUntil).toBeNull();
  core.clock.now += 1;
  for (const kind of ['dynamic', 'static']) await core.call('POST', `${KEYS}/rotate`, { kind });
  const [nextDynamic, oldDynamic, nextFixed, oldFixed] = await keys();
  expect(oldDynamic?.signsUntil).toBe(nextDynamic?.signsFrom);
  expect(oldFixed?.signsUntil).toBe(nextFixed?.signsFrom);
  expect(nextFixed?.signsUntil).toBeNull();
});

test('a key that is none is not retired', async () => {
  expect((await core.call('POST', `${KEYS}/retire`, { kid: 'd-1' })).body).toEqual({ status: 'UNKNOWN_KEY_ERROR' });
});
