import { expect, test } from 'vitest';
import { type MainProbes, plainEndpoints } from '../../src/http/plain-endpoints.ts';
import type { Store } from '../../src/store/store.ts';
import { openInProcessCore } from '../in-process-core.ts';

const AWAY = new Error('away');
const main: MainProbes = { metrics: () => Promise.reject(AWAY), ready: () => Promise.resolve(true) };

test.each([
  { what: 'the store cannot be read', store: true, ready: main.ready },
  { what: 'the main thread does not answer', store: false, ready: () => Promise.reject(AWAY) },
])('not ready where $what, and the log is told why', async ({ what, store: isLost, ready }) => {
  const { services } = await openInProcessCore('5.4');
  const told: unknown[] = [];
  const read: Store['read'] = (body) => {
    if (isLost) throw AWAY;
    return services.store.read(body);
  };
  const lost: Store = Object.assign(Object.create(services.store), { read, isBlocked: () => false });
  const asked = { ...services, store: lost, dropped: (error: unknown, text: string) => told.push(error, text) };
  const reply = await plainEndpoints(asked, { ...main, ready }, () => false)
    .get('/readyz')
    ?.answer();
  expect(reply).toMatchObject({ status: 503, body: `not ready: ${what}\n` });
  expect(told).toEqual([AWAY, what]);
});
