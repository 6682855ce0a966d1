import { describe, expect, test } from 'vitest';
import { purgeRemovedRoles } from '../../../src/recipes/user-roles/purge-removed-roles.ts';
import { assignments, roles } from '../../../src/recipes/user-roles/records.ts';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import type { RunningCore } from '../../running-core.ts';
import { withCore } from '../../with-core.ts';

interface RoleAnswer {
  readonly status: string;
  readonly createdNewRole?: boolean;
  readonly didUserAlreadyHaveRole?: boolean;
  readonly didRoleExist?: boolean;
  readonly permissions?: readonly string[];
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
}

const numbered = (length: number): number[] => Array.from({ length }, (_, at) => at);

describe('on two threads', () => {
  let core: RunningCore;
  let client: CdiClient;
  withCore({}, (started) => {
    core = started;
    client = cdiClient(core.url);
  });

  test('fifty additions of different permissions to one role all survive, and one of them makes it', async () => {
    const replies = await Promise.all(
      numbered(50).map((at) => client.put<RoleAnswer>('/recipe/role', { role: 'busy', permissions: [`p${at}`] })),
    );
    expect(replies.filter(({ body }) => body.createdNewRole)).toHaveLength(1);
    const { body } = await client.get<RoleAnswer>('/recipe/role/permissions', { role: 'busy' });
    expect(body.permissions?.toSorted()).toEqual(
      numbered(50)
        .map((at) => `p${at}`)
        .toSorted(),
    );
  });

  test('of many assignments of one role to one user, one is the first', async () => {
    await client.put('/recipe/role', { role: 'first' });
    const replies = await Promise.all(numbered(20).map(() => client.put<RoleAnswer>('/recipe/user/role', { userId: 'u', role: 'first' })));
    expect(replies.filter(({ body }) => body.didUserAlreadyHaveRole === false)).toHaveLength(1);
  });

  test('of many removals of one role, one removes it', async () => {
    await client.put('/recipe/role', { role: 'gone' });
    const replies = await Promise.all(numbered(20).map(() => client.post<RoleAnswer>('/recipe/role/remove', { role: 'gone' })));
    expect(replies.filter(({ body }) => body.didRoleExist)).toHaveLength(1);
  });

  test('who gets a role while it is removed and made again has it, or does not, but never the old one', async () => {
    for (const round of numbered(8)) {
      const role = `contested-${round}`;
      await client.put('/recipe/role', { role });
      const early = numbered(10).map((at) => `early-${at}`);
      for (const userId of early) await client.put('/recipe/user/role', { userId, role });
      const [given, removed] = await Promise.all([
        Promise.all(numbered(20).map((at) => client.put<RoleAnswer>('/recipe/user/role', { userId: `late-${at}`, role }))),
        client.post<RoleAnswer>('/recipe/role/remove', { role }),
      ]);
      expect(removed.body.didRoleExist).toBe(true);
      // Removed in the middle: answers are OK before, unknown after; none of them left anything to be seen.
      expect(given.every(({ body }) => ['OK', 'UNKNOWN_ROLE_ERROR'].includes(body.status))).toBe(true);
      await client.put('/recipe/role', { role });
      expect((await client.get<RoleAnswer>('/recipe/role/users', { role })).body.users).toEqual([]);
      expect((await client.get<RoleAnswer>('/recipe/user/roles', { userId: 'late-3' })).body.roles).not.toContain(role);
    }
  });
});

test('assignments, removals, creations and the purge in any order leave no orphan to be seen, and in the end none at all', async () => {
  const core = await openInProcessCore('5.4');
  const { store } = core.services;
  await Promise.all(
    numbered(200).map(async (at) => {
      const role = `r${at % 2}`;
      const userId = `u${at % 7}`;
      if (at % 5 === 0) await core.call('PUT', '/recipe/role', { role });
      else if (at % 11 === 0) await core.call('POST', '/recipe/role/remove', { role });
      else if (at % 13 === 0) await purgeRemovedRoles(store, 3);
      else await core.call('PUT', '/recipe/user/role', { userId, role });
    }),
  );
  for (const role of ['r0', 'r1']) {
    const { body } = await core.call('GET', `/recipe/role/users?role=${role}`);
    for (const userId of (body['users'] ?? []) as readonly string[]) {
      expect((await core.call('GET', `/recipe/user/roles?userId=${userId}`)).body['roles']).toContain(role);
    }
  }
  while (await purgeRemovedRoles(store, 3));
  const [left, living] = await store.read((reader) =>
    Promise.all([
      reader.list(assignments, undefined, { prefix: [], limit: 1000 }),
      reader.list(roles, undefined, { prefix: [], limit: 1000 }),
    ]),
  );
  const ids = living.map(({ id }) => id);
  expect(left.filter(({ roleId }) => !ids.includes(roleId))).toEqual([]);
});
