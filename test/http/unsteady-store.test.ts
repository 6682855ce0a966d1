import { describe, expect, test, vi } from 'vitest';
import { EngineStore } from '../../src/store/transactions.ts';
import { StoreUnavailable } from '../../src/store/unavailable.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { make, SCENARIOS as ENDPOINTS } from '../rounds/scenarios.ts';
import { LostRead, UnsteadyEngine } from '../store/unsteady-engine.ts';
import { APP_KEY, GATES, INPUTS, PATHS, type Scenario } from './scenarios.ts';

/** One of so many reads and commits fails. */
const FAULTS = 1 / 4;
/** The same where a scenario is many calls of many reads. */
const FEW_FAULTS = 1 / 25;
const SEEDS = [1, 2, 3];
/** Each try leaves records behind, which lists read: after so many, fewer faults, or some would never come to their end. */
const USUAL_TRIES = 20;
/** With one read in four that fails, an answer of some reads needs that many tries in one of many million runs. */
const MOST_TRIES = 200;
/** What a caller may be told instead of the answer (contract 01 section 2.7). */
const FAILED = [500, 503];
/** What the HTTP engines answer themselves, or send otherwise. */
const OF_ENGINES = ['HEAD /hello'];

/** Scenarios that look into the store themselves, or write there, meet its failures themselves. */
const OF_THE_STORE = [LostRead, StoreUnavailable];

const SCENARIOS = [...PATHS, ...GATES, ...INPUTS].filter(({ request }) => !OF_ENGINES.includes(request));

async function openUnsteady(seed: number): Promise<{ readonly core: InProcessCore; readonly engine: UnsteadyEngine }> {
  const engine = new UnsteadyEngine(seed);
  const core = await openInProcessCore('5.4', [], new EngineStore(engine), undefined, () => {});
  await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
  await core.call('PUT', '/appid-a1/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
  await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'keyed', coreConfig: { api_keys: APP_KEY } });
  return { core, engine };
}

/** Somebody was told 500: of what the call should have done nobody knows whether it was kept. */
class Lost extends Error {}

/** A client that tries again where it was told that nothing was kept. */
function patient(core: InProcessCore): InProcessCore {
  const call: InProcessCore['call'] = async (...asked) => {
    for (;;) {
      const answer = await core.call(...asked);
      if (answer.status === 500) throw new Lost();
      if (answer.status !== 503) return answer;
    }
  };
  return { ...core, call };
}

/** All answers to a request that is sent until it is answered; nothing is known of the tenants at the first try. */
async function answersTo(
  core: InProcessCore,
  { request, headers = {}, body = '' }: Scenario,
): Promise<readonly { status: number; text: string }[]> {
  const [method = '', path = ''] = request.split(' ');
  const answers: { status: number; text: string }[] = [];
  core.services.directory.changed();
  while (answers.length < MOST_TRIES && FAILED.includes(answers.at(-1)?.status ?? 500)) {
    const { status, text } = await core.send(method, path, body, { headers });
    answers.push({ status, text: text.trimEnd() });
  }
  return answers;
}

describe.each(SEEDS)('a store that answers late and fails now and then (seed %i)', (seed) => {
  test('leaves every answer of the HTTP front right, or an honest 500 or 503', async () => {
    const { core, engine } = await openUnsteady(seed);
    let failed = 0;
    engine.faults = FAULTS;
    const all = await Promise.all(SCENARIOS.map(async (scenario) => ({ scenario, answers: await answersTo(core, scenario) })));
    for (const { scenario, answers } of all) {
      failed += answers.length - 1;
      const { status, text } = answers.at(-1) ?? { status: 0, text: '' };
      expect({ status, ...(scenario.text !== undefined && { text }) }, scenario.request).toEqual({
        status: scenario.status,
        ...(scenario.text !== undefined && { text: scenario.text }),
      });
      if (scenario.json) expect(JSON.parse(text)).toMatchObject(scenario.json);
    }
    expect(failed).toBeGreaterThan(20);
    // Reads that nobody waits for any more come to their end too.
    await vi.waitFor(() => expect(engine.snapshots).toBe(0));
  });

  test('leaves the answers of every endpoint right that are not an honest 500', { timeout: 120_000 }, async () => {
    const { core, engine } = await openUnsteady(seed);
    const client = patient(core);
    const wrong: string[] = [];
    const isLost = async ({ endpoint, play }: (typeof ENDPOINTS)[number], losses: number): Promise<boolean> => {
      engine.faults = 0;
      const made = await make(core);
      engine.faults = FEW_FAULTS * Math.min(1, USUAL_TRIES / (losses + 1));
      core.services.directory.changed();
      try {
        const { status } = await play(client, made);
        if (status !== 200) wrong.push(`${endpoint}: ${status}`);
      } catch (error) {
        if (error instanceof Lost || OF_THE_STORE.some((known) => error instanceof known)) return true;
        wrong.push(`${endpoint}: ${String(error)}`);
      }
      return false;
    };
    let lost = 0;
    for (const scenario of ENDPOINTS) {
      let losses = 0;
      while (await isLost(scenario, losses)) losses += 1;
      lost += losses;
    }
    engine.faults = 0;
    expect(wrong).toEqual([]);
    expect(lost).toBeGreaterThan(ENDPOINTS.length / 10);
    // Reads that nobody waits for any more come to their end too.
    await vi.waitFor(() => expect(engine.snapshots).toBe(0));
  });
});
