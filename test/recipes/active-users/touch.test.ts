import { expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const SESSION = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
const FIVE_MINUTES_MS = 5 * 60_000;

const begin = (core: InProcessCore) => core.call('POST', '/recipe/session', { userId: 'somebody', ...SESSION });
const activeSince = async (core: InProcessCore, since: number): Promise<unknown> =>
  (await core.call('GET', `/users/count/active?since=${since}`)).body['count'];

test('many sessions of one user at once do not run again for the time that the user was active', async () => {
  const core = await openInProcessCore('5.4');
  await begin(core);
  core.clock.now += FIVE_MINUTES_MS;
  const since = core.clock.now;
  const before = core.services.store.stats().conflicts;
  const answers = await Promise.all(Array.from({ length: 20 }, () => begin(core)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(core.services.store.stats().conflicts).toBe(before);
  expect(await activeSince(core, since)).toBe(1);
});

test('a claim whose request failed stands in the way for a second only', async () => {
  const core = await openInProcessCore('5.4');
  const { activity, directory } = core.services;
  const tenant = await directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  if (!tenant) throw new Error('there is no base app');
  const claims = [1_000, 1_000, 1_500, 1_999, 2_000, 2_500].map((now) => activity.claim(tenant.app, 'u', now));
  expect(claims).toEqual([true, false, false, false, true, false]);
  expect(activity.claim(tenant.app, 'another', 1_000)).toBe(true);
});
