import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealAll } from '../../../src/recipes/audit/seal.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { planFolder, type StorePlan } from '../../../src/store/plan.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { postgresPlan, temporaryFolder } from '../../store/engines.ts';

/** Sign-ups at once in one tenant. */
const AT_ONCE = 64;
const ROUNDS = 3;

const postgres = postgresPlan();
const ENGINES: readonly (readonly [name: string, plan: () => StorePlan])[] = [
  ['a folder', () => planFolder(join(temporaryFolder(), 'data'))],
  ...(postgres ? [['PostgreSQL', () => postgresPlan() ?? postgres] as const] : []),
];

/** How often bodies of sign-ups ran again while events are sealed in their midst, after a first round that makes keys. */
async function rerunsOf(plan: StorePlan, isOn: boolean): Promise<number> {
  const store = await openStore(plan);
  const core = await openInProcessCore('5.4', ['--audit-trail', String(isOn)], store);
  const round = async (name: string): Promise<void> => {
    const all = Array.from({ length: AT_ONCE }, (_, at) =>
      core.call('POST', '/recipe/signup', { email: `user-${name}-${at}@example.com`, password: 'a good password' }),
    );
    await Promise.all([...all, sealAll(store, core.services.now)]);
  };
  try {
    await round('first');
    const { conflicts } = store.stats();
    for (let at = 0; at < ROUNDS; at += 1) await round(`round-${at}`);
    return store.stats().conflicts - conflicts;
  } finally {
    await store.close();
  }
}

test.each(ENGINES)('64 sign-ups at once in %s run no more often with the trail than without it', { timeout: 60_000 }, async (_, planOf) => {
  expect(await rerunsOf(planOf(), false)).toBe(0);
  expect(await rerunsOf(planOf(), true)).toBe(0);
});
