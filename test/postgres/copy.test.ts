import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { copyStore, openStore } from '../../src/store/open-store.ts';
import type { StorePlan } from '../../src/store/plan.ts';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, startApp } from '../sdk/express-app.ts';
import { FrontEnd } from '../sdk/front-end.ts';
import { postgresPlan, temporaryFolder } from '../store/engines.ts';
import { people, person } from '../store/people.ts';
import { fillCore, readCore } from '../transfer/filled-core.ts';
import { type Ended, type RunOptions, watchword } from '../transfer/program.ts';

const url = inject('postgresUrl') ?? 'postgres://u:p@127.0.0.1:9/d';
const withoutPassword = url.replace(':secret@', '@');
const password = { PGPASSWORD: 'secret' };
const PEOPLE = 5_000;
const KILLS = 12;
let schemas = 0;
const newSchema = (): string => `copy_${process.pid}_${(schemas += 1)}`;

describe.skipIf(inject('postgresUrl') === undefined)('watchword copy', { timeout: 120_000 }, () => {
  const cores: RunningCore[] = [];
  let app: ExpressApp | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await Promise.all(cores.splice(0).map((core) => core.stop()));
  });

  const start = async (
    place: { readonly dataDir?: string; readonly schema?: string },
    flags: readonly string[] = [],
  ): Promise<RunningCore> => {
    const { dataDir, schema } = place;
    const env = schema === undefined ? { STORE_ENGINE: 'lmdb' } : { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_SCHEMA: schema };
    const core = await startCore({ env, flags, ...(dataDir !== undefined && { dataDir }) });
    cores.push(core);
    return core;
  };
  const stop = async (core: RunningCore): Promise<void> => {
    cores.splice(cores.indexOf(core), 1);
    await core.stop();
  };
  const copy = (from: string, to: string, more: readonly string[] = []): Promise<Ended> =>
    watchword(['copy', '--from', from, '--to', to, ...more, '--json'], { env: password });

  test('moves what every recipe keeps to a database and back, and logs nobody out', async () => {
    const [dataDir, back, schema] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'back'), newSchema()];
    const first = await start({ dataDir });
    await fillCore(cdiClient(first.url));
    app = await startApp(first.url);
    const front = new FrontEnd(app.url, 'header');
    await front.signUp('sdk@example.com', 'correct-horse-1');
    const before = await readCore(cdiClient(first.url));
    await stop(first);

    const there = await copy(`lmdb:${dataDir}`, withoutPassword, ['--to-schema', schema]);
    expect([there.code, there.stderr]).toEqual([0, '']);
    const second = await start({ schema }, ['--port', String(first.port)]);
    expect(await readCore(cdiClient(second.url))).toEqual(before);
    expect((await front.get('/me/checked')).status).toBe(200);
    expect((await front.refresh()).status).toBe(200);
    await stop(second);

    const home = await copy(withoutPassword, `lmdb:${back}`, ['--from-schema', schema]);
    expect([home.code, home.stderr]).toEqual([0, '']);
    expect(JSON.parse(home.stdout)).toMatchObject({ resumedAt: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const third = await start({ dataDir: back }, ['--port', String(first.port)]);
    expect((await front.get('/me/checked')).status).toBe(200);
    expect((await front.refresh()).status).toBe(200);
    const { ['/recipe/session/user?userId=ann']: sessions, ['/users?limit=100']: users } = await readCore(cdiClient(third.url));
    expect([sessions, users]).toEqual([before['/recipe/session/user?userId=ann'], before['/users?limit=100']]);
  });

  test('goes on where a kill -9 left it, whenever that was; no core starts on it before it is whole', async () => {
    const [dataDir, schema] = [join(temporaryFolder(), 'data'), newSchema()];
    await fillPeople({ engine: 'lmdb', path: dataDir }, PEOPLE);
    const run = (end?: RunOptions['end']): Promise<Ended> =>
      watchword(['copy', '--from', `lmdb:${dataDir}`, '--to', withoutPassword, '--to-schema', schema, '--json'], {
        env: password,
        ...(end && { end }),
      });
    let wasRefused = false;
    for (let kills = 0; kills < KILLS; kills += 1) {
      const at = performance.now() + 250 + 50 * kills;
      const { code } = await run({ when: () => performance.now() > at, signal: 'SIGKILL' });
      if (code === 0) break;
      if (wasRefused || !(await isBegun(schema))) continue;
      expect(await startRefused(schema)).toContain('unfinished copy of another store');
      wasRefused = true;
    }
    expect(wasRefused).toBe(true);
    const { code, stdout, stderr } = await run();
    // All of it may have been done before the last kill.
    if (code === 0) expect(JSON.parse(stdout)).toMatchObject({ entries: PEOPLE * 4 });
    else expect(stderr).toMatch(/is not empty: it holds a store\n$/);
    const plan = postgresPlan();
    const store = await openStore(plan ? { ...plan, schema } : { engine: 'memory' });
    expect(await store.read((reader) => reader.count(people, undefined, { prefix: [1] }))).toBe(PEOPLE);
    await store.close();
  });

  test('says that it was stopped, and goes on', async () => {
    const folder = temporaryFolder();
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    await fillPeople({ engine: 'lmdb', path: from }, PEOPLE);
    const words = ['copy', '--from', `lmdb:${from}`, '--to', `lmdb:${to}`];
    const stopped = await watchword(words, { end: { when: () => existsSync(join(to, 'data.mdb')), signal: 'SIGINT' } });
    expect([stopped.code, stopped.stderr]).toEqual([1, 'watchword copy: stopped; the same command goes on from here\n']);
    const { code, stdout } = await watchword(words);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^copied entries +20,000\n/)]);
  });

  test('nobody can write to a source while it is copied, and a copy that loses its lock fails', async () => {
    const from = postgresPlan();
    if (!from) return;
    await fillPeople(from, PEOPLE);
    const writer = new Client(url);
    await writer.connect();
    let refused = '';
    const meanwhile = async (act: (client: Client) => Promise<unknown>): Promise<string> => {
      let acting: Promise<unknown> | undefined;
      // At its first piece, of many.
      const progress = (): void => void (acting ??= act(writer).catch((error: Error) => (refused = error.message)));
      const watch = { progress, signal: new AbortController().signal, collections: [] };
      const outcome = await copyStore(from, { engine: 'lmdb', path: temporaryFolder() }, watch).then(
        () => 'done',
        (error: Error) => error.message,
      );
      await acting;
      return outcome;
    };
    await writer.query('SET lock_timeout = 1');
    expect(await meanwhile((client) => client.query(`DELETE FROM "${from.schema}".kv`))).toBe('done');
    expect(refused).toContain('lock timeout');
    const terminate = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'ShareLock' AND relation = $1::regclass";
    expect(await meanwhile((client) => client.query(terminate, [`"${from.schema}".kv`]))).not.toBe('done');
    await writer.end();
  });

  test.each([
    ['no places', [], 'Name both places: --from and --to'],
    ['a place that is none', ['--from', 'mysql:x', '--to', 'lmdb:/x'], '--from must be lmdb:DIR or postgres://'],
    ['a password that others would see', ['--from', 'lmdb:/x', '--to', url], '--to holds a password, which everybody'],
  ])('%s: 64 and one line', async (_, words, text) => {
    const { code, stdout, stderr } = await watchword(['copy', ...words]);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('secret');
  });

  test('a source with a core on it, a target that holds a store, and nobody there: 1 and one line', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    await start({ dataDir });
    const used = await copy(`lmdb:${dataDir}`, withoutPassword, ['--to-schema', newSchema()]);
    expect([used.code, used.stderr]).toEqual([
      1,
      expect.stringMatching(/^watchword copy: .* is in use by process \d+: stop what uses it first\n$/),
    ]);
    const schema = newSchema();
    const node = await start({ schema });
    const busy = await copy(withoutPassword, `lmdb:${join(temporaryFolder(), 'x')}`, ['--from-schema', schema]);
    expect(busy.stderr).toMatch(/^watchword copy: .*, schema copy_\S+ is in use: \d+ connections of nodes are open\. Stop them first\n$/);
    await stop(node);
    const full = await copy(withoutPassword, withoutPassword, ['--from-schema', schema, '--to-schema', schema]);
    expect(full.stderr).toMatch(/is not empty: it holds a store\n$/);
    const nobody = await copy(`lmdb:${dataDir}x`, 'postgres://u@127.0.0.1:9/d');
    expect(nobody.stderr).toContain('There is no store in');
    const wrong = await watchword(['copy', '--from', withoutPassword, '--to', `lmdb:${join(temporaryFolder(), 'y')}`], {
      env: { PGPASSWORD: 'wrong' },
    });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('password authentication failed')]);
  });
});

async function fillPeople(plan: StorePlan, count: number): Promise<void> {
  const store = await openStore(plan);
  for (let at = 0; at < count; at += 1000)
    await store.transact(async (tx) => {
      for (let number = at; number < at + 1000; number += 1)
        await tx.insert(people, person(`p${number}`, { email: `${number}@example.com`, tags: ['x'.repeat(200)] }));
    });
  await store.close();
}

async function isBegun(schema: string): Promise<boolean> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(`SELECT 1 FROM "${schema}".kv LIMIT 1`)).rows.length > 0;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function startRefused(schema: string): Promise<string> {
  const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_SCHEMA: schema };
  const { code, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
}
