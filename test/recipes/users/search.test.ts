import { beforeEach, describe, expect, test } from 'vitest';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { ListingWorld } from './listing-world.ts';

let world: ListingWorld;
beforeEach(async () => {
  world = await ListingWorld.open();
});

const T = 1_700_000_000_000;

describe('GET /users with search tags', () => {
  let ids: { readonly anna: string; readonly anton: string; readonly phone: string; readonly both: string; readonly github: string };
  beforeEach(async () => {
    ids = {
      anna: await world.join('emailpassword', T, { email: 'anna@example.com' }),
      anton: await world.join('thirdparty', T + 1, { email: 'anton@mail.an.org' }),
      phone: await world.join('passwordless', T + 2, { phoneNumber: '+16505550100' }),
      both: await world.join('passwordless', T + 3, { email: 'both@an.com', phoneNumber: '+16505550199' }),
      github: await world.join('thirdparty', T + 4, { email: 'someone@example.com', provider: 'GitHub' }),
    };
  });
  const found = async (query: object, at?: string) => {
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
    return (await world.ids(query, at)).map((id) => names.get(id) ?? id).join(' ');
  };

  test.each([
    [{ email: 'an' }, 'anna anton both'],
    [{ email: 'AN' }, 'anna anton both'],
    [{ email: 'an', timeJoinedOrder: 'DESC' }, 'both anton anna'],
    [{ email: 'anna@example.com' }, 'anna'],
    [{ email: 'example' }, 'anna github'],
    [{ email: '@example' }, ''],
    [{ email: 'nna' }, ''],
    [{ email: ' some ; ;anna' }, 'anna github'],
    [{ email: 'anna;ann;an' }, 'anna anton both'],
    [{ email: 'an%' }, ''],
    [{ email: `an${'x'.repeat(300)}` }, ''],
    [{ phone: '+1650' }, 'phone both'],
    [{ phone: '+16505550100;+2' }, 'phone'],
    [{ phone: '1650' }, ''],
    [{ provider: 'google' }, 'anton'],
    [{ provider: 'g' }, 'anton github'],
    [{ provider: 'GITHUB' }, 'github'],
    [{ provider: 'google:' }, ''],
    [{ provider: 'google::user-' }, 'anton'],
    [{ provider: 'google::User-2' }, 'anton'],
    [{ provider: 'google::user-9' }, ''],
    [{ email: 'an', provider: 'goo' }, 'anton'],
    [{ email: 'an', phone: '+1' }, 'both'],
    [{ phone: '+1', provider: 'g' }, ''],
    [{ email: 'an', phone: '+1', provider: 'g' }, ''],
    [{ email: 'an', phone: ' ; ' }, 'anna anton both'],
    [{ email: 'an', includeRecipeIds: 'passwordless' }, 'anna anton both'],
    [{ email: 'an', limit: 1 }, 'anna anton both'],
    [{ email: 'an', limit: 1000 }, 'anna anton both'],
    [{ email: 'an', paginationToken: Buffer.from(`x;${T + 9}`).toString('base64') }, 'anna anton both'],
    [{ email: '\u{10ffff}' }, ''],
    [{ email: ' ; ' }, 'anna anton phone both github'],
  ])('%j', async (query, expected) => {
    expect(await found(query)).toBe(expected);
    expect(await world.page(query)).not.toHaveProperty('nextPaginationToken');
  });

  test('of one tenant, each user once, by login methods of the tenant', async () => {
    await world.addTenant('t1');
    const there = await world.join('emailpassword', T + 9, { email: 'andrea@x' }, 't1');
    expect(await world.ids({ email: 'an' }, '/t1')).toEqual([there]);
    await world.link(ids.anna, ids.both, there);
    expect(await found({ email: 'an' })).toBe('anna anton');
    expect(await found({ email: 'an' }, '/t1')).toBe('anna');
    expect(await found({ email: 'and' })).toBe('');
  });

  test('unusual emails', async () => {
    const long = `${'ü'.repeat(200)}@${'ä'.repeat(200)}`;
    const odd = [long, 'no-at', 'a@b@c', '\u{10ffff}\u{10ffff}@x', '\ud7ff1'];
    const added = [];
    for (const email of odd) added.push(await world.join('emailpassword', T, { email }));
    const [first, second, third, fourth, fifth] = added;
    for (const email of [long, 'ü'.repeat(199), 'ä'.repeat(200), 'ü']) expect(await world.ids({ email })).toEqual([first]);
    expect(await world.ids({ email: 'no-at' })).toEqual([second]);
    expect(await world.ids({ email: 'b@c' })).toEqual([third]);
    expect(await world.ids({ email: '\u{10ffff}' })).toEqual([fourth]);
    expect(await world.ids({ email: '\ud7ff' })).toEqual([fifth]);
  });
});

describe('GET /users with search tags that many have', () => {
  test('answers the first 1000, whether few or too many may match', { timeout: 120_000 }, async () => {
    const { store } = world.core.services;
    const { app, tenant } = await world.tenant();
    const { addLoginMethod } = await import('../../../src/recipes/accounts/login-methods.ts');
    const nothing = { phoneNumber: null, passwordHash: null, isPrimary: false, tenants: [tenant] };
    const add = (from: number, to: number) =>
      store.transact(async (tx) => {
        for (let n = from; n < to; n++) {
          const id = asInternal(`id-${String(n).padStart(5, '0')}`);
          const account = { thirdPartyId: n % 2 === 0 ? 'even' : 'odd', thirdPartyUserId: id, email: `many-${n}@x${n}.org` };
          await addLoginMethod(tx, {
            app,
            id,
            primaryUserId: id,
            recipe: 'thirdparty',
            timeJoined: T - Math.floor(n / 10),
            ...account,
            ...nothing,
          });
        }
      });
    const idOf = (n: number) => `id-${String(n).padStart(5, '0')}`;
    await add(0, 2600);
    const newest = Array.from({ length: 1000 }, (_, at) => idOf(Math.floor(at / 10) * 10 + 9 - (at % 10)));
    const few = await world.ids({ email: 'many', timeJoinedOrder: 'DESC' });
    expect(few).toEqual(newest);
    await add(2600, 5100);
    expect(await world.ids({ email: 'many', timeJoinedOrder: 'DESC' })).toEqual(newest);
    expect((await world.ids({ email: 'many' })).slice(0, 3)).toEqual([idOf(5099), idOf(5098), idOf(5097)]);
    // Both tags may match many; the smaller one decides.
    const even = await world.ids({ email: 'many', provider: 'even', timeJoinedOrder: 'DESC' });
    expect(even).toHaveLength(1000);
    expect(even.slice(0, 2)).toEqual([idOf(8), idOf(6)]);
    expect(await world.ids({ email: 'many;x', provider: 'none' })).toEqual([]);
    expect(await world.ids({ email: 'many-17@' })).toEqual([idOf(17)]);
  });
});
