import { beforeAll, describe, expect, test } from 'vitest';
import { lastActive } from '../../../src/recipes/active-users/records.ts';
import { resetTokens } from '../../../src/recipes/email-password/records.ts';
import { loginMethods, reservations, users } from '../../../src/recipes/accounts/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { ACCOUNT_INFO_TAKEN, LinkingCalls } from './calls.ts';

/** The same races again and again: the store answers late, so that bodies overlap. */
const ROUNDS = [1, 2, 3, 4, 5];

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `race-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
});

const statusesOf = (answers: readonly { readonly body: { readonly [name: string]: unknown } }[]): unknown[] =>
  answers.map(({ body }) => body['status']).toSorted();

describe.each(ROUNDS)('races, round %i', () => {
  test('a user linked to many primary users at once belongs to one', async () => {
    const primaries: string[] = [];
    for (let at = 0; at < 8; at += 1) primaries.push(...(await calls.group(fresh())));
    const wanted = await calls.signUp(fresh());
    const answers = await Promise.all(primaries.map((primary) => calls.linkTo(wanted, primary)));
    const lost = 'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR';
    expect(statusesOf(answers)).toEqual(['OK', ...Array.from({ length: 7 }, () => lost)]);
    const winner = String(primaries[answers.findIndex(({ body }) => body['status'] === 'OK')]);
    expect((await calls.user(wanted))?.id).toBe(winner);
    for (const { body } of answers) if (body['status'] === lost) expect(body['primaryUserId']).toBe(winner);
    for (const primary of primaries) expect((await calls.members(primary)).length).toBe(primary === winner ? 2 : 1);
  });

  test('of many users with one email made primary at once one is', async () => {
    const email = fresh();
    const ids = await Promise.all(Array.from({ length: 8 }, () => calls.thirdParty(fresh(), email)));
    const answers = await Promise.all(ids.map((id) => calls.primary(id)));
    expect(statusesOf(answers)).toEqual([...Array.from({ length: 7 }, () => ACCOUNT_INFO_TAKEN), 'OK'].toSorted());
    expect((await Promise.all(ids.map((id) => calls.user(id)))).filter((user) => user?.isPrimaryUser)).toHaveLength(1);
  });

  test('two who are linked to each other at once do not turn in a circle', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    await Promise.all([calls.primary(a), calls.linkTo(b, a), calls.primary(b), calls.linkTo(a, b)]);
    const [ofA, ofB] = [await calls.user(a), await calls.user(b)];
    expect([a, b]).toContain(ofA?.id);
    expect([a, b]).toContain(ofB?.id);
    if (ofA?.id === ofB?.id) expect(await calls.members(a)).toEqual([a, b].toSorted());
  });

  test('an email that one takes and another links is one primary user', async () => {
    const email = fresh();
    const [first = ''] = await calls.group(fresh());
    const [second = ''] = await calls.group(fresh());
    const joining = await calls.thirdParty(fresh(), email);
    const [changed, linked] = await Promise.all([
      calls.ask('PUT', '/recipe/user', { recipeUserId: first, email }, { rid: 'emailpassword' }),
      calls.linkTo(joining, second),
    ]);
    const isChanged = changed.body['status'] === 'OK';
    expect(linked.body['status']).toBe(isChanged ? ACCOUNT_INFO_TAKEN : 'OK');
    if (!isChanged) expect(changed.body['status']).toBe('EMAIL_CHANGE_NOT_ALLOWED_ERROR');
  });

  test('a removal beside sign-ins, links and reset tokens leaves nothing of the user', async () => {
    const email = fresh();
    const [primary = '', member = ''] = await calls.group(email, fresh());
    const joining = await calls.signUp(fresh());
    const token = { userId: primary, email };
    // So long after the last sign-in that the next one is noted again.
    calls.core.clock.now += 600_000;
    const answers = await Promise.all([
      calls.ask('POST', '/recipe/signin', { email, password: 'secret-1' }),
      calls.ask('POST', '/recipe/user/password/reset/token', token),
      calls.removeUser(primary),
      calls.linkTo(joining, primary),
      calls.ask('POST', '/recipe/user/password/reset/token', token),
      calls.ask('POST', '/recipe/signin', { email, password: 'secret-1' }),
    ]);
    expect([200, 400]).toContain(answers[3].status);
    for (const at of [0, 5]) expect(['OK', 'WRONG_CREDENTIALS_ERROR']).toContain(answers[at]?.body['status']);
    expect((await calls.ask('POST', '/recipe/signin', { email, password: 'secret-1' })).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
    expect([await calls.user(primary), await calls.user(member)]).toEqual([undefined, undefined]);
    const { app } = await calls.tenant();
    const left = await calls.core.services.store.read(async (reader) => ({
      tokens: await reader.keys(resetTokens, 'byUser', { prefix: [app, asInternal(primary)], limit: 1 }),
      methods: await reader.keys(loginMethods, 'byPrimary', { prefix: [app, asInternal(primary)], limit: 1 }),
      users: (await reader.get(users, [app, asInternal(primary)])) ?? [],
      active: (await reader.get(lastActive, [app, asInternal(primary)])) ?? [],
      reservations: await reader.keys(reservations, 'byPrimary', { prefix: [app, asInternal(primary)], limit: 1 }),
    }));
    expect(left).toEqual({ tokens: [], methods: [], users: [], active: [], reservations: [] });
  });

  test('of many mappings to one external id one is made', async () => {
    const ids = [await calls.signUp(fresh()), await calls.signUp(fresh()), await calls.signUp(fresh())];
    const externalUserId = `race-outer-${fresh()}`;
    const answers = await Promise.all(
      ids.map((superTokensUserId) => calls.ask('POST', '/recipe/userid/map', { superTokensUserId, externalUserId })),
    );
    const lost = 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR';
    expect(statusesOf(answers)).toEqual(['OK', lost, lost]);
    for (const { body } of answers) {
      if (body['status'] === lost) expect(body).toMatchObject({ doesSuperTokensUserIdExist: false, doesExternalUserIdExist: true });
    }
  });

  test('two external ids given to one user at once', async () => {
    const superTokensUserId = await calls.signUp(fresh());
    const answers = await Promise.all(
      ['one', 'two'].map((name) =>
        calls.ask('POST', '/recipe/userid/map', { superTokensUserId, externalUserId: `${name}-${superTokensUserId}` }),
      ),
    );
    expect(statusesOf(answers)).toEqual(['OK', 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR']);
  });
});
