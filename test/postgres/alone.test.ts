import { setTimeout as rest } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { namedRecordKey } from '../../src/store/layout.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { SETTINGS } from '../../src/store/postgres/settings.ts';
import { statements } from '../../src/store/postgres/statements.ts';
import { openForTest, postgresPlan } from '../store/engines.ts';
import { people } from '../store/people.ts';

const plan = postgresPlan();
const KEY = namedRecordKey(people, [1, 'absent']).key;

test.skipIf(plan === undefined)('what a lone run found absent stays so until it ends', async () => {
  if (!plan) return;
  await openForTest(plan);
  const parts = { statements: statements(plan.schema), isPooled: false, locksProve: true, now: Date.now, randomUnit: Math.random };
  const connections = new Connections({ ...plan, settings: SETTINGS }, Math.random);
  const engine = new PostgresEngine({ ...parts, connections, timeoutMs: plan.timeoutMs });
  onTestFinished(() => engine.close());
  const writes = [{ key: KEY, value: Buffer.of(1) }];
  const seen = await engine.alone(async (source) => {
    const before = await source.get(KEY);
    // It gives way, as it waits for less long.
    const added = await Promise.race([engine.commit({ keys: [], ranges: [], writes }), rest(2_000)]);
    return { result: { before, added, after: await source.get(KEY) }, writes: [], reads: { keys: [], ranges: [] } };
  });
  expect(seen).toEqual({ before: undefined, added: false, after: undefined });
  expect(await engine.commit({ keys: [], ranges: [], writes })).toBe(true);
});
