import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { smallDisk } from '../small-disk.ts';

const DISK_MIB = 48;
const READERS = 4;
const WRITERS = 4;
const UPLOADED_USERS = 10_000;
const PATIENCE_MS = 40_000;
const HASH = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';

type Json = { readonly [name: string]: unknown };

/** Status 0 where there was no answer. */
async function ask(
  core: RunningCore,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly json: Json }> {
  try {
    const response = await fetch(core.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'cdi-version': '5.3' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: response.status === 200 ? (JSON.parse(text) as Json) : {} };
  } catch {
    return { status: 0, json: {} };
  }
}

const imported = (n: number): object => ({
  loginMethods: [{ recipeId: 'emailpassword', email: `u${n}@example.com`, passwordHash: HASH, hashingAlgorithm: 'bcrypt' }],
  userMetadata: { about: 'x'.repeat(300) },
});

/** Writes new metadata of 8 KiB under one user id after the other until told to stop; keeps what was acknowledged. */
class Writer {
  readonly acknowledged = new Map<string, string>();
  readonly statuses: number[] = [];
  isStopped = false;

  readonly #core: RunningCore;

  constructor(core: RunningCore) {
    this.#core = core;
  }

  async run(name: string): Promise<void> {
    for (let n = 0; !this.isStopped; n++) {
      const [userId, mark] = [`${name}-${n}`, `${name} ${n}`];
      const { status } = await ask(this.#core, 'PUT', '/recipe/user/metadata', {
        userId,
        metadataUpdate: { mark, filler: 'x'.repeat(8192) },
      });
      this.statuses.push(status);
      if (status === 200) this.acknowledged.set(userId, mark);
      await later(10);
    }
  }
}

/** Verifies one session over and over, with the store. */
async function read(core: RunningCore, accessToken: string, statuses: Map<number, number>, isStopped: () => boolean): Promise<void> {
  const body = { accessToken, enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: true };
  while (!isStopped()) {
    const { status, json } = await ask(core, 'POST', '/recipe/session/verify', body);
    const seen = status === 200 && json['status'] !== 'OK' ? -1 : status;
    statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
    await later(2);
  }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) {
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(size, 1));
      } catch {
        // No room for so much: less may still fit.
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

async function restarts(core: RunningCore): Promise<number[]> {
  const text = await (await fetch(`${core.url}/metrics`)).text();
  return Array.from(text.matchAll(/^watchword_(?:http|jobs)_thread_restarts_total (\d+)$/gm), ([, count]) => Number(count));
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await condition()); await later(20)) if (Date.now() > end) throw new Error('waited in vain');
}

test.each(['tmpfs', 'ext4'] as const)(
  'a disk that is full (%s): reads go on, writes are refused and lost by nobody, all goes on with room',
  {
    timeout: 120_000,
  },
  async (kind) => {
    const disk = smallDisk(kind, DISK_MIB);
    if (!disk) return;
    // Its log is on the same disk.
    const logs = { INFO_LOG_PATH: join(disk.path, 'info.log'), ERROR_LOG_PATH: join(disk.path, 'error.log') };
    const env = { ...logs, BULK_IMPORT_DELAY_MS: '0', BULK_MIGRATION_SLEEP_BETWEEN_ROUNDS_IN_BATCH_MS: '0' };
    const core = await startCore({ dataDir: join(disk.path, 'data'), within: disk.within, env, faultsExpected: true });
    let code: number | null;
    try {
      const session = { userId: 'u', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
      const created = (await ask(core, 'POST', '/recipe/session', session)).json['accessToken'] as { token: string };
      const reads = new Map<number, number>();
      const writer = new Writer(core);
      const readers = Array.from({ length: READERS }, () => read(core, created.token, reads, () => writer.isStopped));
      const writers = Array.from({ length: WRITERS }, (_, n) => writer.run(`writer${n}`));
      await until(() => writer.acknowledged.size > 20);
      // The jobs thread has users to import when the disk is filled.
      const few = Array.from({ length: 500 }, (_, n) => imported(n));
      expect((await ask(core, 'POST', '/bulk-import/users', { users: few })).status).toBe(200);

      const filler = join('/proc', String(core.pid), 'root', disk.path, 'filler');
      fill(filler);
      await until(() => writer.statuses.filter((status) => status === 500).length > 50);
      const many = Array.from({ length: UPLOADED_USERS }, (_, n) => imported(n + few.length));
      expect((await ask(core, 'POST', '/bulk-import/users', { users: many })).status).toBe(500);
      await later(1000);

      rmSync(filler);
      const before = writer.acknowledged.size;
      await until(() => writer.acknowledged.size > before + 20);
      writer.isStopped = true;
      await Promise.all([...readers, ...writers]);

      expect([...reads.keys()]).toEqual([200]);
      expect(new Set(writer.statuses)).toEqual(new Set([200, 500]));
      expect(await restarts(core)).toEqual([0, 0]);
      for (const [userId, mark] of writer.acknowledged) {
        const { json } = await ask(core, 'GET', `/recipe/user/metadata?userId=${userId}`);
        expect(json['metadata']).toMatchObject({ mark });
      }
      // What the jobs thread could not keep, it does now.
      await until(async () => (await ask(core, 'GET', '/bulk-import/users/count')).json['count'] === 0);
      expect((await ask(core, 'GET', '/users/count')).json['count']).toBe(few.length);
    } finally {
      code = await core.stop();
    }
    expect(code).toBe(0);
  },
);

/** Of this size no file may become, which the database meets in the middle of a commit. */
const LARGEST_FILE_BLOCKS = 4000;

test.skipIf(process.platform === 'win32')(
  'a commit that the system refuses: the thread that made it lives on, and so does main',
  { timeout: 60_000 },
  async () => {
    const within = ['sh', '-c', `ulimit -f ${LARGEST_FILE_BLOCKS}; exec "$0" "$@"`];
    const core = await startCore({ within, env: { HTTP_THREADS: '1' }, faultsExpected: true });
    try {
      const put = (n: number): Promise<{ readonly status: number }> =>
        ask(core, 'PUT', '/recipe/user/metadata', { userId: `u${n}`, metadataUpdate: { filler: 'x'.repeat(8192) } });
      const kept: number[] = [];
      const refused: number[] = [];
      for (let n = 0; refused.length < 5; n++) {
        const { status } = await put(n);
        if (status === 200) kept.push(n);
        else refused.push(status);
      }
      expect(refused).toEqual([500, 500, 500, 500, 500]);
      const users = Array.from({ length: UPLOADED_USERS }, (_, n) => imported(n));
      expect((await ask(core, 'POST', '/bulk-import/users', { users })).status).toBe(500);
      for (const n of kept) expect((await ask(core, 'GET', `/recipe/user/metadata?userId=u${n}`)).json['status']).toBe('OK');
      expect(await restarts(core)).toEqual([0, 0]);
    } finally {
      await core.stop();
    }
  },
);
