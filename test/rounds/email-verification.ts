import type { Scenario } from './scenario.ts';

const verifyPath = '/recipe/user/email/verify';

/** The endpoints of e-mail verification. */
export const EMAIL_VERIFICATION_ROUNDS: readonly Scenario[] = [
  {
    endpoint: 'POST /recipe/user/email/verify/token',
    budget: 1,
    play: (core, made) => core.call('POST', `${verifyPath}/token`, { userId: made.userId, email: made.email }),
  },
  {
    endpoint: 'POST /recipe/user/email/verify',
    budget: 2,
    play: async (core, made) => {
      const asked = await core.call('POST', `${verifyPath}/token`, { userId: made.userId, email: made.email });
      core.takeRounds();
      return core.call('POST', verifyPath, { method: 'token', token: asked.body['token'] });
    },
  },
  {
    endpoint: 'GET /recipe/user/email/verify',
    budget: 1,
    play: (core, made) => core.call('GET', `${verifyPath}?userId=${made.userId}&email=${made.email}`),
  },
  {
    endpoint: 'POST /recipe/user/email/verify/token/remove',
    budget: 1,
    play: (core, made) => core.call('POST', `${verifyPath}/token/remove`, { userId: made.userId, email: made.email }),
  },
  {
    endpoint: 'POST /recipe/user/email/verify/remove',
    budget: 1,
    play: (core, made) => core.call('POST', `${verifyPath}/remove`, { userId: made.userId, email: made.email }),
  },
];
