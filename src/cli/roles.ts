import { asking, type Outcome, ok } from './answers.ts';
import { type Bound, CommandFault, EXIT } from './command.ts';
import { lines, table } from './table.ts';

const FAULTS = { UNKNOWN_ROLE_ERROR: 'There is no such role' } as const;

/** `watchword role`. */
export const commands: readonly Bound[] = [
  asking({
    name: 'list',
    about: 'Lists the roles of an app.',
    examples: ['role list'],
    ask: async (core) => (await core.call<{ roles: readonly string[] }>('GET', '/recipe/roles')).roles,
    text: lines,
  }),
  asking({
    name: 'show',
    operands: ['<ROLE>'],
    about: 'Shows the permissions of a role and the users that have it in a tenant.',
    examples: ['role show admin', 'role show admin --tenant-id t1 --json'],
    ask: async (core, [role]) => {
      const [{ permissions }, { users }] = await Promise.all([
        core.call<Outcome & { permissions: readonly string[] }>('GET', '/recipe/role/permissions', { query: { role } }),
        core.call<Outcome & { users: readonly string[] }>('GET', '/recipe/role/users', { query: { role }, inTenant: true }),
      ]).then(([one, other]) => [ok(one, FAULTS), ok(other, FAULTS)] as const);
      return { permissions, users };
    },
    text: ({ permissions, users }) =>
      table(
        ['permissions'],
        permissions.map((one) => [one]),
      ) +
      table(
        ['users'],
        users.map((one) => [one]),
      ),
  }),
  asking({
    name: 'put',
    operands: ['<ROLE>', '[PERMISSION...]'],
    about: 'Makes a role, or adds permissions to one.',
    examples: ['role put admin', 'role put editor read write'],
    ask: async (core, [role, ...permissions]) =>
      core.call<{ createdNewRole: boolean }>('PUT', '/recipe/role', { body: { role, permissions } }),
    text: ({ createdNewRole }, [role]) => `The role ${role} is ${createdNewRole ? 'made' : 'changed'}.\n`,
  }),
  asking({
    name: 'remove',
    operands: ['<ROLE>'],
    about: 'Removes a role, also from the users that have it.',
    examples: ['role remove editor --yes'],
    warning: ([role]) => `Users with the role ${role} will lose it.`,
    ask: async (core, [role]) => {
      const answer = await core.call<{ didRoleExist: boolean }>('POST', '/recipe/role/remove', { body: { role } });
      if (!answer.didRoleExist) throw new CommandFault(FAULTS.UNKNOWN_ROLE_ERROR, EXIT.notFound);
      return answer;
    },
    text: (_, [role]) => `The role ${role} is removed.\n`,
  }),
  asking({
    name: 'assign',
    operands: ['<ROLE>', '<USER>'],
    about: 'Gives a user a role in a tenant.',
    examples: ['role assign admin 3f2c… --tenant-id t1'],
    ask: async (core, [role, userId]) =>
      ok(
        await core.call<Outcome & { didUserAlreadyHaveRole: boolean }>('PUT', '/recipe/user/role', {
          body: { role, userId },
          inTenant: true,
        }),
        FAULTS,
      ),
    text: ({ didUserAlreadyHaveRole }, [role, user]) => `${user} ${didUserAlreadyHaveRole ? 'had the role' : 'has the role'} ${role}.\n`,
  }),
  asking({
    name: 'unassign',
    operands: ['<ROLE>', '<USER>'],
    about: 'Takes a role in a tenant away from a user.',
    examples: ['role unassign admin 3f2c… --tenant-id t1'],
    ask: async (core, [role, userId]) =>
      ok(
        await core.call<Outcome & { didUserHaveRole: boolean }>('POST', '/recipe/user/role/remove', {
          body: { role, userId },
          inTenant: true,
        }),
        FAULTS,
      ),
    text: ({ didUserHaveRole }, [role, user]) => `${user} ${didUserHaveRole ? 'has no longer' : 'did not have'} the role ${role}.\n`,
  }),
];
