import { expect, test } from 'vitest';
import { type MainProbes, plainEndpoints } from '../../src/http/plain-endpoints.ts';
import type { Store } from '../../src/store/store.ts';
import { emptyHead } from '../../src/http/request.ts';
import { openInProcessCore } from '../in-process-core.ts';

const AWAY = new Error('away');
const HEAD = emptyHead('GET', '/readyz', '');
const DOCS = { api_docs: true, base_path: '' };
const main: MainProbes = { metrics: () => Promise.reject(AWAY), state: () => Promise.resolve('ready') };

test.each([
  { what: 'the store cannot be read', store: true, state: main.state },
  { what: 'the main thread does not answer', store: false, state: () => Promise.reject(AWAY) },
])('not ready where $what, and the log is told why', async ({ what, store: isLost, state }) => {
  const { services } = await openInProcessCore('5.4');
  const told: unknown[] = [];
  const read: Store['read'] = (body) => {
    if (isLost) throw AWAY;
    return services.store.read(body);
  };
  const lost: Store = Object.assign(Object.create(services.store), { read, blockedBy: () => undefined });
  const asked = { ...services, store: lost, dropped: (error: unknown, text: string) => told.push(error, text) };
  const reply = await plainEndpoints(asked, { ...main, state }, () => false, DOCS)
    .get('/readyz')
    ?.answer(HEAD);
  expect(reply).toMatchObject({ status: 503, body: `not ready: ${what}\n` });
  expect(told).toEqual([AWAY, what]);
});

test.each([
  ['ready', 200, 'ready\n'],
  ['reload-refused', 200, 'ready; the last reload was refused: see the log\n'],
  ['stopping', 503, 'not ready: it is stopping\n'],
] as const)('how main is shows: %s', async (state, status, body) => {
  const { services } = await openInProcessCore('5.4');
  const reply = await plainEndpoints(services, { ...main, state: () => Promise.resolve(state) }, () => false, DOCS)
    .get('/readyz')
    ?.answer(HEAD);
  expect(reply).toMatchObject({ status, body });
});
