import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/store/postgres/connection.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { statements } from '../../src/store/postgres/statements.ts';
import { prepareTables } from '../../src/store/postgres/table.ts';
import { postgresPlan } from '../store/engines.ts';

const plan = postgresPlan();
const BEHIND_MS = 20 * 60_000;
const TIME_BYTES = 6;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test.skipIf(plan === undefined)(
  'markers bear the time of the database: others would forget those of a node whose clock is behind',
  async () => {
    if (!plan) return;
    const { schema, timeoutMs } = plan;
    const looking = await connect(plan);
    closing.push(() => looking.end());
    await prepareTables(looking, schema);
    const connections = new Connections(plan, Math.random);
    const engine = new PostgresEngine({
      connections,
      statements: statements(schema),
      isPooled: false,
      locksProve: true,
      timeoutMs,
      now: () => Date.now() - BEHIND_MS,
      randomUnit: Math.random,
    });
    closing.push(() => engine.close());
    await engine.followClock();
    expect(await engine.commit({ keys: [], ranges: [], writes: [{ key: Buffer.of(200, 1), value: Buffer.of(1) }] })).toBe(true);
    const [row] = await looking.run({ text: `SELECT id FROM "${schema}".commits`, values: [] });
    const marker = Buffer.from(row?.['id'] as Uint8Array);
    expect(Math.abs(marker.readUIntBE(0, TIME_BYTES) - Date.now()) < BEHIND_MS / 2).toBe(true);
  },
);
