import type { InProcessCore } from '../in-process-core.ts';
import { type Made, PASSWORD, type Scenario } from './scenario.ts';

const resetPath = '/recipe/user/password/reset';

async function resetToken(core: InProcessCore, made: Made): Promise<unknown> {
  const asked = await core.call('POST', `${resetPath}/token`, { userId: made.userId, email: made.email });
  core.takeRounds();
  return asked.body['token'];
}

/** The endpoints of e-mail and password. */
export const EMAIL_PASSWORD_ROUNDS: readonly Scenario[] = [
  {
    endpoint: 'POST /recipe/signup',
    budget: 2,
    play: (core) => core.call('POST', '/recipe/signup', { email: 'new@example.com', password: PASSWORD }),
  },
  {
    endpoint: 'POST /recipe/signin',
    budget: 2,
    play: (core, made) => core.call('POST', '/recipe/signin', { email: made.email, password: PASSWORD }),
  },
  {
    endpoint: 'POST /recipe/user/password/reset/token',
    budget: 1,
    play: (core, made) => core.call('POST', `${resetPath}/token`, { userId: made.userId, email: made.email }),
  },
  {
    endpoint: 'POST /recipe/user/password/reset/token/consume',
    budget: 3,
    play: async (core, made) => core.call('POST', `${resetPath}/token/consume`, { token: await resetToken(core, made) }),
  },
  {
    endpoint: 'POST /recipe/user/password/reset',
    budget: 6,
    play: async (core, made) =>
      core.call('POST', resetPath, { method: 'token', token: await resetToken(core, made), newPassword: PASSWORD }),
  },
  { endpoint: 'GET /recipe/user', budget: 2, play: (core, made) => core.call('GET', `/recipe/user?userId=${made.userId}`) },
  { endpoint: 'GET /recipe/user by email', budget: 2, play: (core, made) => core.call('GET', `/recipe/user?email=${made.email}`) },
  {
    endpoint: 'PUT /recipe/user',
    budget: 3,
    play: (core, made) =>
      core.call('PUT', '/recipe/user', { recipeUserId: made.userId, email: `changed-${made.email}`, password: PASSWORD }),
  },
  {
    endpoint: 'POST /recipe/user/passwordhash/import',
    budget: 2,
    play: (core) => core.call('POST', '/recipe/user/passwordhash/import', { email: 'imported@example.com', passwordHash: '$2a$10$x' }),
  },
  {
    endpoint: 'POST /recipe/user/passwordhash/import of a known user',
    budget: 2,
    play: (core, made) => core.call('POST', '/recipe/user/passwordhash/import', { email: made.email, passwordHash: '$2a$10$x' }),
  },
];
