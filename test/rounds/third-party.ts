import type { Scenario } from './scenario.ts';

const thirdPartyBody = (thirdPartyUserId: string) => ({
  thirdPartyId: 'google',
  thirdPartyUserId,
  email: { id: 'a@example.com', isVerified: true },
});

/** The endpoints of third-party logins. */
export const THIRD_PARTY_ROUNDS: readonly Scenario[] = [
  { endpoint: 'POST /recipe/signinup', budget: 4, play: (core) => core.call('POST', '/recipe/signinup', thirdPartyBody('new')) },
  {
    endpoint: 'POST /recipe/signinup of a known account',
    budget: 3,
    play: async (core) => {
      await core.call('POST', '/recipe/signinup', thirdPartyBody('known'));
      core.takeRounds();
      return core.call('POST', '/recipe/signinup', thirdPartyBody('known'));
    },
  },
  {
    endpoint: 'GET /recipe/user of third-party',
    budget: 2,
    play: async (core) => {
      await core.call('POST', '/recipe/signinup', thirdPartyBody('known'));
      core.takeRounds();
      return core.call('GET', '/recipe/user?thirdPartyId=google&thirdPartyUserId=known', undefined, { rid: 'thirdparty' });
    },
  },
  {
    endpoint: 'GET /recipe/users/by-email',
    budget: 2,
    play: (core, made) => core.call('GET', `/recipe/users/by-email?email=${made.email}`),
  },
];
