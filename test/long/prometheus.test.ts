import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { alerts, queries, RULES } from '../observe/dashboard.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { hasPrometheus, type Prometheus, startPrometheus } from '../observe/prometheus.ts';

/* The dashboard and the alerts of deploy/, with a Prometheus that scrapes a core under some load. */

const API_KEY = 'a-key-of-the-scrape-of-prometheus';
/** Alerts that a busy machine may raise, were it only for a moment. */
const ABOUT_SPEED = ['WatchwordSlow', 'WatchwordVerifySlow', 'WatchwordLaneSaturated', 'WatchwordEventLoopLate'];
const WITH_KEY = { headers: { 'api-key': API_KEY } };

/** What Grafana puts in the place of its variables. */
const filled = (query: string): string => query.replaceAll('$__rate_interval', '20s').replaceAll(/\$(?:job|instance)\b/g, '.*');
describe.runIf(hasPrometheus())('with Prometheus', () => {
  let core: RunningCore;
  let prometheus: Prometheus;
  let client: CdiClient;
  const backups = mkdtempSync(join(tmpdir(), 'watchword-backups-'));

  beforeAll(async () => {
    core = await startCore({ env: { API_KEYS: API_KEY, BACKUP_DIR: backups, BACKUP_EVERY: '0.0001' }, flags: ['--test-mode'] });
    client = cdiClient(core.url);
    prometheus = await startPrometheus(core, API_KEY, RULES);
    await client.post('/recipe/signup', { email: 'a@example.com', password: 'a-password-1' }, WITH_KEY);
    await vi.waitFor(async () => expect(await prometheus.query('watchword_backup_last_success_timestamp_seconds')).not.toEqual([]), {
      timeout: 60_000,
      interval: 500,
    });
    // A rate takes two scrapes.
    for (let round = 0; round < 4; round += 1) await someLoad(client);
  }, 90_000);
  afterAll(async () => {
    await prometheus?.stop();
    await core?.stop();
    rmSync(backups, { recursive: true, force: true });
  });

  test.each(queries)('the query of "%s" has data: %s', async (_, query) => {
    expect((await prometheus.query(filled(query))).length).toBeGreaterThan(0);
  });

  test('every alert can be evaluated, and none is raised by a core that is well', async () => {
    const rules = await prometheus.rules();
    expect([...rules.keys()]).toEqual(alerts.map(({ alert }) => alert));
    expect(new Set(rules.values())).toEqual(new Set(['ok']));
    const others = alerts.filter(({ alert }) => !ABOUT_SPEED.includes(alert));
    for (const { alert, expr } of others) expect(await prometheus.query(expr), alert).toEqual([]);
  });

  test('promtool finds nothing wrong with the rules, and they are raised by what they are about', () => {
    execFileSync('promtool', ['check', 'rules', '--lint-fatal', RULES], { stdio: 'pipe' });
    execFileSync('promtool', ['test', 'rules', join(PROJECT_ROOT, 'deploy', 'prometheus', 'rules.test.yml')], { stdio: 'pipe' });
  });
});

/** A second of sign-ins, sessions and the like. */
async function someLoad(client: CdiClient): Promise<void> {
  const requests = [
    ['/recipe/signin', { email: 'a@example.com', password: 'a-password-1' }],
    ['/recipe/signin', { email: 'a@example.com', password: 'another' }],
    ['/recipe/session', { userId: 'u', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false }],
    ['/recipe/session/verify', { accessToken: 'x', enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: false }],
  ] as const;
  const end = performance.now() + 1_000;
  while (performance.now() < end) for (const [path, body] of requests) await client.post(path, body, WITH_KEY);
}
