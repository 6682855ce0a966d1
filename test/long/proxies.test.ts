import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, Agent as HttpsAgent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../src/http/probe-port.ts';
import { cdiClient } from '../cdi-client.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';

/* The files of deploy/proxies, with other ports and a certificate of this test's, before a core. */

const KEY = 'a-key-of-twenty-characters';
const START_LIMIT_MS = 15_000;
const HOST = 'auth.internal.example';
const folder = mkdtempSync(join(tmpdir(), 'watchword-proxies-'));
const configuration = (name: string): string => readFileSync(join(PROJECT_ROOT, 'deploy', 'proxies', name), 'utf8');

interface Proxy {
  readonly program: string;
  readonly file: string;
  /** What the file says, and what it has to say here. */
  readonly changes: (port: number, core: number) => Readonly<Record<string, string>>;
  readonly args: (file: string) => readonly string[];
}

const CERTIFICATE = join(folder, 'tls.crt');
const TLS = { '/etc/watchword/tls/tls.crt': CERTIFICATE, '/etc/watchword/tls/tls.key': join(folder, 'tls.key') };

const PROXIES: readonly Proxy[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    changes: (port, core) => ({
      ...TLS,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '127.0.0.1:3567': `127.0.0.1:${core}`,
      '/run/nginx.pid': join(folder, 'nginx.pid'),
    }),
    args: (file) => ['-p', folder, '-e', 'stderr', '-c', file, '-g', 'daemon off;'],
  },
  {
    program: 'haproxy',
    file: 'haproxy.cfg',
    changes: (port, core) => ({
      '/etc/watchword/tls/bundle.pem': join(folder, 'bundle.pem'),
      'bind :443': `bind 127.0.0.1:${port}`,
      '127.0.0.1:3567': `127.0.0.1:${core}`,
    }),
    args: (file) => ['-db', '-f', file],
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    changes: (port, core) => ({
      ...TLS,
      [`https://${HOST}`]: `https://${HOST}:${port}`,
      '\tadmin off': '\tadmin off\n\tauto_https disable_redirects',
      '127.0.0.1:3567': `127.0.0.1:${core}`,
    }),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];

const isInstalled = ({ program }: Proxy): boolean => spawnSync(program, [program === 'caddy' ? 'version' : '-v']).error === undefined;
const installed = PROXIES.filter(isInstalled);
for (const { program } of PROXIES.filter((proxy) => !installed.includes(proxy)))
  console.log(`${program} is not installed: it is not run here`);

let core: RunningCore | undefined;

beforeAll(async () => {
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const files = ['-keyout', TLS['/etc/watchword/tls/tls.key'], '-out', CERTIFICATE];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject, ...files], {
    stdio: 'ignore',
  });
  writeFileSync(join(folder, 'bundle.pem'), readFileSync(CERTIFICATE, 'utf8') + readFileSync(TLS['/etc/watchword/tls/tls.key'], 'utf8'));
  core = await startCore({ env: { API_KEYS: KEY } });
});
afterAll(async () => {
  await core?.stop();
  rmSync(folder, { recursive: true });
});

/** A file of deploy/proxies as it stands, but for what must differ here. */
function adapted({ file, changes }: Proxy, port: number): string {
  let text = configuration(file);
  for (const [from, to] of Object.entries(changes(port, core?.port ?? 0))) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The API key; `null` for none. */
  readonly key?: string | null;
}

