import type { Context } from '../context.ts';
import type { TestExplanation } from './explain-response.ts';
import { samlTests } from './records.ts';
import { stateOf, type TestState } from './test-state.ts';

/** A test as its operator sees it. Times in ms since the epoch. */
export interface ShownTest {
  readonly testId: string;
  readonly clientId: string;
  readonly acsURL: string;
  readonly state: TestState;
  readonly startedAt: number;
  readonly waitsUntil: number;
  readonly endedAt: number | null;
  /** What arrived and how it was checked; null until something arrives. */
  readonly explanation: TestExplanation | null;
}

/** A test of the addressed tenant; undefined for one that there is not, or no more. */
export async function showTest({ store, tenant, now }: Context, { testId }: { readonly testId: string }): Promise<ShownTest | undefined> {
  const test = await store.read((reader) => reader.get(samlTests, [tenant.app, tenant.tenant, testId]));
  const time = now();
  if (!test || test.expiresAt < time) return undefined;
  const { clientId, acsUrl: acsURL, startedAt, waitsUntil, endedAt, explanation } = test;
  const shown = explanation === null ? null : (JSON.parse(explanation) as TestExplanation);
  return { testId, clientId, acsURL, state: stateOf(test, time), startedAt, waitsUntil, endedAt, explanation: shown };
}
