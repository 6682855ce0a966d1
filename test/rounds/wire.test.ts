import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { type CuttingProxy, type Direction, openCuttingProxy } from '../postgres/cutting-proxy.ts';
import { counters } from '../store/people.ts';
import type { Scenario } from './scenario.ts';
import { make, SCENARIOS } from './scenarios.ts';
import { commitsOf, type Cost, KEY_ENDPOINTS } from './wire-budgets.ts';

/*
 * The same budgets, counted where they cost: as messages to a database that were sent after everything before them was answered. What the
 * pipeline waits for is counted; the end of a snapshot, which nobody waits for, beside it.
 */

const url = inject('postgresUrl');
const CONNECTIONS = 4;
const QUIET_MS = 20;
const MOST_MORE = 2;
const END_OF_SNAPSHOT = Buffer.from('Q\0\0\0\x0bCOMMIT\0');

/** Counts round trips. */
class WireCounter {
  #isAnswered = true;
  #pieces = 0;
  rounds = 0;
  ends = 0;

  meddle(direction: Direction, pass: Buffer): { readonly pass: Buffer } {
    this.#pieces += 1;
    if (direction === 'to the client') this.#isAnswered = true;
    else if (pass.equals(END_OF_SNAPSHOT)) this.ends += 1;
    else {
      if (this.#isAnswered) this.rounds += 1;
      this.#isAnswered = false;
    }
    return { pass };
  }

  /** Waits until nothing passes any more, also of what nobody waits for. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.#pieces; ) {
      before = this.#pieces;
      await rest(QUIET_MS);
    }
  }

  /** Begins anew; answers the round trips until now. */
  reset(): number {
    const { rounds } = this;
    this.rounds = 0;
    this.ends = 0;
    return rounds;
  }
}

describe.skipIf(url === undefined)('round trips to the database of each endpoint stay within its budget', () => {
  const counter = new WireCounter();
  let proxy: CuttingProxy;
  let store: Store;
  let core: InProcessCore;

  beforeAll(async () => {
    proxy = await openCuttingProxy(Number(new URL(url ?? '').port), (...piece) => counter.meddle(...piece));
    store = await openStore({
      engine: 'postgres',
      url: proxy.through(url ?? ''),
      password: undefined,
      schema: `wire_${process.pid}`,
      connections: CONNECTIONS,
      prepared: true,
      timeoutMs: 10_000,
    });
    // Scenarios that prepare something have what they did until then forgotten.
    core = { ...(await openInProcessCore('5.4', [], store)), takeRounds: () => counter.reset() };
    // All connections are made, as on a server that is in use.
    await Promise.all(Array.from({ length: CONNECTIONS }, () => store.read((reader) => reader.get(counters, ['none']))));
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
  });

  async function costOf({ play }: Scenario): Promise<Cost> {
    const made = await make(core);
    await counter.quiet();
    counter.reset();
    const { status } = await play(core, made);
    const { rounds } = counter;
    await counter.quiet();
    expect(status).toBe(200);
    return { rounds, snapshots: counter.ends };
  }

  test.each(SCENARIOS)('$endpoint: $budget of reads, and its commits', async (scenario) => {
    const most = scenario.budget + commitsOf(scenario.endpoint);
    let cost = await costOf(scenario);
    // What goes on beside it (keys that are made, what the call before left to do) is not always over: it is played once or twice more.
    for (let more = 0; more < MOST_MORE && cost.rounds > most; more += 1) cost = await costOf(scenario);
    expect(cost.rounds).toBeLessThanOrEqual(most);
    const key = KEY_ENDPOINTS[scenario.endpoint];
    if (key) expect(cost).toEqual(key);
  });

  test('the endpoints that matter most are among them', () => {
    const named = new Set(SCENARIOS.map(({ endpoint }) => endpoint));
    expect(Object.keys(KEY_ENDPOINTS).filter((endpoint) => !named.has(endpoint))).toEqual([]);
  });
});
