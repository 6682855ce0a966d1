import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCuttingProxy } from '../../postgres/cutting-proxy.ts';
import { PROJECT_ROOT } from '../../running-core.ts';
import { smallDisk } from '../../small-disk.ts';
import { freshFolder, hasReference, migrate, oldConfig, referenceDatabase } from './reference.ts';

const LONG_MS = 120_000;

/** Sessions enough that a move takes some time. */
const MANY_SESSIONS = `INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
  SELECT 'public', 'public', md5('s' || i)::uuid::text, 'somebody', md5('r' || i), 9000000000000, 1, false FROM generate_series(1, 30000) i`;

describe.skipIf(!hasReference)('what breaks on the way is told in one line, and the same command goes on', { timeout: LONG_MS }, () => {
  test('a connection that is lost', async () => {
    const source = referenceDatabase();
    source.sql(MANY_SESSIONS);
    const { port } = new URL(source.url);
    const proxy = await openCuttingProxy(Number(port));
    const through = source.url.replace(`:${port}/`, `:${proxy.port}/`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const cutting = setInterval(() => proxy.cutSome(), 400);
    const { code, stderr } = await migrate(through, to, config);
    clearInterval(cutting);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^watchword migrate: the database 127.0.0.1:\d+\/moved_\w+ cannot be read: /);
    expect(await migrate(through, to, config, '--finish', '--yes')).toMatchObject({ code: 0 });
    await proxy.close();
  });

  test('a disk that is full', async ({ skip }) => {
    const disk = smallDisk('tmpfs', 14);
    skip(!disk, 'nobody may mount a small disk here');
    if (!disk) return;
    const source = referenceDatabase();
    source.sql(MANY_SESSIONS);
    const config = oldConfig(freshFolder());
    const program = join(PROJECT_ROOT, 'dist', 'src', 'cli.js');
    const [command = '', ...words] = [
      ...disk.within,
      process.execPath,
      program,
      'migrate',
      '--from',
      source.url,
      '--to',
      join(disk.path, 'data'),
      '--config',
      config,
    ];
    const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = await once(child, 'close');
    expect([code, said.trim().split('\n').at(-1)]).toEqual([1, expect.stringContaining('the target keeps nothing more: is its disk full')]);
  });
});
