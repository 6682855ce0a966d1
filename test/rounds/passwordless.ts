import type { InProcessCore } from '../in-process-core.ts';
import type { Scenario } from './scenario.ts';

const codePath = '/recipe/signinup/code';

/** What creating a passwordless code answers; the rounds it takes do not count. */
async function madeCode(core: InProcessCore, email = 'code@example.com'): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await core.call('POST', codePath, { email });
  core.takeRounds();
  return body;
}

const byCode = ({ preAuthSessionId, deviceId, userInputCode }: Readonly<Record<string, unknown>>) => ({
  preAuthSessionId,
  deviceId,
  userInputCode,
});

/** The endpoints of passwordless. */
export const PASSWORDLESS_ROUNDS: readonly Scenario[] = [
  {
    endpoint: 'POST /recipe/signinup/code',
    budget: 0,
    play: (core) => core.call('POST', codePath, { email: 'code@example.com' }),
  },
  {
    endpoint: 'POST /recipe/signinup/code for a known device',
    budget: 3,
    play: async (core) => {
      const { deviceId } = await madeCode(core);
      return core.call('POST', codePath, { deviceId });
    },
  },
  {
    endpoint: 'POST /recipe/signinup/code/consume',
    budget: 4,
    play: async (core, made) => core.call('POST', `${codePath}/consume`, byCode(await madeCode(core, `new-${made.email}`))),
  },
  {
    endpoint: 'POST /recipe/signinup/code/consume of a known user',
    budget: 4,
    play: async (core, made) => {
      await core.call('POST', `${codePath}/consume`, byCode(await madeCode(core, made.email)));
      return core.call('POST', `${codePath}/consume`, byCode(await madeCode(core, made.email)));
    },
  },
  {
    endpoint: 'POST /recipe/signinup/code/check',
    budget: 2,
    play: async (core) => core.call('POST', `${codePath}/check`, byCode(await madeCode(core))),
  },
  { endpoint: 'GET /recipe/signinup/codes', budget: 1, play: (core, made) => core.call('GET', `${codePath}s?email=${made.email}`) },
  {
    endpoint: 'POST /recipe/signinup/codes/remove',
    budget: 2,
    play: async (core, made) => {
      await madeCode(core, made.email);
      return core.call('POST', `${codePath}s/remove`, { email: made.email });
    },
  },
  {
    endpoint: 'POST /recipe/signinup/code/remove',
    budget: 1,
    play: async (core) => core.call('POST', `${codePath}/remove`, { codeId: (await madeCode(core))['codeId'] }),
  },
  {
    endpoint: 'GET /recipe/user of passwordless',
    budget: 2,
    play: (core, made) => core.call('GET', `/recipe/user?email=${made.email}`, undefined, { rid: 'passwordless' }),
  },
  {
    endpoint: 'PUT /recipe/user of passwordless',
    budget: 3,
    play: async (core, made) => {
      const consumed = await core.call('POST', `${codePath}/consume`, byCode(await madeCode(core, made.email)));
      core.takeRounds();
      const body = { recipeUserId: consumed.body['recipeUserId'], email: `other-${made.email}` };
      return core.call('PUT', '/recipe/user', body, { rid: 'passwordless' });
    },
  },
];
