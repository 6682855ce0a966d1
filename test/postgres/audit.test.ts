import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { SealedEvent } from '../../src/recipes/audit/event.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';

const url = inject('postgresUrl');
const PATIENCE = { timeout: 20_000, interval: 100 };

describe.skipIf(url === undefined)('two nodes on one database', () => {
  const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url ?? '', POSTGRES_SCHEMA: `audit_${process.pid}` };
  let nodes: readonly [RunningCore, RunningCore];
  let clients: readonly [CdiClient, CdiClient];

  beforeAll(async () => {
    const [one, other] = await Promise.all([startCore({ env }), startCore({ env })]);
    nodes = [one, other];
    clients = [cdiClient(one.url), cdiClient(other.url)];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  const get = async <T>(node: 0 | 1, path: string): Promise<T> =>
    (await fetch(`${nodes[node].url}/manage/v1/audit${path}`)).json() as Promise<T>;

  test('write one trail, in which every event stands once and which verifies on either', async () => {
    const makeUser = async (at: number): Promise<string> => {
      const client = clients[at % 2 === 0 ? 0 : 1];
      const { body } = await client.post<{ user: { id: string } }>('/recipe/signup', {
        email: `user-${at}@example.com`,
        password: 'a good password',
      });
      return body.user.id;
    };
    const made: string[] = [];
    for (let batch = 0; batch < 4; batch += 1)
      made.push(...(await Promise.all(Array.from({ length: 32 }, (_, at) => makeUser(32 * batch + at)))));
    await expect.poll(() => get(0, '/verify'), PATIENCE).toMatchObject({ status: 'OK', isWhole: true, unsealed: { count: 0 } });
    expect(await get(1, '/verify')).toMatchObject({ status: 'OK', isWhole: true });
    const { events } = await get<{ events: SealedEvent[] }>(1, '?order=ASC&limit=500');
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: events.length }, (_, at) => at + 1));
    expect(events.flatMap(({ kind, userId }) => (kind === 'user.created' ? [userId] : [])).toSorted()).toEqual(made.toSorted());
  });

  test('a node that dies leaves the seal to the other', { timeout: 120_000 }, async () => {
    await clients[1].put('/recipe/role', { role: 'before', permissions: [] });
    await nodes[0].kill();
    const another = await startCore({ env });
    nodes = [another, nodes[1]];
    clients = [cdiClient(another.url), clients[1]];
    await clients[1].put('/recipe/role', { role: 'after', permissions: [] });
    // A lease that its holder did not give back ends after a minute.
    const roles = async (): Promise<unknown[]> =>
      (await get<{ events: SealedEvent[] }>(1, '?kind=role.written&order=ASC')).events.map(({ details }) => details?.['role']);
    await expect.poll(roles, { timeout: 90_000, interval: 250 }).toEqual(['before', 'after']);
    expect(await get(0, '/verify')).toMatchObject({ status: 'OK' });
  });
});
