import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Router } from '../../src/http/router.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import { cdiClient } from '../cdi-client.ts';
import type { RunningCore } from '../running-core.ts';
import { declaredStatuses } from './declared-statuses.ts';
import { APP_KEY, GATES, INPUTS, PATHS, type Scenario } from './scenarios.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { withCore } from '../with-core.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a target as it is written (fetch would tidy it up). */
function send(core: RunningCore, scenario: Scenario): Promise<Answer> {
  const [method, path] = scenario.request.split(' ');
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port: core.port, method, path, headers: { ...scenario.headers }, timeout: 15_000, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: Number(incoming.statusCode),
            type: incoming.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString().trimEnd(),
          }),
        );
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(scenario.body);
  });
}

const router = new Router(ROUTES, '');

/** The endpoint that a path leads to; undefined where it leads nowhere, or is malformed. */
function endpointOf(path: string): string | undefined {
  try {
    const { endpoint, isUnknown } = router.match(path);
    return isUnknown ? undefined : endpoint.path || '/';
  } catch {
    return undefined;
  }
}

describe.each(LOADABLE_ENGINES)('the HTTP front on the engine %s', (engine) => {
  let core: RunningCore;
  withCore({ env: { HTTP_ENGINE: engine } }, async (started) => {
    core = started;
    const base = cdiClient(core.url);
    await base.put('/recipe/multitenancy/app/v2', { appId: 'a1' });
    await cdiClient(core.url, { app: 'a1' }).put('/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const keyed = await base.put('/recipe/multitenancy/app/v2', { appId: 'keyed', coreConfig: { api_keys: APP_KEY } });
    expect(keyed.body).toMatchObject({ status: 'OK' });
  });

  async function expectAnswer(scenario: Scenario): Promise<void> {
    const answer = await send(core, scenario);
    expect({ status: answer.status, text: scenario.text === undefined ? undefined : answer.text }).toEqual({
      status: scenario.status,
      text: scenario.text,
    });
    expectDeclared(scenario, answer.status);
    if (scenario.json) expect(JSON.parse(answer.text)).toMatchObject(scenario.json);
    const isJson = answer.status === 200 && answer.text.startsWith('{');
    if (answer.text !== '')
      expect(answer.type.replace(/\s/g, '')).toBe(isJson ? 'application/json;charset=UTF-8' : 'text/html;charset=UTF-8');
  }

  /** Whatever is answered for a row, openapi.json lists. */
  function expectDeclared({ request }: Scenario, status: number): void {
    const [method = '', target = ''] = request.split(' ');
    const path = endpointOf(target.split('?')[0] ?? '');
    const declared = path === undefined ? undefined : declaredStatuses(method, path);
    if (declared) expect(declared, request).toContain(String(status));
  }

  const name = (scenario: Scenario): string =>
    [scenario.request, JSON.stringify(scenario.headers ?? ''), scenario.body ?? '']
      .filter((part) => part !== '' && part !== '""')
      .join(' ');

  describe('paths', () => {
    test.each(PATHS.map((scenario) => [name(scenario), scenario] as const))('%s', (_name, scenario) => expectAnswer(scenario));
  });
  describe('gates', () => {
    test.each(GATES.map((scenario) => [name(scenario), scenario] as const))('%s', (_name, scenario) => expectAnswer(scenario));
  });
  describe('inputs', () => {
    test.each(INPUTS.map((scenario) => [name(scenario), scenario] as const))('%s', (_name, scenario) => expectAnswer(scenario));
  });

  test('every JSON and text answer ends its line', async () => {
    const json = await fetch(`${core.url}/telemetry`);
    expect(await json.text()).toBe('{"exists":false}\n');
    const text = await fetch(`${core.url}/hello`);
    expect(await text.text()).toBe('Hello\n');
  });

  test('the process tells its configuration file to whoever knows its number', async () => {
    const answer = await cdiClient(core.url).get('/config', { pid: String(core.pid) });
    expect(answer.body).toEqual({ status: 'OK', path: `${core.dataDir}/config.yaml` });
  });

  test('all versions are offered, in ascending order', async () => {
    const { body } = await cdiClient(core.url).get<{ readonly versions: readonly string[] }>('/apiversion');
    expect(body.versions).toHaveLength(25);
    expect([body.versions[0], body.versions.at(-1)]).toEqual(['2.7', '5.6']);
  });
});
