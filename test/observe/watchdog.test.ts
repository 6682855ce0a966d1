import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { Pulse, type Stage } from '../../src/observe/pulse.ts';
import { Watchdog } from '../../src/observe/watchdog.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';

const WORD = 'hang-on-this-word';
/** What is waited for comes after some ten seconds; a machine under load may take longer. */
const PATIENCE = { timeout: 40_000, interval: 100 };
const TEST_LIMIT = { timeout: 120_000 };

/** The start of the last core: several that start at once take each other's time. */
const starting: { last: Promise<unknown> } = { last: Promise.resolve() };

/** A core that hangs as `provoked-hang.cjs` says; it and its folder are gone when the test ends. */
async function startHanging(
  { onTestFinished }: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly core: RunningCore; readonly client: CdiClient }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-watchdog-'));
  const preload = join(PROJECT_ROOT, 'test', 'observe', 'provoked-hang.cjs');
  const start = (): Promise<RunningCore> =>
    startCore({
      dataDir,
      faultsExpected: true,
      env: { NODE_OPTIONS: `--require ${preload}`, HANG_WORD: WORD, BULK_IMPORT_DELAY_MS: '0', HTTP_THREADS: '1', ...env },
    });
  const started = starting.last.then(start, start);
  starting.last = started;
  const core = await started;
  onTestFinished(async () => {
    await core.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { core, client: cdiClient(core.url) };
}

const signUp = (client: CdiClient, email: string) => client.post('/recipe/signup', { email, password: 'correct horse battery' });

/** The log line of the end, once the core has ended. */
async function endOf(core: RunningCore): Promise<Readonly<Record<string, unknown>>> {
  await vi.waitFor(() => expect(core.alive()).toBe(false), PATIENCE);
  const line =
    core
      .output()
      .split('\n')
      .find((each) => each.includes('does not go on')) ?? '{}';
  return JSON.parse(line) as Readonly<Record<string, unknown>>;
}

describe.concurrent('a thread that does not go on', () => {
  test('in a request: the process ends and names its route, and nothing acknowledged is lost', TEST_LIMIT, async (context) => {
    const { core, client } = await startHanging(context, { HANG_THREAD: 'http-' });
    expect((await signUp(client, 'kept@example.com')).body['status']).toBe('OK');
    await expect(client.put('/recipe/user/metadata', { userId: 'u', metadataUpdate: { a: WORD } })).rejects.toThrow();
    expect(await endOf(core)).toMatchObject({ level: 'error', thread: 'main', hangs: 'http-0', in: 'PUT /recipe/user/metadata' });
    const again = await startCore({ dataDir: core.dataDir });
    expect((await signUp(cdiClient(again.url), 'kept@example.com')).body).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    await again.stop();
  });

  test('in a job: the process ends and names the job', TEST_LIMIT, async (context) => {
    const { core, client } = await startHanging(context, { HANG_THREAD: 'jobs' });
    const users = [{ loginMethods: [{ recipeId: 'thirdparty', email: 'a@example.com', thirdPartyId: 'x', thirdPartyUserId: WORD }] }];
    expect((await client.post('/bulk-import/users', { users })).status).toBe(200);
    expect(await endOf(core)).toMatchObject({ hangs: 'jobs', in: 'bulk-import' });
  });

  test('main itself: its threads end the process', TEST_LIMIT, async (context) => {
    const file = join(mkdtempSync(join(tmpdir(), 'watchword-hang-')), 'hang');
    context.onTestFinished(() => rmSync(join(file, '..'), { recursive: true, force: true }));
    const { core } = await startHanging(context, { HANG_THREAD: 'main', HANG_FILE: file });
    writeFileSync(file, '');
    expect(await endOf(core)).toMatchObject({ level: 'error', msg: 'the main thread does not go on, ending the process' });
  });
});

describe.concurrent('what is no such case', () => {
  test('a thread that is slow, and a process that was stopped as a whole, go on', TEST_LIMIT, async (context) => {
    const { core, client } = await startHanging(context, { HANG_THREAD: 'http-', HANG_MS: '3000' });
    expect((await client.put('/recipe/user/metadata', { userId: 'u', metadataUpdate: { a: WORD } })).status).toBe(200);
    process.kill(core.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 13_000));
    process.kill(core.pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await signUp(client, 'after@example.com')).body['status']).toBe('OK');
    expect(core.output()).not.toContain('does not go on');
  });
});

describe('the turns', () => {
  const own = (): Pulse => new Pulse(Pulse.allocate());

  function watchdogOver(stage: Stage) {
    const pulse = own();
    pulse.stage = stage;
    const hanging: string[] = [];
    const watchdog = new Watchdog(own(), (name) => hanging.push(name));
    const forget = watchdog.watch('watched', pulse);
    const turns = (count: number, between: () => void = () => {}): void => {
      for (let turn = 0; turn < count; turn += 1) {
        between();
        watchdog.turn();
      }
    };
    return { pulse, hanging, forget, turns };
  }

  test('a thread that beats at least once in ten is alive, one that does not is told of once', () => {
    const { pulse, hanging, turns } = watchdogOver('running');
    for (let rounds = 0; rounds < 5; rounds += 1) {
      pulse.beat();
      turns(10);
    }
    expect(hanging).toEqual([]);
    turns(30);
    expect(hanging).toEqual(['watched']);
  });

  test('a thread that is so busy that it has no turns of its own is alive', () => {
    const { pulse, hanging, turns } = watchdogOver('running');
    for (let rounds = 0; rounds < 5; rounds += 1) {
      pulse.begin(1);
      turns(9);
      pulse.end(1);
      turns(9);
    }
    expect(hanging).toEqual([]);
  });

  test('who begins or ends has longer, but not for ever, whether it beats or not', () => {
    for (const [stage, most] of [
      ['starting', 120],
      ['ending', 30],
    ] as const) {
      const { pulse, hanging, turns } = watchdogOver(stage);
      turns(most, () => pulse.beat());
      expect(hanging).toEqual([]);
      turns(1);
      expect(hanging).toEqual(['watched']);
    }
  });

  test('who is gone misses nothing', () => {
    const { hanging, turns, forget } = watchdogOver('gone');
    turns(500);
    expect(hanging).toEqual([]);
    forget();
    const ended = watchdogOver('running');
    ended.turns(5);
    ended.forget();
    ended.turns(500);
    expect(ended.hanging).toEqual([]);
  });

  test('what is under way is told with the last begun first', () => {
    const pulse = own();
    for (const work of [7, 3, 5, 3]) pulse.begin(work);
    pulse.end(3);
    expect(pulse.underWay()).toEqual([3, 5, 7]);
    pulse.end(3);
    expect(pulse.underWay()).toEqual([5, 7]);
  });
});