describe.each(installed)('$program', (proxy) => {
  let child: ChildProcess | undefined;
  let agent: Agent | undefined;
  let port = 0;
  let said = '';

  const send = (path: string, { method = 'GET', headers = {}, body, key = KEY }: Sent = {}) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          servername: HOST,
          path,
          method,
          agent,
          headers: { host: HOST, 'cdi-version': '5.4', ...(key !== null && { 'api-key': key }), ...headers },
        },
        (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        },
      );
      asked.on('error', reject).end(body);
    });
  const post = (path: string, body: object) => {
    const text = JSON.stringify(body);
    return send(path, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
    });
  };

  beforeAll(async () => {
    port = await freePort('127.0.0.1');
    agent = new HttpsAgent({ keepAlive: true, maxSockets: 8, ca: readFileSync(CERTIFICATE) });
    const env = { PATH: process.env['PATH'], HOME: folder };
    child = spawn(proxy.program, proxy.args(adapted(proxy, port)), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    for (const until = performance.now() + START_LIMIT_MS; performance.now() < until; await rest(50))
      if ((await send('/readyz').catch(() => undefined))?.status === 200) return;
    throw new Error(`${proxy.program} does not serve:\n${said}`);
  });
  afterAll(() => {
    agent?.destroy();
    child?.kill('SIGKILL');
  });

  test('passes the interface on: keys, status, bodies', async () => {
    const user = { email: `${proxy.program}@example.com`, password: 'correct horse 1' };
    expect(JSON.parse((await post('/recipe/signup', user)).text)).toMatchObject({ status: 'OK' });
    expect(await send('/users?limit=1', { key: 'another-key-of-twenty' })).toEqual({
      status: 401,
      text: 'Invalid API key\n',
    });
    expect((await send('/metrics', { headers: { authorization: `Bearer ${KEY}` }, key: null })).status).toBe(200);
  });

  test('passes on the host, which may name a user pool of its own', async () => {
    const base = cdiClient(core?.url ?? '');
    const options = { headers: { 'api-key': KEY } };
    expect((await base.put('/recipe/multitenancy/connectionuridomain/v2', { connectionUriDomain: HOST }, options)).status).toBe(200);
    const user = { email: 'elsewhere@example.com', password: 'correct horse 1' };
    expect(JSON.parse((await post('/recipe/signup', user)).text)).toMatchObject({ status: 'OK' });
    expect((await base.post('/recipe/signin', user, options)).body).toMatchObject({ status: 'WRONG_CREDENTIALS_ERROR' });
    await base.post('/recipe/multitenancy/connectionuridomain/remove', { connectionUriDomain: HOST }, options);
  });

  test('lets the core say what is too large', async () => {
    const body = Buffer.alloc(9_000_000, ' ');
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    expect(await send('/recipe/user/metadata', { method: 'PUT', body, headers })).toEqual({
      status: 413,
      text: 'Request body is too large\n',
    });
    // An upload may be as long; blanks before it count for nothing.
    const upload = Buffer.concat([body, Buffer.from('{"users":[]}')]);
    const sent = await send('/bulk-import/users', {
      method: 'POST',
      body: upload,
      headers: { ...headers, 'content-length': String(upload.length) },
    });
    expect(sent.status).toBe(200);
  });

  test('serves many at once over connections that are kept', async () => {
    const hello = async (): Promise<number> => (await send('/hello')).status;
    const someAtOnce = async (): Promise<ReadonlySet<number>> => new Set(await Promise.all(Array.from({ length: 8 }, hello)));
    for (let round = 0; round < 20; round += 1) expect(await someAtOnce()).toEqual(new Set([200]));
  });

  test('serves nobody without TLS', async () => {
    const status = await fetch(`http://127.0.0.1:${port}/hello`).then(
      (answer) => answer.status,
      () => 'refused',
    );
    expect(['refused', 400]).toContain(status);
  });
});

test('no proxy keeps a connection to a core for as long as the core does', () => {
  expect(configuration('nginx.conf')).toMatch(/^ +keepalive_timeout 8s;$/m);
  expect(configuration('Caddyfile')).toMatch(/^\t+keepalive 8s$/m);
  expect(configuration('haproxy.cfg')).toContain('pool-purge-delay 4s');
  const { clusters } = (parse(configuration('envoy.yaml')) as { static_resources: { clusters: [Record<string, Record<string, unknown>>] } })
    .static_resources;
  expect(JSON.stringify(clusters[0]['typed_extension_protocol_options'])).toContain('"idle_timeout":"8s"');
});
