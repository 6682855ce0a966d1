import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ConnectionLimit, mostConnections, openFilesLimit } from '../../src/http/connection-limit.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { PROJECT_ROOT, startCore } from '../running-core.ts';

const canLimit = existsSync('/proc/self/limits');
/** Two HTTP threads need 608; what is left are 156 connections. */
const OPEN_FILES = 700;
const CONNECTIONS = 1_300;

const hello = (url: string): Promise<string> => fetch(`${url}/hello`).then((response) => response.text());

describe('the room that the limit of open files leaves for connections', () => {
  test('grows with the limit, shrinks with threads, and has a least size', () => {
    expect(mostConnections(undefined, 4)).toBe(Number.MAX_SAFE_INTEGER);
    expect(mostConnections(20_000, 2)).toBe(19_456);
    expect(mostConnections(20_000, 4)).toBe(19_136);
    expect(mostConnections(448, 1)).toBe(64);
    expect(() => mostConnections(447, 1)).toThrow('only 447 files may be open, but one HTTP thread needs 448 ("ulimit -n", LimitNOFILE)');
    expect(() => mostConnections(1024, 8)).toThrow('only 1024 files may be open, but 8 HTTP threads need 1568');
  });

  test('is read from the system', () => {
    if (canLimit) expect(openFilesLimit()).toBeGreaterThan(0);
    else expect(openFilesLimit()).toBeUndefined();
  });

  test('is shared by all threads; a thread that ends gives back what it had', () => {
    const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    let full = 0;
    const [one, other] = [1, 2].map(() => new ConnectionLimit(memory, 3, () => (full += 1)));
    if (!one || !other) throw new Error('no limits');
    expect([one.opened(), other.opened(), one.opened(), other.opened(), other.opened()]).toEqual([true, true, true, false, false]);
    expect(full).toBe(1);
    other.closed();
    other.closed();
    expect(one.opened()).toBe(false);
    one.end();
    expect([other.opened(), other.opened(), other.opened()]).toEqual([true, true, false]);
  });
});

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  test('more connections than files, right after the ready line, end neither the process nor a thread', async () => {
    if (!canLimit) {
      console.log('the limit of open files is neither set nor read here: not tested');
      return;
    }
    const core = await startCore({ env: { HTTP_ENGINE: engine }, openFiles: OPEN_FILES });
    try {
      const sockets: Socket[] = Array.from({ length: CONNECTIONS }, () =>
        connect(core.port, '127.0.0.1')
          .on('error', () => {})
          .resume(),
      );
      const isDecided = (): boolean => sockets.filter(({ destroyed }) => destroyed).length >= CONNECTIONS - 160;
      for (const end = Date.now() + 15_000; !isDecided() && Date.now() < end; await later(20));
      expect(isDecided()).toBe(true);
      // The thread for jobs was started beside them.
      await later(1_500);
      expect(core.alive()).toBe(true);
      for (const socket of sockets) socket.destroy();
      for (const end = Date.now() + 10_000; Date.now() < end; await later(50)) if ((await hello(core.url).catch(() => '')) !== '') break;
      expect(await hello(core.url)).toBe('Hello\n');
      // Nothing of this was loaded before: a lane, the description of the interface, the metrics.
      const body = JSON.stringify({ email: 'a@example.com', password: 'correct-horse-1' });
      expect((await fetch(`${core.url}/recipe/signup`, { method: 'POST', body })).status).toBe(200);
      expect((await fetch(`${core.url}/openapi.json`)).status).toBe(200);
      const metrics = await (await fetch(`${core.url}/metrics`)).text();
      expect(metrics).toMatch(/^watchword_http_thread_restarts_total 0$/m);
      expect(metrics).toMatch(/^watchword_jobs_thread_restarts_total 0$/m);
      expect(core.output()).toContain('connections are refused');
    } finally {
      await core.stop();
    }
  }, 60_000);
});

test('a limit under which nothing could be served is said in one line', async () => {
  if (!canLimit) {
    console.log('the limit of open files is neither set nor read here: not tested');
    return;
  }
  await expect(startCore({ openFiles: 300 })).rejects.toThrow(
    /^the core ended \(1\):\nWatchword cannot start: only 300 files may be open, but 2 HTTP threads need 608 \("ulimit -n", LimitNOFILE\)\n$/,
  );
});

test('a line is logged where no file can be opened any more, not even those of the library that writes lines', () => {
  if (!canLimit) {
    console.log('the limit of open files is neither set nor read here: not tested');
    return;
  }
  const program = `
    import { openSync } from 'node:fs';
    import { openLog } from ${JSON.stringify(join(PROJECT_ROOT, 'dist', 'src', 'observe', 'log.js'))};
    const log = openLog({ level: 'INFO', infoPath: null, errorPath: null, thread: 'main' });
    try { for (;;) openSync('/dev/null'); } catch {}
    log.debug('not wanted');
    log.info('first');
    log.error({ err: new Error('the cause'), reason: 'why' }, 'second');
  `;
  const command = [process.execPath, '--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -n 100; exec "$0" "$@"', ...command], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ level: 'info', thread: 'main', msg: 'first' });
  expect(JSON.parse(stderr)).toMatchObject({ level: 'error', msg: 'second', reason: 'why', err: { message: 'the cause' } });
});
