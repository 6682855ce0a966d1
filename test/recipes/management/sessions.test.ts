import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { ManagementCalls } from './calls.ts';

const HOUR_MS = 3_600_000;

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4', ['--refresh-token-validity', '120']));
});

interface Listed {
  readonly sessionHandle: string;
  readonly recipeUserId: string;
  readonly tenantId: string;
}

const handlesOf = (items: readonly unknown[]): string[] => (items as readonly Listed[]).map(({ sessionHandle }) => sessionHandle);

describe('sessions of a user', () => {
  test('come from all ids and all tenants, whatever the size of a page, without anything of their tokens', async () => {
    await calls.addTenant('t1');
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    const made = [await calls.startSession(primary), await calls.startSession(member, '/t1')];
    await calls.mapTo(member, 'outside', true);
    for (const at of ['', '/t1', '']) made.push(await calls.startSession('outside', at));
    await calls.startSession(await calls.signUp('c@x'));
    for (const limit of [1, 2, 3, 5, 500]) {
      const { items, pages } = await calls.everyPage(`/user/sessions?userId=${member}`, 'sessions', limit);
      expect(handlesOf(items).toSorted()).toEqual(made.toSorted());
      expect(pages).toBe(Math.ceil(made.length / limit));
    }
    const { items } = await calls.everyPage('/user/sessions?userId=outside', 'sessions', 100);
    expect(items).toContainEqual({
      sessionHandle: made[1],
      recipeUserId: member,
      tenantId: 't1',
      timeCreated: calls.core.clock.now,
      expiry: calls.core.clock.now + 2 * HOUR_MS,
      lastRotation: null,
    });
  });

  test('that have expired, or stand in a removed tenant, are left out', async () => {
    await calls.addTenant('t1');
    const id = await calls.signUp('a@x');
    await calls.startSession(id);
    await calls.startSession(id, '/t1');
    await calls.core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    expect((await calls.everyPage(`/user/sessions?userId=${id}`, 'sessions', 100)).items).toHaveLength(1);
    calls.core.clock.now += 3 * HOUR_MS;
    expect((await calls.everyPage(`/user/sessions?userId=${id}`, 'sessions', 100)).items).toEqual([]);
  });

  test('may stand under an id that is nobody’s here', async () => {
    expect(await calls.manage('GET', '/user/sessions?userId=elsewhere')).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    const handle = await calls.startSession('elsewhere');
    expect(handlesOf((await calls.everyPage('/user/sessions?userId=elsewhere', 'sessions', 10)).items)).toEqual([handle]);
    expect(await calls.manage('POST', '/user/sign-out', { userId: 'elsewhere' })).toEqual({ status: 'OK', endedSessions: 1 });
    expect(await calls.manage('POST', '/user/sign-out', { userId: 'elsewhere' })).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('all end with sign-out, and the user may sign in again', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    const handles = [await calls.startSession(primary), await calls.startSession(member)];
    expect(await calls.manage('POST', '/user/sign-out', { userId: member })).toEqual({ status: 'OK', endedSessions: 2 });
    expect(await calls.alive(...handles)).toEqual([false, false]);
    expect(await calls.tryStart(primary)).toBe('OK');
  });
});

describe('sessions of a tenant', () => {
  test('come newest first, those of other tenants not among them', async () => {
    await calls.addTenant('t1');
    const id = await calls.signUp('a@x');
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      calls.core.clock.now += 1;
      made.unshift(await calls.startSession(id));
      await calls.startSession(id, '/t1');
    }
    for (const limit of [1, 2, 5]) expect(handlesOf((await calls.everyPage('/sessions', 'sessions', limit)).items)).toEqual(made);
    const ofTenant = (await calls.everyPage('/sessions', 'sessions', 3, '/t1')).items as readonly Listed[];
    expect(ofTenant.map(({ tenantId }) => tenantId)).toEqual(Array.from({ length: 5 }, () => 't1'));
  });

  test('a token of another list, or one that was made up, reads nothing else', async () => {
    await calls.addTenant('t1');
    const id = await calls.signUp('a@x');
    await calls.startSession(id);
    await calls.startSession(id, '/t1');
    for (const token of ['AAAA', '____', 'x', 'no token at all']) {
      const body = await calls.manage('GET', `/sessions?paginationToken=${encodeURIComponent(token)}`, undefined, '/t1');
      for (const { tenantId } of body['sessions'] as readonly Listed[]) expect(tenantId).toBe('t1');
    }
  });

  test.each(['0', '501', '-1'])('a limit of %s is refused', async (limit) => {
    expect(await calls.refusal('GET', `/sessions?limit=${limit}`)).toBe('400 limit must be between 1 and 500');
  });
});

describe('one session', () => {
  test('is shown by its handle, with whose it is', async () => {
    await calls.addTenant('t1');
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    const handle = await calls.startSession(member, '/t1');
    const { session } = await calls.manage('GET', `/session?sessionHandle=${handle}`);
    expect(session).toMatchObject({ sessionHandle: handle, recipeUserId: member, userId: primary, tenantId: 't1', lastRotation: null });
    expect(Object.keys(session as object).toSorted()).toEqual(
      ['expiry', 'lastRotation', 'recipeUserId', 'sessionHandle', 'tenantId', 'timeCreated', 'userId'].toSorted(),
    );
    expect(await calls.manage('GET', '/session?sessionHandle=none')).toEqual({ status: 'UNKNOWN_SESSION_ERROR' });
  });

  test('ends by its handle', async () => {
    const id = await calls.signUp('a@x');
    const [ended, kept] = [await calls.startSession(id), await calls.startSession(id)];
    const revoked = await calls.manage('POST', '/session/revoke', { sessionHandles: [ended, 'none'] });
    expect(revoked).toEqual({ status: 'OK', sessionHandlesRevoked: [ended] });
    expect(await calls.alive(ended, kept)).toEqual([false, true]);
  });
});
