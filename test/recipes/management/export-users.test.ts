import { beforeEach, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { ManagementCalls } from './calls.ts';

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
});

interface Exported {
  readonly externalUserId: string;
  readonly loginMethods: readonly { readonly passwordHash: string }[];
}

const everyUser = (limit: number, at = '') => calls.everyPage('/export/users', 'users', limit, at);

test('all users of the app come once, with their hashes, whatever the size of a page', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 7; at += 1) ids.push(await calls.signUp(`u${at}@example.com`));
  for (const limit of [1, 3, 7, 500]) {
    const { items, pages } = await everyUser(limit);
    const users = items as readonly Exported[];
    expect(users.map(({ externalUserId }) => externalUserId)).toEqual(ids.toSorted());
    expect(users.every(({ loginMethods }) => loginMethods[0]?.passwordHash.startsWith('$2a$') === true)).toBe(true);
    expect(pages).toBe(Math.ceil(7 / limit));
  }
});

test('of one app only, the same in each of its tenants', async () => {
  await calls.addTenant('t1');
  await calls.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
  const id = await calls.signUp('here@example.com', 'secret-1', '/t1');
  await calls.signUp('there@example.com', 'secret-1', '/appid-other');
  expect((await everyUser(10)).items).toMatchObject([{ externalUserId: id, loginMethods: [{ tenantIds: ['t1'] }] }]);
  expect((await everyUser(10, '/appid-other')).items).toMatchObject([{ loginMethods: [{ email: 'there@example.com' }] }]);
});

test('mappings come along, those of linked login methods too', async () => {
  const [first, second] = [await calls.signUp('a@example.com'), await calls.signUp('b@example.com')];
  await calls.link(first, second);
  await calls.map(first, 'external');
  await calls.map(second, 'external 2');
  const { items } = await everyUser(10);
  expect(items).toHaveLength(1);
  expect(items).toMatchObject([{ externalUserId: 'external', loginMethods: [{}, { externalUserId: 'external 2' }] }]);
});

test('what cannot be carried is counted', async () => {
  const id = await calls.signUp('a@example.com');
  await calls.ask('POST', '/recipe/multitenancy/tenant/user/remove', { recipeUserId: id });
  expect(await calls.manage('GET', '/export/users')).toEqual({ status: 'OK', users: [], losses: { 'no-tenant': 1, 'no-method': 1 } });
});

test('a limit out of bounds is refused', async () => {
  for (const limit of [0, 501]) expect(await calls.refusal('GET', `/export/users?limit=${limit}`)).toMatch(/^400 limit must be between/);
});
