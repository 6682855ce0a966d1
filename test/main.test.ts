import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CoreOptions, PROJECT_ROOT, type RunningCore, startCore } from './running-core.ts';
import { LOADABLE_ENGINES } from './loadable-engines.ts';

/** What is waited for comes soon; a machine under load may take as long as this. */
const PATIENCE_MS = 25_000;

const cores: RunningCore[] = [];
const folders: string[] = [];

async function start(options: CoreOptions = {}): Promise<RunningCore> {
  const core = await startCore(options);
  cores.push(core);
  return core;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-lifecycle-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the build that is expected to end by itself. */
function runToEnd(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ending> {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'dist', 'src', program), ...args], {
    env: { PATH: String(process.env['PATH']), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code, stdout, stderr });
    });
  });
}

const signUp = (core: RunningCore, email: string): Promise<Response> =>
  fetch(`${core.url}/recipe/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cdi-version': '5.1' },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });

const text = async (url: string): Promise<string> => (await fetch(url)).text();

/** The sum of the samples of the metrics that a pattern finds, whose first group is the value. */
async function metric(core: RunningCore, pattern: RegExp): Promise<number> {
  return Array.from((await text(`${core.url}/metrics`)).matchAll(pattern), ([, value]) => Number(value)).reduce(
    (sum, value) => sum + value,
    0,
  );
}

/** Password hashes that were asked for, whatever has become of them. */
const hashesAsked = (core: RunningCore): Promise<number> =>
  metric(core, /^watchword_lane_(?:queued|running|completed_total)\{lane="hash"\} (\d+)$/gm);

/** A connection that has sent half of a request, of which the core has read the head. */
async function halfSent(core: RunningCore): Promise<{ readonly socket: Socket; readonly rest: string; readonly answer: Promise<string> }> {
  const body = JSON.stringify({ email: 'half@example.com', password: 'correct horse battery' });
  const socket = connect(core.port, '127.0.0.1');
  let received = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
  socket.write(
    `POST /recipe/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // This gauge is written once a second.
  await vi.waitFor(async () => expect(await metric(core, /^watchword_http_in_flight\{[^}]*\} (\d+)$/gm)).toBe(1), PATIENCE_MS);
  return { socket, rest: body.slice(10), answer };
}

