import { describe, expect, test, vi } from 'vitest';
import { type AnswerBody, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

/* What ends when its time has come, by a clock that the test sets, and what a long list of handles costs. */

const SECOND = 1000;
const REFRESH_MS = 120 * SECOND;
const FLAGS = ['--access-token-validity', '60', '--refresh-token-validity', '2'];

interface Started extends AnswerBody {
  readonly session: { readonly handle: string };
  readonly refreshToken: { readonly token: string };
}

async function start(core: InProcessCore, userId: string): Promise<Started> {
  const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
  return (await core.call('POST', '/recipe/session', body)).body as Started;
}

async function refresh(core: InProcessCore, { refreshToken: { token } }: Started, cdi = '5.4'): Promise<Started> {
  const body = { refreshToken: token, enableAntiCsrf: false, useDynamicSigningKey: true };
  return (await core.call('POST', '/recipe/session/refresh', body, { cdi })).body as Started;
}

const exists = async (core: InProcessCore, { session: { handle } }: Started): Promise<boolean> =>
  (await core.call('GET', `/recipe/session?sessionHandle=${handle}`)).body['status'] === 'OK';

describe('a session', () => {
  test('ends with its refresh token, and a promotion prolongs it', async () => {
    const core = await openInProcessCore('5.4', FLAGS);
    const begun = core.clock.now;
    const [gone, kept] = [await start(core, 'u'), await start(core, 'u')];
    core.clock.now = begun + 80 * SECOND;
    const child = await refresh(core, kept, '5.6');
    expect(child['status']).toBe('OK');
    core.clock.now = begun + REFRESH_MS - 1;
    expect(await exists(core, gone)).toBe(true);
    core.clock.now = begun + REFRESH_MS + 1;
    expect(await refresh(core, gone)).toEqual({ status: 'UNAUTHORISED', message: 'Session missing in db or has expired' });
    expect(await exists(core, gone)).toBe(false);
    expect((await core.call('GET', '/recipe/session/user?userId=u')).body['sessionHandles']).toEqual([kept.session.handle]);
    core.clock.now = begun + 80 * SECOND + REFRESH_MS - 1;
    expect(await refresh(core, child, '5.6')).toMatchObject({ status: 'OK', session: { handle: kept.session.handle } });
  });
});

test('lists and revocations know of each session whether it has expired, by its row where the index does not tell', async () => {
  const DAY = 86_400 * SECOND;
  const core = await openInProcessCore('5.6', ['--refresh-token-validity', String(100 * 24 * 60)]);
  const begun = core.clock.now;
  const [left, kept] = [await start(core, 'u'), await start(core, 'u')];
  const list = async (): Promise<unknown> => (await core.call('GET', '/recipe/session/user?userId=u')).body['sessionHandles'];
  const both = expect.arrayContaining([left.session.handle, kept.session.handle]);
  await list();
  core.takeRounds();
  expect(await list()).toEqual(both);
  // Two rounds find that nobody has this id, one reads the index, and none the rows.
  expect(core.takeRounds()).toBe(3);
  core.clock.now = begun + 60 * DAY;
  const child = await refresh(core, kept, '5.6');
  expect(child['status']).toBe('OK');
  core.clock.now = begun + 100 * DAY;
  expect(await list()).toEqual(both);
  core.clock.now += 1;
  expect(await list()).toEqual([kept.session.handle]);
  core.clock.now = begun + 159 * DAY;
  expect(await list()).toEqual([kept.session.handle]);
  expect((await core.call('POST', '/recipe/session/remove', { userId: 'u' })).body['sessionHandlesRevoked']).toEqual([kept.session.handle]);
});

test('handles of very many unknown tenants are refused at the first', async () => {
  const core = await openInProcessCore('5.4');
  const finding = vi.spyOn(core.services.directory, 'find');
  const sessionHandles = Array.from({ length: 9_000 }, (_, at) => `a_t${at}`);
  const { status, body } = await core.call('POST', '/recipe/session/remove', { sessionHandles });
  expect(status).toBe(400);
  expect(body['text']).toContain('(, public, t0)');
  const asked = finding.mock.calls.map(([{ tenantId }]) => tenantId);
  expect(asked.filter((tenantId) => tenantId !== 'public')).toEqual(['t0']);
});
