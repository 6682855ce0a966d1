import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LOADABLE_ENGINES } from './loadable-engines.ts';
import { type CoreOptions, PROJECT_ROOT, type RunningCore, startCore } from './running-core.ts';

const PATIENCE_MS = 25_000;
const KEY = 'first-key-of-20-letters';
const OTHER_KEY = 'second-key-of-20-letters';
/** More requests than threads: some reach each of them. */
const SOME = 12;

const cores: RunningCore[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A core with a configuration file, and what can be done to both. */
async function startWith(text: string, options: CoreOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-reload-'));
  folders.push(folder);
  const file = join(folder, 'config.yaml');
  const write = (next: string): void => writeFileSync(file, next);
  write(text);
  const core = await startCore({ ...options, flags: ['--config', file, ...(options.flags ?? [])] });
  cores.push(core);
  const ask = (path: string, key = KEY, init: RequestInit = {}): Promise<Response> =>
    fetch(`${core.url}${path}`, { ...init, headers: { 'api-key': key, 'content-type': 'application/json', ...init.headers } });
  const reload = async (key = KEY): Promise<unknown> => (await ask('/manage/v1/config/reload', key, { method: 'POST' })).json();
  /** What threads answer to some requests at once, each once. */
  const answers = async (path: string, key = KEY): Promise<ReadonlySet<number>> =>
    new Set((await Promise.all(Array.from({ length: SOME }, () => ask(path, key)))).map(({ status }) => status));
  const valueOf = async (name: string): Promise<unknown> => {
    const { options: all } = (await (await ask('/manage/v1/config')).json()) as { options: { name: string }[] };
    return all.find((option) => option.name === name);
  };
  return { core, folder, write, ask, reload, answers, valueOf };
}

const hangUp = ({ pid }: RunningCore): boolean => process.kill(pid, 'SIGHUP');
const textOf = async (core: RunningCore, path: string): Promise<string> => (await fetch(core.url + path)).text();

describe('SIGHUP', () => {
  it('takes the file over in every thread', async () => {
    const { core, write, answers, valueOf } = await startWith(`api_keys: ${KEY}\n`);
    expect(await answers('/users?limit=1')).toEqual(new Set([200]));
    write(`api_keys: ${KEY},${OTHER_KEY}\naccess_token_validity: 77\nhttp_chunked: true\n`);
    hangUp(core);
    await vi.waitFor(() => expect(core.output()).toContain('"msg":"the configuration was reloaded"'), PATIENCE_MS);
    expect(await answers('/users?limit=1', OTHER_KEY)).toEqual(new Set([200]));
    expect(await valueOf('access_token_validity')).toMatchObject({ value: 77, source: 'file' });
    expect(core.output()).toMatch(/"options":\["http_chunked"\],"msg":"these options have new values, which need a restart"/);
    expect(core.output()).toMatch(/"changed":\["access_token_validity","api_keys"\]/);
    expect(core.output()).not.toContain(OTHER_KEY);
  });

  it('keeps what it has where the file is wrong, says so, and goes on with the next good one', async () => {
    const { core, write, answers } = await startWith(`api_keys: ${KEY}\n`, { faultsExpected: true });
    write(`api_keys: short\nprot: 1\n`);
    hangUp(core);
    await vi.waitFor(() => expect(core.output()).toContain('"msg":"the reload was refused'), PATIENCE_MS);
    expect(core.output()).toMatch(
      /"faults":\["One of the API keys is too short\..*","Unknown key in the config file: prot \(did you mean port\?\)"\]/,
    );
    expect(await textOf(core, '/readyz')).toBe('ready; the last reload was refused: see the log\n');
    expect(await answers('/users?limit=1')).toEqual(new Set([200]));
    write(`api_keys: ${OTHER_KEY}\n`);
    hangUp(core);
    await vi.waitFor(async () => expect(await textOf(core, '/readyz')).toBe('ready\n'), PATIENCE_MS);
    await vi.waitFor(async () => expect(await answers('/users?limit=1')).toEqual(new Set([401])), PATIENCE_MS);
  });

  it('opens the files of the log anew, in every thread', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchword-rotated-'));
    folders.push(folder);
    const path = join(folder, 'info.log');
    const { core, answers } = await startWith(`request_log: true\ninfo_log_path: ${path}\n`);
    await answers('/hello');
    renameSync(path, `${path}.1`);
    await answers('/hello');
    expect(existsSync(path)).toBe(false);
    hangUp(core);
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain('the configuration was reloaded'), PATIENCE_MS);
    const old = readFileSync(`${path}.1`, 'utf8');
    await answers('/hello');
    expect(readFileSync(path, 'utf8').match(/"route":"\/hello"/g)).toHaveLength(SOME);
    expect(readFileSync(`${path}.1`, 'utf8')).toBe(old);
  });

  it.each(['lmdb', 'memory'])('without a file changes nothing (%s)', async (engine) => {
    const core = await startCore({ env: { STORE_ENGINE: engine } });
    cores.push(core);
    hangUp(core);
    await vi.waitFor(() => expect(core.output()).toMatch(/"changed":\[\],"msg":"the configuration was reloaded"/), PATIENCE_MS);
    expect(await textOf(core, '/hello')).toBe('Hello\n');
  });
});

