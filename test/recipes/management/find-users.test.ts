import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { PasskeyCalls } from '../webauthn/calls.ts';
import { ManagementCalls } from './calls.ts';

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
});

/** The ids of all users that a search finds, asked for in pages of this size. */
async function found(query: string, limit = 100, at = ''): Promise<readonly string[]> {
  const { items } = await calls.everyPage(`/users${query}`, 'users', limit, at);
  return (items as readonly { readonly id: string }[]).map(({ id }) => id);
}

describe('by the beginning', () => {
  test('of an email, in the order of emails, whatever the size of a page and however it is written', async () => {
    const ids = new Map<string, string>();
    for (const name of ['anna', 'anton', 'bert', 'ann']) ids.set(name, await calls.signUp(`${name}@example.com`));
    const wanted = ['ann', 'anna', 'anton'].map((name) => ids.get(name));
    for (const limit of [1, 2, 3, 500]) expect(await found('?email=an', limit)).toEqual(wanted);
    expect(await found('?email=ANNA@')).toEqual([ids.get('anna')]);
    expect(await found('?email=example.com'), 'the domain is no beginning').toEqual([]);
    expect(await found('?email=nobody')).toEqual([]);
  });

  test('by a passkey, whole, in the tenants of its user', async () => {
    await calls.addTenant('t1');
    const { key, recipeUserId } = await new PasskeyCalls(calls.core).join('p@x');
    expect(await found(`?credentialId=${key.id}`)).toEqual([recipeUserId]);
    expect(await found(`?credentialId=${key.id}`, 100, '/t1')).toEqual([]);
    expect(await found(`?credentialId=${key.id.slice(1)}`)).toEqual([]);
  });

  test('of a phone number', async () => {
    const id = await calls.signInWith({ phoneNumber: '+491701234567' });
    await calls.signInWith({ phoneNumber: '+4917099999999' });
    expect(await found(`?phone=${encodeURIComponent('+4917012')}`)).toEqual([id]);
  });

  test('of a provider, and of an account there', async () => {
    const ids = [await calls.thirdParty('g-1', 'a@x'), await calls.thirdParty('g-2', 'b@x')];
    expect((await found('?provider=goo', 1)).toSorted()).toEqual(ids.toSorted());
    expect(await found('?provider=google::g-2')).toEqual([ids[1]]);
    expect(await found('?provider=google:')).toEqual([]);
  });

  test('of an id, internal or external, also of a user whose own login method is gone', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    await calls.mapTo(member, 'Outside-1');
    for (const id of [primary, member, 'Outside', primary.slice(0, 12)]) expect(await found(`?id=${id}`)).toEqual([primary]);
    await calls.unlink(primary);
    for (const id of [primary, member, 'Outside-1']) expect(await found(`?id=${id}`)).toEqual([primary]);
    expect(await found('?id=outside')).toEqual([]);
  });

  test('shows a linked user once, though several login methods are found', async () => {
    const [primary = ''] = await calls.group('twin-1@x', 'twin-2@x', 'twin-3@x');
    for (const limit of [1, 2, 3, 100]) expect(await found('?email=twin', limit)).toEqual([primary]);
  });

  test('finds the users of the addressed tenant only', async () => {
    await calls.addTenant('t1');
    const [here, there] = [await calls.signUp('same@x'), await calls.signUp('same@x', 'secret-1', '/t1')];
    expect(await found('?email=same')).toEqual([here]);
    expect(await found('?email=same', 100, '/t1')).toEqual([there]);
    expect(await found(`?id=${there}`)).toEqual([]);
    expect(await found(`?id=${there}`, 100, '/t1')).toEqual([there]);
  });

  test('of an email, who has a login method of a recipe here, whatever the size of a page', async () => {
    await calls.addTenant('t1');
    const byPassword = await calls.signUp('an-0@x');
    const others: string[] = [];
    for (let at = 1; at < 9; at += 1) others.push(await calls.signInWith({ email: `an-${at}@x` }));
    const google = await calls.thirdParty('g-1', 'an-9@x');
    const [primary = ''] = await calls.group('an-a@x', 'an-b@x');
    for (const limit of [1, 2, 3, 100]) {
      expect(await found('?email=an-&recipe=emailpassword', limit)).toEqual([byPassword, primary]);
      expect(await found('?email=an-&recipe=passwordless', limit)).toEqual(others);
      expect(await found('?email=an-&recipe=thirdparty', limit)).toEqual([google]);
      expect(await found('?recipe=thirdparty', limit), 'and without a beginning').toEqual([google]);
    }
    expect(await found('?email=an-&recipe=webauthn')).toEqual([]);
    expect(await found(`?id=${google}&recipe=thirdparty`)).toEqual([google]);
    expect(await found('?email=an-&recipe=thirdparty', 100, '/t1')).toEqual([]);
    expect(await calls.refusal('GET', '/users?recipe=saml')).toBe('400 recipe must be emailpassword, thirdparty, passwordless or webauthn');
  });

  test('a page does not look at all that is not wanted', async () => {
    for (let at = 10; at < 30; at += 1) await calls.signInWith({ email: `an-${at}@x` });
    const google = await calls.thirdParty('g-1', 'an-99@x');
    const { pages, items } = await calls.everyPage('/users?email=an-&recipe=thirdparty', 'users', 2);
    expect(items).toEqual([expect.objectContaining({ id: google })]);
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThan(5);
  });

  test('without a criterion finds all, the newest first', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      calls.core.clock.now += 1;
      ids.unshift(await calls.signUp(`u${at}@x`));
    }
    for (const limit of [1, 2, 100]) expect(await found('', limit)).toEqual(ids);
  });

  test('takes texts longer than a key holds', async () => {
    const long = `${'l'.repeat(300)}@x`;
    const id = await calls.signUp(long);
    await calls.signUp(`${'l'.repeat(301)}@x`);
    expect(await found(`?email=${long}`)).toEqual([id]);
  });
});

describe('is refused', () => {
  test.each([
    ['?email=a&id=b', 'Only one of email, phone, provider, id, credentialId and metadataKey may be given'],
    ['?metadataKey=a', "'metadataKey' and 'metadataValue' go together"],
    ['?metadataKey=plan&metadataValue=x', "metadataKey 'plan' is not listed in the option metadata_search_keys"],
    ['?limit=501', 'limit must be between 1 and 500'],
  ])('%s', async (query, text) => {
    expect(await calls.refusal('GET', `/users${query}`)).toBe(`400 ${text}`);
  });
});
