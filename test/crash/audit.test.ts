import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocks, pendingEvents } from '../../src/recipes/audit/records.ts';
import { openStore } from '../../src/store/open-store.ts';
import { planFolder } from '../../src/store/plan.ts';
import { cdiClient } from '../cdi-client.ts';
import { startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';

const PATIENCE = { timeout: 15_000, interval: 100 };
const ROUNDS = 4;

interface Listed {
  readonly events: readonly { readonly kind: string; readonly userId: string; readonly sequence: number }[];
}

/** What the folder of a core that was killed holds. */
async function keptIn(dataDir: string): Promise<{ readonly pending: number; readonly sealed: number }> {
  const store = await openStore(planFolder(dataDir));
  try {
    const pending = await store.read((reader) => reader.keys(pendingEvents, undefined, { prefix: [], limit: 10_000 }));
    const sealed = await store.read((reader) => reader.list(blocks, undefined, { prefix: [], limit: 10_000 }));
    return { pending: pending.length, sealed: sealed.reduce((sum, { events }) => sum + events.length, 0) };
  } finally {
    await store.close();
  }
}

test('of changes that were answered, none loses its event when the core is killed between commit and seal', {
  timeout: 90_000,
}, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const made: string[] = [];
  let unsealed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const core = await startCore({ dataDir });
    const client = cdiClient(core.url);
    // The job seals in the midst of it, in one round or the other.
    for (let n = 0; n < 40 + 15 * round; n += 1) {
      const { body } = await client.post<{ user: { id: string } }>('/recipe/signup', {
        email: `user-${round}-${n}@example.com`,
        password: 'a good password',
      });
      made.push(body.user.id);
    }
    await core.kill();
    const kept = await keptIn(dataDir);
    expect(kept.pending + kept.sealed).toBeGreaterThanOrEqual(made.length);
    unsealed += kept.pending;
  }
  expect(unsealed).toBeGreaterThan(0);
  const core = await startCore({ dataDir });
  try {
    const get = async <T>(path: string): Promise<T> => (await fetch(`${core.url}/manage/v1/audit${path}`)).json() as Promise<T>;
    await expect.poll(() => get('/verify'), PATIENCE).toMatchObject({ status: 'OK', isWhole: true, unsealed: { count: 0 } });
    const { events } = await get<Listed>('?kind=user.created&limit=500&order=ASC');
    expect(events.map(({ userId }) => userId).toSorted()).toEqual(made.toSorted());
  } finally {
    await core.stop();
  }
});