describe('the endpoint', () => {
  it('answers what changed once every thread has it, and what waits for a restart', async () => {
    const { write, reload, answers } = await startWith(`api_keys: ${KEY}\n`, { env: { HTTP_THREADS: '3' } });
    write(`api_keys: ${KEY},${OTHER_KEY}\nlog_level: WARN\nhttp_engine: node\nbase_path: /x\n`);
    expect(await reload()).toEqual({ status: 'OK', changed: ['api_keys', 'log_level'], needsRestart: ['base_path', 'http_engine'] });
    expect(await answers('/users?limit=1', OTHER_KEY)).toEqual(new Set([200]));
  });

  it('applies limits to what comes next', async () => {
    const { write, ask, reload } = await startWith('');
    const body = JSON.stringify({ userId: 'u1', metadataUpdate: { text: 'x'.repeat(2000) } });
    const update = async (): Promise<number> => (await ask('/recipe/user/metadata', KEY, { method: 'PUT', body })).status;
    expect(await update()).toBe(200);
    write('max_body_bytes: 1024\n');
    expect(await reload()).toMatchObject({ changed: ['max_body_bytes'] });
    expect(await update()).toBe(413);
  });

  it('answers the faults', async () => {
    const { write, reload, answers } = await startWith(`api_keys: ${KEY}\n`, { faultsExpected: true });
    write('access_token_validity: never\n');
    expect(await reload()).toEqual({ status: 'INVALID_CONFIG_ERROR', faults: ["'access_token_validity' must be of type long"] });
    expect(await answers('/users?limit=1')).toEqual(new Set([200]));
  });

  it('answers who came with a key that goes with it, and refuses what comes next', async () => {
    const { write, reload, answers } = await startWith(`api_keys: ${KEY}\n`);
    write(`api_keys: ${OTHER_KEY}\n`);
    expect(await reload()).toMatchObject({ status: 'OK', changed: ['api_keys'] });
    expect(await answers('/users?limit=1')).toEqual(new Set([401]));
    expect(await answers('/users?limit=1', OTHER_KEY)).toEqual(new Set([200]));
  });

  it('is asked by several at once, and the last file counts', async () => {
    const { core, write, reload, valueOf } = await startWith(`api_keys: ${KEY}\n`);
    const reloads: Promise<unknown>[] = [];
    for (let round = 1; round <= 10; round++) {
      write(`api_keys: ${KEY}\naccess_token_validity: ${round}\n`);
      reloads.push(reload());
      hangUp(core);
    }
    for (const answer of await Promise.all(reloads)) expect(answer).toMatchObject({ status: 'OK' });
    await vi.waitFor(async () => expect(await valueOf('access_token_validity')).toMatchObject({ value: 10 }), PATIENCE_MS);
  });
});

