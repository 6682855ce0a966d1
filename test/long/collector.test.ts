import { expect, test, vi } from 'vitest';
import { openReceiver } from '../observe/traces/receiver.ts';
import { startCore } from '../running-core.ts';

/* Cores whose collector hangs, is gone, or is there until the end. */

test('with a collector that hangs everything is answered, and a stop is in order', async () => {
  const hanging = await openReceiver();
  hanging.answer(() => {});
  const slow = await startCore({ env: { OTEL_COLLECTOR_CONNECTION_URI: hanging.url, OTEL_SAMPLING_RATIO: '1' } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${slow.url}/recipe/jwt/jwks`).then(({ status }) => status)));
  expect(new Set(answers).size).toBe(1);
  await vi.waitFor(() => expect(hanging.received.length).toBeGreaterThan(0), 10_000);
  expect(await slow.stop()).toBe(0);
  await hanging.close();
});

test('the last spans are sent while the core stops', async () => {
  const last = await openReceiver();
  const stopped = await startCore({ env: { OTEL_COLLECTOR_CONNECTION_URI: last.url, OTEL_SAMPLING_RATIO: '1' } });
  await fetch(`${stopped.url}/recipe/of-nobody`);
  expect(await stopped.stop()).toBe(0);
  expect(last.spans().some(({ kind }) => kind === 2)).toBe(true);
  await last.close();
});

test('a collector that is not there is one line of the log', async () => {
  const gone = await openReceiver();
  await gone.close();
  const alone = await startCore({ env: { OTEL_COLLECTOR_CONNECTION_URI: `${gone.url}/a-key-in-a-path`, OTEL_SAMPLING_RATIO: '1' } });
  for (let n = 0; n < 20; n += 1) await fetch(`${alone.url}/recipe/of-nobody`);
  await vi.waitFor(() => expect(alone.output()).toContain('does not take traces'), 10_000);
  expect(await alone.stop()).toBe(0);
  const lines = alone
    .output()
    .split('\n')
    .filter((line) => line.includes('"level"') && !line.includes('stopping'));
  expect(lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
  expect(alone.output()).not.toContain('a-key-in-a-path');
});
