import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CONFORMANCE_ENV,
  CONFORMANCE_FOLDER,
  DECIDED,
  isConformancePresent,
  isDecided,
  PENDING,
  playConformance,
  RUN_LIMIT_MS,
} from './conformance/play.ts';
import { listScenarios } from './conformance/scenarios.ts';
import { type RunningCore, startCore } from './running-core.ts';

/**
 * Each recorded scenario is a test. One that passes although it is pending fails the run, so that the list of those only shrinks.
 */
if (!isConformancePresent()) {
  test('conformance scenarios', () => {
    console.log('conformance: no scenarios beside the project, nothing to compare with');
  });
} else {
  const scenarios = await listScenarios(CONFORMANCE_FOLDER);

  describe('conformance', () => {
    let core: RunningCore;
    let failures: ReadonlyMap<string, string | null> = new Map();

    beforeAll(async () => {
      core = await startCore({ env: CONFORMANCE_ENV });
      failures = await playConformance(core.url);
    }, RUN_LIMIT_MS + 60_000);

    afterAll(async () => {
      await core?.stop();
    });

    test.each(scenarios)('%s', (name) => {
      const failure = failures.get(name);
      if (failure === undefined) throw new Error('was not played');
      if (name in PENDING) expect(failure, 'passes now: take it out of conformance-pending.json').not.toBeNull();
      else if (failure !== null && !isDecided(name, failure)) throw new Error(failure);
    });

    test('every scenario that is pending or was decided otherwise exists', () => {
      expect([...Object.keys(PENDING), ...Object.keys(DECIDED)].filter((name) => !scenarios.includes(name))).toEqual([]);
    });
  });
}
