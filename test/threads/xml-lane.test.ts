import { MessageChannel } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import type { SamlXml } from '../../src/crypto/saml/saml.ts';
import { LANES, type LaneLimits } from '../../src/lanes/lane-limits.ts';
import { serveTasks, TaskPort } from '../../src/lanes/port.ts';
import type { Unruly } from '../lanes/unruly.ts';
import { expectationOf } from '../saml-idp/expectation.ts';
import { makeIdp, metadataOf } from '../saml-idp/idp.ts';
import { postedResponse } from '../saml-idp/response.ts';

// Threads run compiled files only, so the lane comes from the build.
const built = (file: string): string => new URL(`../../dist/src/${file}.js`, import.meta.url).href;
const { WorkerPool } = (await import(/* @vite-ignore */ built('threads/worker-pool'))) as typeof import('../../src/threads/worker-pool.ts');
const { Lane } = (await import(/* @vite-ignore */ built('lanes/lane'))) as typeof import('../../src/lanes/lane.ts');

const idp = await makeIdp();
const pool = new WorkerPool({ argon2PoolSize: 1, firebasePoolSize: 1, cores: 2 });
const { port1, port2 } = new MessageChannel();
serveTasks<SamlXml>(pool.tasks, port1);
const port = new TaskPort<SamlXml>(port2);
const client = port.tasks('readIdpMetadata', 'checkSamlResponse');
afterAll(async () => {
  port.close();
  await pool.close();
});

describe('the xml lane', () => {
  it('checks responses for other threads, with all their claims', async () => {
    const samlResponse = postedResponse(idp, { attributes: [{ name: '__proto__', values: ['kept'] }] });
    const expected = expectationOf(idp);
    const answer = await client.checkSamlResponse({ samlResponse, expected });
    expect(answer).toMatchObject({ status: 'OK', issuer: idp.entityId });
    const claims = answer.status === 'OK' ? answer.claims : {};
    expect(Object.getOwnPropertyDescriptor(claims, '__proto__')?.value).toEqual(['kept']);
    const others = [{ samlResponse }, { samlResponse: '!' }, { samlResponse, expected: { ...expected, certificates: [] } }];
    const statuses = (await Promise.all(others.map((question) => client.checkSamlResponse(question)))).map(({ status }) => status);
    expect(statuses).toEqual(['READABLE', 'MALFORMED', 'REFUSED']);
  });

  it('reads metadata', async () => {
    expect(await client.readIdpMetadata(metadataOf(idp))).toMatchObject({ entityId: idp.entityId });
    expect(await client.readIdpMetadata('<x/>')).toBeUndefined();
  });

  it('refuses what does not fit', async () => {
    const question = { samlResponse: postedResponse(idp), expected: expectationOf(idp) };
    const calls = Array.from({ length: LANES.xml.queue + 10 }, () =>
      client.checkSamlResponse(question).then(
        ({ status }) => status,
        (error: Error) => error.name,
      ),
    );
    const outcomes = await Promise.all(calls);
    expect(new Set(outcomes)).toEqual(new Set(['OK', 'LaneFullError']));
    expect(pool.counters().xml).toMatchObject({ queued: 0, running: 0, died: 0 });
  });

  it('ends a task that takes too long, with its thread, and goes on', async () => {
    const limits: LaneLimits = { ...LANES.xml, worker: '../../test/lanes/unruly-worker', taskMs: 3000 };
    const lane = new Lane<Unruly>('xml', limits, 1);
    const first = await lane.run('thread', []);
    const [endless, next] = [lane.run('spin', []), lane.run('thread', [])];
    await expect(endless).rejects.toMatchObject({ name: 'TaskTimeoutError', message: 'a task of the xml lane took too long' });
    expect(await next).not.toBe(first);
    expect(lane.counters).toEqual({ queued: 0, oldestSeconds: 0, running: 0, completed: 2, rejected: 0, died: 1 });
    await lane.close();
  });
});
