import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

/*
 * The table of contract 04 section 6.3, row by row: who is there before, who is to be associated with which tenant, and the answer.
 */

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
  for (const tenantId of ['t1', 't2', 't3']) await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId });
});

type Recipe = 'password' | 'code' | 'google';

/** `name: recipe email @tenant`; with `primary` it is made one, with `in P` it is linked to the one named P. */
interface Person {
  readonly name: string;
  readonly is: readonly [recipe: Recipe, email: string, tenant: string];
  readonly primary?: true;
  readonly linkedTo?: string;
}

const post = async (path: string, body: object) => (await core.call('POST', path, body)).body;

const SIGN_UPS: Readonly<Record<Recipe, (email: string, tenant: string) => Promise<{ readonly [name: string]: unknown }>>> = {
  password: (email, tenant) => post(`/${tenant}/recipe/signup`, { email, password: 'password-1' }),
  code: async (email, tenant) => {
    const { preAuthSessionId, linkCode } = await post(`/${tenant}/recipe/signinup/code`, { email });
    return post(`/${tenant}/recipe/signinup/code/consume`, { preAuthSessionId, linkCode });
  },
  google: (email, tenant) =>
    post(`/${tenant}/recipe/signinup`, {
      thirdPartyId: 'google',
      thirdPartyUserId: `account of ${email}`,
      email: { id: email, isVerified: false },
    }),
};

/** Brings the people about; answers their ids by name. */
async function invite(people: readonly Person[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const { name, is, primary, linkedTo } of people) {
    const [recipe, email, tenant] = is;
    const recipeUserId = String((await SIGN_UPS[recipe](email, tenant))['recipeUserId']);
    ids.set(name, recipeUserId);
    if (primary) expect(await post('/recipe/accountlinking/user/primary', { recipeUserId })).toMatchObject({ status: 'OK' });
    if (linkedTo === undefined) continue;
    const primaryUserId = ids.get(linkedTo);
    expect(await post('/recipe/accountlinking/user/link', { recipeUserId, primaryUserId })).toMatchObject({ status: 'OK' });
  }
  return ids;
}

const associate = (recipeUserId: string | undefined, tenant: string) =>
  post(`/${tenant}/recipe/multitenancy/tenant/user`, { recipeUserId });

const EMAIL_TAKEN = { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
const OK = { status: 'OK', wasAlreadyAssociated: false };
/** The answer that names the primary user with this name. */
const notAllowed = (what: string, owner: string) => ({ what, owner });

const CASES: readonly {
  readonly situation: string;
  readonly people: readonly Person[];
  readonly act: readonly [name: string, tenant: string];
  readonly answer: typeof EMAIL_TAKEN | typeof OK | ReturnType<typeof notAllowed>;
}[] = [
  {
    situation: 'two that stand alone',
    people: [
      { name: 'a', is: ['password', 'e@x.com', 't1'] },
      { name: 'b', is: ['password', 'e@x.com', 't2'] },
    ],
    act: ['a', 't2'],
    answer: EMAIL_TAKEN,
  },
  {
    situation: 'two primary users',
    people: [
      { name: 'a', is: ['password', 'e@x.com', 't1'], primary: true },
      { name: 'b', is: ['password', 'e@x.com', 't2'], primary: true },
    ],
    act: ['a', 't2'],
    answer: notAllowed('email', 'b'),
  },
  {
    situation: 'a primary user joins one that stands alone',
    people: [
      { name: 'a', is: ['password', 'e@x.com', 't1'], primary: true },
      { name: 'b', is: ['password', 'e@x.com', 't3'] },
    ],
    act: ['a', 't3'],
    answer: EMAIL_TAKEN,
  },
  {
    situation: 'one that stands alone joins a primary user',
    people: [
      { name: 'a', is: ['password', 'e@x.com', 't1'], primary: true },
      { name: 'b', is: ['password', 'e@x.com', 't3'] },
    ],
    act: ['b', 't1'],
    answer: EMAIL_TAKEN,
  },
  {
    situation: 'a member of a group joins one of another recipe that stands alone',
    people: [
      { name: 'p', is: ['google', 'p@x.com', 't1'], primary: true },
      { name: 'a', is: ['password', 'e@x.com', 't1'], linkedTo: 'p' },
      { name: 'b', is: ['code', 'e@x.com', 't2'] },
    ],
    act: ['a', 't2'],
    answer: OK,
  },
  {
    situation: 'a member of a group joins a primary user of another recipe',
    people: [
      { name: 'p', is: ['google', 'p@x.com', 't1'], primary: true },
      { name: 'a', is: ['password', 'e@x.com', 't1'], linkedTo: 'p' },
      { name: 'b', is: ['code', 'e@x.com', 't2'], primary: true },
    ],
    act: ['a', 't2'],
    answer: notAllowed('email', 'b'),
  },
  {
    situation: 'an email of another member of the group counts',
    people: [
      { name: 'p', is: ['password', 'e1@x.com', 't1'], primary: true },
      { name: 'l', is: ['password', 'e2@x.com', 't1'], linkedTo: 'p' },
      { name: 'q', is: ['password', 'e2@x.com', 't2'], primary: true },
    ],
    act: ['p', 't2'],
    answer: notAllowed('email', 'q'),
  },
  {
    situation: 'a member whose own email a primary user of the tenant has',
    people: [
      { name: 'p', is: ['password', 'e1@x.com', 't1'], primary: true },
      { name: 'l', is: ['google', 'e2@x.com', 't1'], linkedTo: 'p' },
      { name: 'q', is: ['password', 'e2@x.com', 't2'], primary: true },
    ],
    act: ['l', 't2'],
    answer: notAllowed('email', 'q'),
  },
  {
    situation: 'one that stands alone joins a primary user of another recipe',
    people: [
      { name: 'p', is: ['code', 'e@x.com', 't1'], primary: true },
      { name: 'a', is: ['password', 'e@x.com', 't2'] },
    ],
    act: ['a', 't1'],
    answer: OK,
  },
  {
    situation: 'two primary users with one account at a third party',
    people: [
      { name: 'a', is: ['google', 'e@x.com', 't1'], primary: true },
      { name: 'b', is: ['google', 'e@x.com', 't2'], primary: true },
    ],
    act: ['a', 't2'],
    answer: notAllowed('third party info', 'b'),
  },
];

describe('associating a user with a tenant', () => {
  test.each(CASES)('$situation', async ({ people, act: [name, tenant], answer }) => {
    const ids = await invite(people);
    const expected =
      'what' in answer
        ? {
            status: 'ASSOCIATION_NOT_ALLOWED_ERROR',
            reason: `Another primary user with ${answer.what} already exists: ${ids.get(answer.owner)}`,
          }
        : answer;
    const before = await tenantsOf(ids);
    expect(await associate(ids.get(name), tenant)).toEqual(expected);
    const after = await tenantsOf(ids);
    const joined = expected === OK ? new Map([[name, [...(before.get(name) ?? []), tenant]]]) : new Map<string, string[]>();
    for (const [other, tenants] of before) expect(after.get(other), other).toEqual(joined.get(other) ?? tenants);
  });
});

/** The tenants of each login method, by name. */
async function tenantsOf(ids: ReadonlyMap<string, string>): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const [name, id] of ids) {
    const { user } = (await core.call('GET', `/user/id?userId=${id}`)).body as {
      readonly user: { readonly loginMethods: readonly { readonly recipeUserId: string; readonly tenantIds: string[] }[] };
    };
    found.set(name, user.loginMethods.find(({ recipeUserId }) => recipeUserId === id)?.tenantIds ?? []);
  }
  return found;
}
