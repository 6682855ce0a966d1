import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { cdiClient } from '../cdi-client.ts';
import { unknownNames } from '../deploy/known-names.ts';
import { freePort } from '../postgres/server.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { IMAGE } from './dockerfile.ts';

/* The parts of deploy/compose/cluster.yaml as processes: two nodes as it starts them, on a database, behind the proxy that it configures. */

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

const VARIABLES: Readonly<Record<string, string>> = { POSTGRES_PASSWORD: 'secret', API_KEYS: 'a-key-of-twenty-characters' };
const NODES = ['node-1', 'node-2'] as const;
const PROXY_LIMIT_MS = 10_000;

/** As `docker compose` reads it, with the variables that it asks for. */
const FOLDER = join(PROJECT_ROOT, 'deploy', 'compose');
const servicesOf = (file: string): Readonly<Record<string, Service>> => {
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => VARIABLES[name] ?? '');
  return (parse(text) as { readonly services: Readonly<Record<string, Service>> }).services;
};
const services = servicesOf(join(FOLDER, 'cluster.yaml'));
const environmentOf = (name: string): Readonly<Record<string, string>> => services[name]?.environment ?? {};

function hasProxy(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('HAProxy is not installed: the proxy of cluster.yaml is left out');
    return false;
  }
}

/** Starts the proxy of haproxy.cfg and waits until it has found a node that is ready. */
async function startProxy(environment: Readonly<Record<string, string>>, url: string): Promise<ChildProcess> {
  const file = join(FOLDER, 'haproxy.cfg');
  const child = spawn('haproxy', ['-db', '-f', file], { env: { PATH: process.env['PATH'], ...environment }, stdio: 'ignore' });
  for (const until = performance.now() + PROXY_LIMIT_MS; performance.now() < until; await rest(50)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return child;
  }
  child.kill('SIGKILL');
  throw new Error('the proxy found no node that is ready');
}

test('cluster.yaml sets nothing that a node does not know, and mounts what there is', () => {
  for (const node of NODES) expect(unknownNames(Object.keys(environmentOf(node)))).toEqual([]);
  expect(environmentOf('proxy')).toMatchObject({ NODE_1: 'node-1:3567', NODE_2: 'node-2:3567' });
  const [mounted = ''] = services['proxy']?.volumes ?? [];
  expect(readFileSync(join(FOLDER, mounted.split(':')[0] ?? ''), 'utf8')).toContain('uri /readyz');
  for (const node of NODES) expect(join(FOLDER, String(services[node]?.build))).toBe(PROJECT_ROOT);
});

test('compose.yaml starts one core, which only this machine reaches, with its data in a volume', () => {
  const { core, ...others } = servicesOf(join(PROJECT_ROOT, 'compose.yaml'));
  expect(others).toEqual({});
  expect(unknownNames(Object.keys(core?.environment ?? {}))).toEqual([]);
  expect(core).toMatchObject({
    build: '.',
    environment: { API_KEYS: VARIABLES['API_KEYS'] },
    volumes: [`data:${IMAGE.env['WATCHWORD_DATA_DIR']}`],
  });
  expect(core?.ports).toEqual(['127.0.0.1:3567:3567']);
});

const database = inject('postgresUrl');

describe.skipIf(database === undefined || !hasProxy())('two nodes of cluster.yaml behind its proxy', () => {
  const nodes: RunningCore[] = [];
  let proxy: ChildProcess | undefined;
  let url = '';

  beforeAll(async () => {
    for (const name of NODES) {
      const own = environmentOf(name);
      // The database of this run stands elsewhere, and is named otherwise.
      const at = new URL(own['POSTGRES_URL'] ?? '');
      const here = new URL(database ?? '');
      expect(at.password).toBe('');
      at.host = here.host;
      at.username = here.username;
      at.pathname = here.pathname;
      const env = { ...own, POSTGRES_URL: at.href, PGPASSWORD: here.password, POSTGRES_SCHEMA: `compose_${process.pid}` };
      nodes.push(await startCore({ env, faultsExpected: true }));
    }
    const [first, second] = nodes;
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const addresses = { NODE_1: `127.0.0.1:${first?.port}`, NODE_2: `127.0.0.1:${second?.port}` };
    proxy = await startProxy({ BIND: `127.0.0.1:${port}`, ...addresses }, url);
  });

  afterAll(async () => {
    proxy?.kill('SIGKILL');
    await Promise.all(nodes.map((node) => (node.alive() ? node.stop() : undefined)));
  });

  const headers = { 'api-key': VARIABLES['API_KEYS'] ?? '' };

  test('serve one cluster, ask for the key, and go on without an error when one of them stops', async () => {
    const client = cdiClient(url);
    const user = { email: 'a@example.com', password: 'correct horse 1' };
    expect((await client.post('/recipe/signup', user)).status).toBe(401);
    expect((await client.post('/recipe/signup', user, { headers })).body).toMatchObject({ status: 'OK' });
    const signIns = async (count: number): Promise<readonly unknown[]> => {
      const answers = Array.from({ length: count }, () => client.post('/recipe/signin', user, { headers }));
      return (await Promise.all(answers)).map(({ status, body, text }) => body?.['status'] ?? `${status} ${text}`);
    };
    expect(new Set(await signIns(20))).toEqual(new Set(['OK']));
    const stopping = nodes[0]?.stop();
    for (let round = 0; round < 20; round += 1) expect(new Set(await signIns(10))).toEqual(new Set(['OK']));
    await stopping;
    expect(new Set(await signIns(20))).toEqual(new Set(['OK']));
  });
});
