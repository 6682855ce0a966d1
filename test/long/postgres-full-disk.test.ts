import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { expectTruth, readiness, type RoleWriter, writeRoles } from '../postgres/role-writer.ts';
import { findPostgres, sql, startPostgres } from '../postgres/server.ts';
import { startCore } from '../running-core.ts';
import { smallDisk } from '../small-disk.ts';

const bin = findPostgres();
const DISK_MIB = 48;

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

/** Waits until more of what is answered is so. */
async function more(writer: RoleWriter, kind: 'kept' | 'refused', least: number): Promise<void> {
  const before = writer.written[kind].length;
  await expect.poll(() => writer.written[kind].length, { timeout: 60_000 }).toBeGreaterThan(before + least);
}

/** The tables stand on a file system of their own, the log of the database elsewhere: full, it refuses and goes on. */
test.skipIf(bin === undefined || process.getuid?.() !== 0)(
  'a disk that is full under the tables: writes are refused and lost by nobody, reads go on, all is well with room',
  { timeout: 180_000 },
  async () => {
    const disk = smallDisk('tmpfs', DISK_MIB);
    if (!disk) return;
    // The database runs as somebody else.
    chmodSync(dirname(disk.path), 0o711);
    const server = await startPostgres(bin ?? '', { within: disk.within });
    const seen = join('/proc', String(server.pid()), 'root', disk.path);
    const tables = join(seen, 'tables');
    const { uid, gid } = statSync(join('/proc', String(server.pid())));
    mkdirSync(tables);
    chownSync(tables, uid, gid);
    await sql(server.url, `CREATE TABLESPACE small LOCATION '${join(disk.path, 'tables')}'`);
    await sql(server.url, 'ALTER DATABASE postgres SET default_tablespace = small');
    const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: server.url };
    const core = await startCore({ env, faultsExpected: true });
    const client = cdiClient(core.url);
    try {
      const writer = writeRoles(() => client);
      await more(writer, 'kept', 100);
      fill(join(seen, 'filler'));
      await more(writer, 'refused', 100);
      expect((await client.get('/recipe/roles')).status).toBe(200);
      // Never asks for more than what it had.
      expect(writer.written.unknown).toEqual([]);
      rmSync(join(seen, 'filler'));
      await more(writer, 'kept', 100);
      await writer.stop();
      await rest(100);
      await expectTruth(client, writer.written);
      expect(await readiness(core.url)()).toBe(200);
    } finally {
      await core.stop();
      await server.stop();
    }
  },
);
