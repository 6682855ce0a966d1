// A PostgreSQL of our own on loopback, with the durability it comes with: its own folder, its own port, gone at the end.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, end, track } from './core.mjs';

const PACKAGED = '/usr/lib/postgresql';
const START_LIMIT_MS = 20_000;
const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200', shared_buffers: '512MB' };

/** Where the programs of the server are. @throws where there are none */
export function programs() {
  const packaged = existsSync(PACKAGED) ? readdirSync(PACKAGED).map((version) => join(PACKAGED, version, 'bin')) : [];
  const folders = [...packaged.toReversed(), ...(process.env.PATH ?? '').split(':')];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (!found) throw new Error('PostgreSQL is not installed');
  return found;
}

/** It refuses to run as root. */
function user() {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })));
  return { uid, gid };
}

/** @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>} */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-bench-postgres-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [bin, as, data] = [programs(), user(), join(folder, 'data')];
  mkdirSync(data);
  if (as.uid !== undefined) for (const one of [folder, data]) chownSync(one, as.uid, as.gid);
  const password = join(folder, 'password');
  writeFileSync(password, 'secret\n');
  const made = ['-D', data, '-U', 'watchword', '-A', 'scram-sha-256', '--pwfile', password, '-E', 'UTF8'];
  execFileSync(join(bin, 'initdb'), made, { ...as, stdio: 'ignore', cwd: '/' });
  const { freePort } = await built('http/probe-port.js');
  const port = await freePort('127.0.0.1');
  const flags = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = track(spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...as, stdio: 'ignore', cwd: '/' }));
  const isReady = () => {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  for (const until = performance.now() + START_LIMIT_MS; !isReady(); await new Promise((done) => setTimeout(done, 100))) {
    if (performance.now() > until || server.exitCode !== null) throw new Error('PostgreSQL did not start');
  }
  return { url: `postgres://watchword:secret@127.0.0.1:${port}/postgres`, pid: server.pid, stop: () => end(server) };
}