describe('a start', () => {
  it('prints one line that names host, port and process, and then serves', async () => {
    const core = await start();
    expect(core.output()).toMatch(/^Started Watchword on 127\.0\.0\.1:\d+ with PID: \d+$/m);
    expect(await text(`${core.url}/hello`)).toBe('Hello\n');
    expect(await text(`${core.url}/livez`)).toBe('alive\n');
    expect(await text(`${core.url}/readyz`)).toBe('ready\n');
  });

  it('serves from several threads on one port', async () => {
    const core = await start({ env: { HTTP_THREADS: '3' } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => text(`${core.url}/hello`)));
    expect(new Set(answers)).toEqual(new Set(['Hello\n']));
    expect(await text(`${core.url}/metrics`)).toContain('watchword_heap_used_bytes{thread="http-2"}');
  });

  it('serves from memory, by one thread', async () => {
    const core = await start({ env: { STORE_ENGINE: 'memory', HTTP_THREADS: '2' } });
    expect((await signUp(core, 'a@example.com')).status).toBe(200);
    expect(await (await signUp(core, 'a@example.com')).json()).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
  });

  it('works on a folder that another process serves, and both see the same', async () => {
    const dataDir = newFolder();
    const [one, other] = await Promise.all([start({ dataDir }), start({ dataDir })]);
    expect((await (await signUp(one, 'shared@example.com')).json()) as unknown).toMatchObject({ status: 'OK' });
    expect(await (await signUp(other, 'shared@example.com')).json()).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
  });

  it('on a taken port is one line and exit code 1', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ended = await runToEnd('main.js', [
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--http-engine',
      'node',
      '--data-dir',
      newFolder(),
    ]);
    taken.close();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(new RegExp(`^Watchword cannot start: .*EADDRINUSE.*127\\.0\\.0\\.1:${port}\n$`));
    expect(ended.stdout).toBe('');
  });

  it('keeps what it writes to its own user', async () => {
    const dataDir = join(newFolder(), 'data');
    await start({ dataDir });
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    for (const file of readdirSync(dataDir)) expect(statSync(join(dataDir, file)).mode & 0o077).toBe(0);
  });

  it('takes localhost for 127.0.0.1', async () => {
    const core = await start({ flags: ['--host', 'localhost'] });
    expect(core.host).toBe('localhost');
    expect(await text(`${core.url}/hello`)).toBe('Hello\n');
    const ended = await runToEnd('main.js', ['--port', String(core.port), '--data-dir', newFolder()]);
    expect(ended.code).toBe(1);
  });

  it('on the port of another Watchword is refused too', async () => {
    const core = await start();
    const ended = await runToEnd('main.js', ['--port', String(core.port), '--host', '127.0.0.1', '--data-dir', newFolder()]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('EADDRINUSE');
  });

  const beneathFile = (): string => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    return join(file, 'data');
  };

  it.each([
    ['beneath a file', beneathFile],
    // Where the system takes no new folders, although the one above is there.
    ['beneath /proc', () => '/proc/watchword/data'],
  ])('in a folder %s, which cannot be made, is one line that names it, and exit code 1', async (_, choose) => {
    const folder = choose();
    const ended = await runToEnd('main.js', ['--port', '0', '--data-dir', folder]);
    expect(ended.code).toBe(1);
    expect(ended.stderr.split('\n')).toHaveLength(2);
    expect(ended.stderr).toContain(folder);
    expect(ended.stdout).toBe('');
  });

  it('with wrong options names all of them', async () => {
    const ended = await runToEnd('main.js', ['--port', 'many', '--no-such-option', '1', '--http-threads', '0'], { BCRYPT_LOG_ROUNDS: '0' });
    expect(ended.code).toBe(1);
    for (const wrong of ['port', 'no-such-option', 'http_threads', 'bcrypt_log_rounds']) expect(ended.stderr).toContain(wrong);
    expect(ended.stdout).toBe('');
  });

  it('on an address that others can reach is refused without API keys, unless it is wanted so', async () => {
    const ended = await runToEnd('main.js', ['--port', '0', '--host', '0.0.0.0', '--data-dir', newFolder()]);
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toMatch(
      /^Watchword cannot start with this configuration:\n'api_keys' must be set where 'host' is not a loopback address/,
    );
    const core = await start({ flags: ['--host', '0.0.0.0', '--insecure-no-api-keys'] });
    expect(await text(`${core.url}/hello`)).toBe('Hello\n');
  });

  it('names unknown options and what was probably meant', async () => {
    const ended = await runToEnd('main.js', ['--prot', '0'], { WATCHWORD_HOST: 'localhost' });
    expect([ended.code, ended.stderr.split('\n').slice(1)]).toEqual([
      1,
      ['Unknown environment variable: WATCHWORD_HOST (did you mean SUPERTOKENS_HOST?)', 'Unknown flag: --prot (did you mean --port?)', ''],
    ]);
  });

  it('takes no notice of what Kubernetes sets for a service of our name', async () => {
    const core = await start({ env: { SUPERTOKENS_PORT: 'tcp://10.0.0.1:3567', SUPERTOKENS_SERVICE_HOST: '10.0.0.1' } });
    expect(await text(`${core.url}/hello`)).toBe('Hello\n');
  });

  it('in test mode says so in the log', async () => {
    const core = await start({ flags: ['--test-mode'] });
    await vi.waitFor(() => expect(core.output()).toMatch(/"level":"warn".*"msg":"test mode: /), PATIENCE_MS);
    const other = await start();
    expect(other.output()).not.toContain('test mode');
  });

  it('is not put into test mode by the environment', async () => {
    const core = await start({ env: { TEST_MODE: 'true' } });
    expect(core.output()).not.toContain('test mode');
  });
});

describe('SIGTERM', () => {
  it('lets requests in flight finish, accepts nothing more and ends with code 0', async () => {
    const core = await start({ env: { BCRYPT_LOG_ROUNDS: '11', HTTP_THREADS: '2' } });
    const half = await halfSent(core);
    const running = Array.from({ length: 6 }, (_, index) => signUp(core, `flight-${index}@example.com`));
    await vi.waitFor(async () => expect(await hashesAsked(core)).toBe(running.length), { timeout: PATIENCE_MS, interval: 5 });
    const stopped = core.stop();
    await vi.waitFor(() => expect(fetch(`${core.url}/hello`)).rejects.toThrow(), PATIENCE_MS);
    half.socket.write(half.rest);
    for (const answer of await Promise.all(running)) expect(((await answer.json()) as { status: string }).status).toBe('OK');
    expect(await half.answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"status":"OK"/);
    expect(await stopped).toBe(0);
  });

  it('does not wait for ever for a request that never ends', async () => {
    const core = await start();
    const half = await halfSent(core);
    // Whatever does not end by itself is killed at last, and has no exit code.
    expect(await core.stop()).toBe(0);
    half.socket.destroy();
  });

  it('closes the doors first, whatever the jobs thread is busy with', async () => {
    const folder = newFolder();
    const [fault, hold] = [join(folder, 'fault'), join(folder, 'hold')];
    const core = await start({
      env: {
        NODE_OPTIONS: `--require ${join(PROJECT_ROOT, 'test', 'threads', 'provoked-fault.cjs')}`,
        FAULT_FILE: fault,
        FAULT_THREAD: 'jobs',
        FAULT_HOLD: hold,
      },
    });
    writeFileSync(fault, '');
    await vi.waitFor(() => expect(existsSync(fault)).toBe(false), PATIENCE_MS);
    const stopped = core.stop();
    await vi.waitFor(() => expect(fetch(`${core.url}/hello`)).rejects.toThrow(), PATIENCE_MS);
    writeFileSync(hold, '');
    // Where the doors had waited for the jobs thread, the process would have had to kill itself.
    expect(await stopped).toBe(0);
  });

  it('keeps what was acknowledged', async () => {
    const dataDir = newFolder();
    const first = await start({ dataDir });
    await signUp(first, 'kept@example.com');
    await first.stop();
    const second = await start({ dataDir });
    expect(await (await signUp(second, 'kept@example.com')).json()).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s twice is as good as once', async (signal) => {
    const core = await start();
    process.kill(core.pid, signal);
    process.kill(core.pid, signal);
    await vi.waitFor(() => expect(core.alive()).toBe(false), PATIENCE_MS);
    expect(await core.stop()).toBe(0);
  });
});

describe('an HTTP thread that meets an uncaught error', () => {
  it.each(LOADABLE_ENGINES)('is replaced and counted, while the others serve on (%s)', async (engine) => {
    const fault = join(newFolder(), 'fault');
    const core = await start({
      env: {
        HTTP_ENGINE: engine,
        HTTP_THREADS: '2',
        NODE_OPTIONS: `--require ${join(PROJECT_ROOT, 'test', 'threads', 'provoked-fault.cjs')}`,
        FAULT_FILE: fault,
        FAULT_THREAD: 'http-',
      },
      faultsExpected: true,
    });
    writeFileSync(fault, '');
    await vi.waitFor(() => expect(core.output()).toMatch(/"ended":"http-[01]".*"a thread ended, starting another"/), PATIENCE_MS);
    await vi.waitFor(
      async () => expect(await text(`${core.url}/metrics`)).toContain('watchword_http_thread_restarts_total 1\n'),
      PATIENCE_MS,
    );
    await vi.waitFor(() => expect(core.output()).toContain('"msg":"this thread cannot go on"'), PATIENCE_MS);
    const answers = await Promise.all(Array.from({ length: 20 }, () => text(`${core.url}/hello`)));
    expect(new Set(answers)).toEqual(new Set(['Hello\n']));
    expect(await core.stop()).toBe(0);
  });
});

/** Puts the n-th user of a core into its queue and waits for them. */
async function importUser(core: RunningCore, n: number): Promise<void> {
  const users = [{ loginMethods: [{ recipeId: 'thirdparty', email: 'a@example.com', thirdPartyId: 'x', thirdPartyUserId: `${n}` }] }];
  const headers = { 'content-type': 'application/json', 'cdi-version': '5.4' };
  const uploaded = await fetch(`${core.url}/bulk-import/users`, { method: 'POST', body: JSON.stringify({ users }), headers });
  expect(uploaded.status).toBe(200);
  await vi.waitFor(
    async () => expect(await (await fetch(`${core.url}/users/count`, { headers })).json()).toEqual({ status: 'OK', count: n }),
    PATIENCE_MS,
  );
}

describe('a jobs thread that meets an uncaught error', () => {
  it('is replaced, and imports go on', async () => {
    const fault = join(newFolder(), 'fault');
    const core = await start({
      env: {
        BULK_IMPORT_DELAY_MS: '0',
        NODE_OPTIONS: `--require ${join(PROJECT_ROOT, 'test', 'threads', 'provoked-fault.cjs')}`,
        FAULT_FILE: fault,
        FAULT_THREAD: 'jobs',
      },
      faultsExpected: true,
    });
    await importUser(core, 1);
    writeFileSync(fault, '');
    await vi.waitFor(() => expect(core.output()).toMatch(/"ended":"jobs".*"a thread ended, starting another"/), PATIENCE_MS);
    await vi.waitFor(() => expect(core.output()).toContain('"msg":"this thread cannot go on"'), PATIENCE_MS);
    await importUser(core, 2);
    expect(await text(`${core.url}/metrics`)).toContain('watchword_jobs_thread_restarts_total 1\n');
    expect(await core.stop()).toBe(0);
  });
});

describe('observation', () => {
  it('counts requests by route, and asks for the key where keys are set', async () => {
    const key = 'a-key-of-twenty-characters';
    const core = await start({ env: { API_KEYS: key } });
    await signUp(core, 'a@example.com');
    expect((await fetch(`${core.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${core.url}/livez`)).status).toBe(200);
    expect((await fetch(`${core.url}/readyz`)).status).toBe(200);
    const answer = await fetch(`${core.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toContain('watchword_http_requests_total{method="",path="",status="4xx"} ');
  });

  it('adds up the requests of all threads for /requests/stats', async () => {
    const core = await start({ env: { HTTP_THREADS: '2' } });
    const stats = (await (await fetch(`${core.url}/requests/stats`)).json()) as Record<string, unknown>;
    expect(stats).toMatchObject({ status: 'OK', atMinute: expect.any(Number) });
    expect(stats['averageRequestsPerSecond']).toHaveLength(1440);
    expect(stats['peakRequestsPerSecond']).toHaveLength(1440);
  });

  it('logs requests only when asked to, and never what they carry', async () => {
    const quiet = await start();
    await signUp(quiet, 'secret-address@example.com');
    expect(quiet.output()).not.toContain('/recipe/signup');
    const talking = await start({ flags: ['--request-log', 'true'] });
    await signUp(talking, 'secret-address@example.com');
    await fetch(`${talking.url}/user/id?userId=secret-id`, { headers: { 'api-key': 'secret-key' } });
    await vi.waitFor(() => expect(talking.output()).toMatch(/"method":"POST","route":"\/recipe\/signup","status":200/), PATIENCE_MS);
    expect(talking.output()).not.toMatch(/secret|correct horse/);
  });
});
