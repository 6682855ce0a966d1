import { beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../../src/recipes/recipes.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { runJob } from '../run-job.ts';
import { byCode, PasswordlessCalls } from './calls.ts';

const HOUR = 3_600_000;
const NAME = 'expired-passwordless-devices';

let calls: PasswordlessCalls;
beforeEach(async () => {
  calls = new PasswordlessCalls(await openInProcessCore('5.4'));
});

/** Runs the job until there is no more to do; answers how many batches that took. */
async function clean(limit = 500): Promise<number> {
  const { services, clock } = calls.core;
  for (let batches = 1; batches < 100; batches += 1) if (!(await runJob(NAME, services, clock.now, limit))) return batches;
  throw new Error('the job never ends');
}

test('the job runs every hour', () => {
  expect(JOBS.find(({ name }) => name === NAME)?.everyMs).toBe(HOUR);
});

describe('devices', () => {
  test('go when all their codes have expired, in bounded batches', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, (_, at) => calls.make({ email: `${at}@x` })));
    expect(await clean()).toBe(1);
    expect(await calls.kept()).toHaveLength(10);
    calls.core.clock.now += 2 * HOUR;
    await calls.make({ deviceId: made[3]?.deviceId });
    expect(await clean(2)).toBe(5);
    const [kept] = await calls.kept();
    // An expired code beside a live one stays, so that it can be told from a wrong one.
    expect(kept?.codes).toHaveLength(2);
    expect(await calls.kept()).toHaveLength(1);
  });

  test('that live by the lifetime of today come later', async () => {
    await calls.addTenant('t1', { passwordless_code_lifetime: 1000 });
    const made = await calls.make({ email: 'a@x' }, { at: '/t1' });
    await calls.make({ email: 'b@x' });
    await calls.addTenant('t1', { passwordless_code_lifetime: 10 * HOUR });
    calls.core.clock.now += 2 * HOUR;
    expect(await clean(1)).toBe(3);
    expect(await calls.kept()).toHaveLength(1);
    expect(await clean(1)).toBe(1);
    expect(await calls.check(byCode(made), { at: '/t1' })).toMatchObject({ status: 'OK' });
    calls.core.clock.now += 10 * HOUR;
    await clean(1);
    expect(await calls.kept()).toEqual([]);
  });

  test('of a removed tenant go', async () => {
    await calls.addTenant('t1');
    await calls.make({ email: 'a@x' }, { at: '/t1' });
    await calls.core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    calls.core.clock.now += 2 * HOUR;
    await clean();
    expect(await calls.kept()).toEqual([]);
  });
});
