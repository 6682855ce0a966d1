import { describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import type { RunningCore } from '../../running-core.ts';
import { create, decode, exists, refresh, tryCreate, tryRefresh, verify } from './session-calls.ts';
import { withCore } from '../../with-core.ts';

/** Refresh from CDI 5.6 on: the token is exchanged at once, and a lost answer may be asked for again for a while (contract 02 section 2.4). */
const LEGACY = { cdi: '5.4' } as const;

describe('the rotating refresh flow', () => {
  let core: RunningCore;
  let client: CdiClient;
  withCore({ env: { TOKEN_THEFT_REVOKES: 'reference' } }, (started) => {
    core = started;
    client = cdiClient(core.url, { cdi: '5.6' });
  });

  test('a lost answer is asked for again, and the lost child is dead', async () => {
    const zero = await create(client, 'rotating-1');
    const one = await refresh(client, zero.refresh);
    expect(decode(one.access).claims['parentRefreshTokenHash1']).toBeNull();
    const two = await refresh(client, zero.refresh);

    expect(await verify(client, one.access, { checkDatabase: true })).toEqual({
      status: 'UNAUTHORISED',
      message: 'rotated-out token branch; refresh required',
    });
    expect(await verify(client, zero.access, { checkDatabase: true })).toMatchObject({ status: 'OK', payloadUpdateAvailable: false });
    expect(await verify(client, two.access, { checkDatabase: true })).toMatchObject({ status: 'OK' });
    expect(await verify(client, one.access)).toMatchObject({ status: 'OK' });

    const theft = await tryRefresh(client, one.refresh);
    expect(theft.body).toEqual({
      status: 'TOKEN_THEFT_DETECTED',
      session: { handle: zero.handle, userId: 'rotating-1', recipeUserId: 'rotating-1' },
      recentTokenReuseSubtype: 'ORPHANED_BRANCH',
    });
    expect(await exists(client, zero.handle)).toBe(false);
    expect((await tryRefresh(client, two.refresh)).body.status).toBe('UNAUTHORISED');
  });

  test('a grandparent is stale', async () => {
    const zero = await create(client, 'rotating-2');
    const one = await refresh(client, zero.refresh);
    await refresh(client, one.refresh);
    expect((await tryRefresh(client, zero.refresh)).body).toMatchObject({
      status: 'TOKEN_THEFT_DETECTED',
      recentTokenReuseSubtype: 'STALE_LINEAGE',
    });
    expect(await exists(client, zero.handle)).toBe(false);
  });

  test('of two at once both are answered and one lives', async () => {
    const zero = await create(client, 'rotating-3');
    const both = await Promise.all([refresh(client, zero.refresh), refresh(client, zero.refresh)]);
    const checks = await Promise.all(both.map((grant) => verify(client, grant.access, { checkDatabase: true })));
    expect(checks.map((answer) => answer.status).toSorted()).toEqual(['OK', 'UNAUTHORISED']);
    const living = both[checks.findIndex((answer) => answer.status === 'OK')];
    await refresh(client, String(living?.refresh));
  });

  test('a legacy child is promoted and rotated in one step', async () => {
    const zero = await create(client, 'rotating-4');
    const one = await refresh(client, zero.refresh, {}, LEGACY);
    await refresh(client, one.refresh);
    expect((await tryRefresh(client, zero.refresh)).body).toMatchObject({
      status: 'TOKEN_THEFT_DETECTED',
      recentTokenReuseSubtype: 'STALE_LINEAGE',
    });
  });

  test('verifying a legacy child writes nothing and mints nothing', async () => {
    const zero = await create(client, 'rotating-5');
    const one = await refresh(client, zero.refresh, {}, LEGACY);
    for (const checkDatabase of [false, true]) {
      const seen = await verify(client, one.access, { checkDatabase });
      expect(seen.status).toBe('OK');
      expect(seen).not.toHaveProperty('accessToken');
    }
    await refresh(client, zero.refresh, {}, LEGACY);
  });

  test('a change of claims is announced, and taken up by the next refresh', async () => {
    const zero = await create(client, 'rotating-6', { userDataInJWT: { plan: 'free' } });
    await client.put('/recipe/jwt/data', { sessionHandle: zero.handle, userDataInJWT: { plan: 'paid' } });
    expect(await verify(client, zero.access)).not.toHaveProperty('payloadUpdateAvailable');
    const seen = await verify(client, zero.access, { checkDatabase: true });
    expect(seen).toMatchObject({ status: 'OK', payloadUpdateAvailable: true, session: { userDataInJWT: { plan: 'free' } } });
    expect(seen).not.toHaveProperty('accessToken');
    const one = await refresh(client, zero.refresh);
    expect(decode(one.access).claims['plan']).toBe('paid');
    expect(await verify(client, one.access, { checkDatabase: true })).toMatchObject({ payloadUpdateAvailable: false });
  });

  test('the caller may ask for a shorter life', async () => {
    const { body } = await tryCreate(client, 'rotating-7', { accessTokenValidity: 60_000 });
    expect(Number(body.accessToken?.expiry) - Number(body.accessToken?.createdTime)).toBeLessThanOrEqual(60_000);
    const refused = await tryCreate(client, 'rotating-7', { accessTokenValidity: 3_600_001 });
    expect(refused.status).toBe(400);
    expect(refused.text.trim()).toBe(
      'accessTokenValidity must be greater than 0 and at most the configured access_token_validity (3600000 ms)',
    );
  });
});

describe('without a grace period', () => {
  let core: RunningCore;
  let client: CdiClient;
  withCore({ env: { TOKEN_THEFT_REVOKES: 'reference', REFRESH_TOKEN_ROTATION_GRACE_PERIOD: '0' } }, (started) => {
    core = started;
    client = cdiClient(core.url, { cdi: '5.6' });
  });

  test('the parent is refused as soon as the clock has moved', async () => {
    const zero = await create(client, 'graceless');
    await refresh(client, zero.refresh);
    await new Promise((done) => setTimeout(done, 10));
    expect((await tryRefresh(client, zero.refresh)).body).toMatchObject({
      status: 'TOKEN_THEFT_DETECTED',
      recentTokenReuseSubtype: 'RECENT_PREV',
    });
    expect(await exists(client, zero.handle)).toBe(false);
  });
});
