import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/recipes/routes.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { make, SCENARIOS } from './scenarios.ts';

/*
 * On a database over the network every sequential round of reads costs a round trip, so each endpoint has a budget; reads that wait together
 * are one round. What a thread remembers anyway (tenants, keys, tokens seen before, recent activity) is warm here, as it is on a server that
 * is in use.
 */

/** Endpoints that read nothing of the store, or exist only for other CDI versions. */
const WITHOUT_BUDGET = ['GET /requests/stats', 'POST /recipe/handshake', 'GET /manage/v1/backup', 'GET /manage/v1/overview'];

let core: InProcessCore;

beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

describe('sequential rounds of reads of each endpoint stay within its budget', () => {
  test.each(SCENARIOS)('$endpoint: at most $budget', async ({ budget, play }) => {
    const made = await make(core);
    core.takeRounds();
    const { status } = await play(core, made);
    expect(status).toBe(200);
    expect(core.takeRounds()).toBeLessThanOrEqual(budget);
  });

  test('every endpoint has a budget', () => {
    const named = new Set(SCENARIOS.map(({ endpoint }) => endpoint.split(' ').slice(0, 2).join(' ')));
    const missing = ROUTES.map(({ method, path }) => `${method} ${path}`).filter((row) => !named.has(row) && !WITHOUT_BUDGET.includes(row));
    expect(missing, 'give them a budget in a file of test/rounds, listed in scenarios.ts').toEqual([]);
  });
});
