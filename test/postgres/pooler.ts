import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, user } from './server.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const START_LIMIT_MS = 10_000;

/** Whether Debian's pgbouncer is installed. */
export const hasPooler = (): boolean => existsSync(PROGRAM);

/** A pooler by transactions before a database. */
export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one with few connections, so that statements of all clients meet on each. @param url of the database */
export async function startPooler(url: string): Promise<Pooler> {
  const { hostname, port, pathname, username, password } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'watchword-pooler-'));
  const ownPort = await freePort();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${ownPort}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${join(folder, 'users.txt')}`,
      'pool_mode = transaction',
      'default_pool_size = 4',
      'max_client_conn = 200',
    ].join('\n'),
  );
  const pooler = spawn(PROGRAM, ['-q', join(folder, 'pgbouncer.ini')], { ...user(), stdio: 'ignore', cwd: '/' });
  const ended = new Promise<void>((resolve) => pooler.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    pooler.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (const end = performance.now() + START_LIMIT_MS; !(await listens(ownPort)); ) {
    if (performance.now() > end || pooler.exitCode !== null) {
      await stop();
      throw new Error('pgbouncer did not start');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url: `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`, stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
