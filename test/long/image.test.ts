import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/http/probe-port.ts';
import { CONFORMANCE_ENV, isConformancePresent, isDecided, PENDING, playConformance, RUN_LIMIT_MS } from '../conformance/play.ts';
import { PROJECT_ROOT } from '../running-core.ts';
import { IMAGE } from './dockerfile.ts';

/*
 * The steps of the Dockerfile, as far as they run without a container engine: the files of the image are put together by the script that the Dockerfile
 * calls, and what it starts is started in them alone, as the user of the image, in namespaces of its own.
 */

const run = promisify(execFile);
const MOST_COMPRESSED_BYTES = 60_000_000;

/** Process ids; none once it has ended. */
function childrenOf(pid: number | undefined): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

const canEnter = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
const canStrip = spawnSync('strip', ['--version']).status === 0;
const missing = canEnter && canStrip ? undefined : canStrip ? 'root, who may make namespaces' : 'strip (binutils)';

test('bases are named by digest', () => {
  for (const base of IMAGE.bases) expect(base).toMatch(/^scratch$|@sha256:[0-9a-f]{64}$/);
});

if (missing !== undefined) {
  test('the image', () => console.log(`not tested here: the steps of the Dockerfile, for want of ${missing}`));
} else {
  describe('the image', () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchword-image-'));
    const root = join(folder, 'image');

    beforeAll(async () => {
      // As in a checkout that was made so that nobody else may read it; and with no program but strip, since that of musl called ldd fails on native packages.
      const make = 'umask 077 && PATH="$1/path" && exec "$0" scripts/make-image.mjs "$1/image"';
      mkdirSync(join(folder, 'path'));
      symlinkSync(spawnSync('which', ['strip'], { encoding: 'utf8' }).stdout.trim(), join(folder, 'path/strip'));
      await run('sh', ['-c', make, process.execPath, folder], { cwd: PROJECT_ROOT });
      for (const path of [folder, root]) chmodSync(path, 0o755);
      for (const name of ['data', 'tmp', 'proc', 'dev']) mkdirSync(join(root, name));
      const [uid = 0, gid = 0] = IMAGE.user.split(':').map(Number);
      chownSync(join(root, 'data'), uid, gid);
    }, 120_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** A container: a process in the image, with `proc` and `dev` as an engine would mount them, which see only its own processes. */
    const inside = (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const mounts = `mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && cd / && exec env -i "$@"`;
      const variables = Object.entries({ ...IMAGE.env, ...env }).map(([name, value]) => `${name}=${value}`);
      const program = [spawnSync('which', ['chroot'], { encoding: 'utf8' }).stdout.trim(), `--userspec=${IMAGE.user}`, root, ...words];
      const flags = ['--mount', '--pid', '--fork', '--kill-child'];
      return spawn('unshare', [...flags, 'sh', '-c', mounts, root, ...variables, ...program], { stdio: ['ignore', 'pipe', 'pipe'] });
    };

    test('has at most 60 MB, compressed', async () => {
      const { stdout } = await run('sh', ['-c', `tar -C "$0" -cf - usr lib* app | gzip -6 | wc -c`, root]);
      console.log(`the image: ${(Number(stdout) / 1e6).toFixed(1)} MB compressed`);
      expect(Number(stdout)).toBeLessThan(MOST_COMPRESSED_BYTES);
    });

    test('can be read by its user, and written by nobody', () => {
      for (const entry of readdirSync(join(root, 'app'), { recursive: true, withFileTypes: true })) {
        const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
        expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o755 : 0o644]);
      }
    });

    test('runs a command in the place of the core', async () => {
      const child = inside([...IMAGE.entrypoint, 'version']);
      let written = '';
      child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
      expect((await once(child, 'close'))[0]).toBe(0);
      expect(written).toMatch(/^\d+\.\d+\.\d+\n$/);
    });

    test('does not serve everybody: without API keys it refuses to start', async () => {
      const core = inside(IMAGE.entrypoint);
      let written = '';
      core.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
      expect([(await once(core, 'close'))[0], written]).toEqual([1, expect.stringContaining("'api_keys' must be set")]);
    });

    test('serves what the project serves, is healthy on whatever port, and stops in order', {
      timeout: RUN_LIMIT_MS + 60_000,
    }, async () => {
      const port = await freePort('127.0.0.1');
      const flags = ['--port', String(port), '--host', '127.0.0.1'];
      const core = inside([...IMAGE.entrypoint, ...flags], { ...CONFORMANCE_ENV, BCRYPT_LOG_ROUNDS: '4' });
      const closed = once(core, 'close');
      let written = '';
      for (const stream of [core.stdout, core.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
      try {
        await new Promise<void>((resolve, reject) => {
          core.stdout.on('data', () => written.includes('Started Watchword') && resolve());
          void closed.then(() => reject(new Error(written)));
        });
        const [first = 0] = childrenOf(core.pid);
        const [uid = '', gid = ''] = IMAGE.user.split(':');
        const entering = ['--target', String(first), '--mount', '--pid', '--root', '--setuid', uid, '--setgid', gid];
        const health = await run('nsenter', [...entering, ...IMAGE.healthcheck], { env: { PATH: process.env['PATH'], ...IMAGE.env } });
        expect(health.stderr).toBe('');
        for (const path of ['/openapi.json', '/docs', '/docs/reference.css'])
          expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
        if (isConformancePresent()) {
          const failures = await playConformance(`http://127.0.0.1:${port}`);
          expect([...failures].filter(([name, failure]) => failure !== null && !(name in PENDING) && !isDecided(name, failure))).toEqual(
            [],
          );
        }
        process.kill(first, 'SIGTERM');
        expect([(await closed)[0], written]).toEqual([0, expect.stringContaining('Started Watchword')]);
      } finally {
        // The signal that unshare has sent to its child when it dies itself is gone once that changes its user.
        for (const pid of childrenOf(core.pid)) process.kill(pid, 'SIGKILL');
      }
    });
  });
}