describe('under load', () => {
  it.each(LOADABLE_ENGINES)('no request is lost, and none meets two configurations (%s)', async (engine) => {
    // Only the first key goes with 5.1, and only the second one with 5.2.
    const files = [
      `api_keys: ${KEY}\nsupertokens_max_cdi_version: "5.1"\n`,
      `api_keys: ${OTHER_KEY}\nsupertokens_min_cdi_version: "5.2"\n`,
    ];
    const { core, write, ask } = await startWith(String(files[0]), { env: { HTTP_ENGINE: engine } });
    const seen = new Map<string, number>();
    const over = new AbortController();
    const load = async (key: string, cdi: string): Promise<void> => {
      while (!over.signal.aborted) {
        const { status } = await ask('/users/count', key, { headers: { 'cdi-version': cdi } });
        const what = `${key === KEY ? 'first' : 'second'} ${cdi} ${status}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    };
    const loads = [KEY, OTHER_KEY].flatMap((key) => ['5.1', '5.2'].flatMap((cdi) => [load(key, cdi), load(key, cdi)]));
    for (let round = 1; round <= 30; round++) {
      write(String(files[round % 2]));
      const before = core.output().split('the configuration was reloaded').length;
      hangUp(core);
      await vi.waitFor(() => expect(core.output().split('the configuration was reloaded').length).toBeGreaterThan(before), PATIENCE_MS);
    }
    over.abort();
    await Promise.all(loads);
    const possible = [
      'first 5.1 200',
      'first 5.1 401',
      'first 5.2 400',
      'first 5.2 401',
      'second 5.1 400',
      'second 5.1 401',
      'second 5.2 200',
      'second 5.2 401',
    ];
    expect([...seen.keys()].filter((what) => !possible.includes(what))).toEqual([]);
    expect([seen.get('first 5.1 200'), seen.get('second 5.2 200')]).toEqual([expect.any(Number), expect.any(Number)]);
  });
});

/** What provokes a fault in a thread, once the file is there. */
function provoking(thread: string) {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-fault-'));
  folders.push(folder);
  const [fault, hold] = [join(folder, 'fault'), join(folder, 'hold')];
  const preload = `--require ${join(PROJECT_ROOT, 'test', 'threads', 'provoked-fault.cjs')}`;
  return { fault, hold, env: { NODE_OPTIONS: preload, FAULT_FILE: fault, FAULT_THREAD: thread } };
}

describe('a thread', () => {
  it('that does not come to it holds up the answer: it is in force everywhere then', async () => {
    const { fault, hold, env } = provoking('jobs');
    const { write, reload, answers } = await startWith(`api_keys: ${KEY}\n`, { env: { ...env, FAULT_HOLD: hold } });
    writeFileSync(fault, '');
    await vi.waitFor(() => expect(existsSync(fault)).toBe(false), PATIENCE_MS);
    write(`api_keys: ${OTHER_KEY}\n`);
    let answer: unknown;
    const reloading = reload().then((got) => (answer = got));
    // The other threads have it already.
    await vi.waitFor(async () => expect(await answers('/users?limit=1', OTHER_KEY)).toEqual(new Set([200])), PATIENCE_MS);
    expect(answer).toBeUndefined();
    writeFileSync(hold, '');
    expect(await reloading).toMatchObject({ status: 'OK' });
  });

  it('that takes the place of another starts with the new configuration', async () => {
    const { fault, env } = provoking('http-');
    const options = { env: { ...env, HTTP_THREADS: '1' }, faultsExpected: true };
    const { core, write, reload, answers } = await startWith(`api_keys: ${KEY}\n`, options);
    write(`api_keys: ${OTHER_KEY}\n`);
    expect(await reload()).toMatchObject({ status: 'OK' });
    writeFileSync(fault, '');
    await vi.waitFor(() => expect(core.output()).toContain('"a thread ended, starting another"'), PATIENCE_MS);
    await vi.waitFor(async () => expect(await answers('/users?limit=1', OTHER_KEY)).toEqual(new Set([200])), PATIENCE_MS);
    expect(await answers('/users?limit=1')).toEqual(new Set([401]));
  });
});
