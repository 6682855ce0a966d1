import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test, vi } from 'vitest';
import { SCHEMAS } from '../../src/generated/schemas.ts';
import type { Overview } from '../../src/recipes/overview.ts';
import { KEY } from '../cli/places.ts';
import type { RunningCore } from '../running-core.ts';
import { withCore } from '../with-core.ts';

const PATH = '/manage/v1/overview';
const PATIENCE = { timeout: 20_000, interval: 200 };
const validate = new Ajv2020({ strict: false }).compile(SCHEMAS['management/overview.response'] ?? false);

/** What a core answers at an address, which is what its schema says. */
async function overview(core: RunningCore, at = ''): Promise<Overview> {
  const answer = await fetch(`${core.url}${at}${PATH}`, { headers: { 'api-key': KEY } });
  const body: unknown = await answer.json();
  expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
  return body as Overview;
}

let core: RunningCore;
const folder = mkdtempSync(join(tmpdir(), 'watchword-overview-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
withCore({ env: { API_KEYS: KEY, BACKUP_DIR: folder, BACKUP_EVERY: '9', AUDIT_TRAIL: 'false' } }, (started) => (core = started));

const answered = ({ requests }: Overview, path: string): number =>
  requests.routes.filter((row) => row.path === path).reduce((sum, { byStatus }) => sum + byStatus.reduce((one, more) => one + more, 0), 0);

test('tells which process answers, wherever it is asked', async () => {
  const [base, other] = [await overview(core), await overview(core, '/appid-nobody/t1')];
  expect(base.process).toMatchObject({ pid: core.pid, nodeVersion: process.versions.node, httpThreads: 2 });
  expect(other.process.id).toBe(base.process.id);
  expect(base.process.startedAt).toBeLessThanOrEqual(base.at);
});

test('however many ask at once, it looks once', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => overview(core)));
  expect(new Set(many.map(({ process: { uptimeSeconds } }) => uptimeSeconds)).size).toBeLessThanOrEqual(2);
});

test('counts what all threads answer, once a second', async () => {
  const hello = answered(await overview(core), '/hello');
  await Promise.all(Array.from({ length: 30 }, () => fetch(`${core.url}/hello`).then((answer) => answer.text())));
  await vi.waitFor(async () => expect(answered(await overview(core), '/hello')).toBe(hello + 30), PATIENCE);
  const { requests, process } = await overview(core);
  for (const { byStatus, byLatency } of requests.routes) {
    expect(byLatency).toHaveLength(requests.boundsSeconds.length + 1);
    expect(byLatency.reduce((sum, count) => sum + count, 0)).toBe(byStatus.reduce((sum, count) => sum + count, 0));
  }
  expect(process.uptimeSeconds).toBeGreaterThan(0);
});

test('knows lanes, store, jobs, and what is wrong', async () => {
  await vi.waitFor(async () => expect((await overview(core)).jobs.map(({ name }) => name)).toContain('backup'), PATIENCE);
  const { lanes, store, backups, jobs, warnings } = await overview(core);
  expect(lanes.map(({ name }) => name).toSorted()).toEqual(['hash', 'import', 'keys', 'sign', 'xml']);
  expect(lanes.filter(({ threads, queue }) => threads < 1 || queue < 1)).toEqual([]);
  expect(store.commits).toBeGreaterThan(0);
  expect(backups).toEqual({ isScheduled: true, failures: 0 });
  expect(jobs.find(({ name }) => name === 'backup')).toMatchObject({ state: 'waiting', nextAt: expect.any(Number) });
  expect(warnings.map(({ code }) => code)).toContain('audit-trail');
});

test('asks for a key, and shows none', async () => {
  expect((await fetch(`${core.url}${PATH}`)).status).toBe(401);
  expect(JSON.stringify(await overview(core))).not.toContain(KEY);
});
