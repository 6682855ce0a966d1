import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* A private PostgreSQL on loopback, for tests: its own folder, its own port, gone at the end. */

const PACKAGED = '/usr/lib/postgresql';
/** Durable enough for tests of everything but power cuts, which no test here makes. */
const SETTINGS = {
  fsync: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  unix_socket_directories: '',
  log_min_messages: 'fatal',
};
const START_LIMIT_MS = 20_000;

/** Where the server's programs are; undefined where there are none. */
export function findPostgres(): string | undefined {
  const packaged = existsSync(PACKAGED) ? readdirSync(PACKAGED).map((version) => join(PACKAGED, version, 'bin')) : [];
  const onPath = (process.env['PATH'] ?? '').split(':');
  return [...packaged.toReversed(), ...onPath].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** A server that runs. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Ends it as its operator would, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Stops all of its processes where they are. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** It refuses to run as root. */
export const user = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Makes a database cluster and starts it. @param settings further ones, or others */
export async function startPostgres(bin: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'watchword-postgres-'));
  const [data, as] = [join(root, 'data'), user()];
  mkdirSync(data);
  if (as.uid !== undefined && as.gid !== undefined) for (const folder of [root, data]) chownSync(folder, as.uid, as.gid);
  const password = join(root, 'password');
  writeFileSync(password, 'secret\n', { mode: 0o644 });
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'watchword', '-A', 'scram-sha-256', '--pwfile', password, '-E', 'UTF8', '--no-sync'],
    { ...as, stdio: 'ignore', cwd: '/' },
  );
  const port = await freePort();
  const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let running = launch(bin, data, flags, as);
  const ready = () => answers(bin, port, running);
  const end = async (): Promise<void> => {
    running.process.kill('SIGINT');
    await running.ended;
  };
  const stop = async (): Promise<void> => {
    await end();
    rmSync(root, { recursive: true, force: true });
  };
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of [running.process.pid ?? 0, ...childrenOf(running.process.pid ?? 0)]) process.kill(pid, name);
  };
  try {
    await ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://watchword:secret@127.0.0.1:${port}/postgres`,
    port,
    restart: async () => {
      await end();
      running = launch(bin, data, flags, as);
      await ready();
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop,
  };
}

interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly said: () => string;
}

function launch(bin: string, data: string, flags: readonly string[], as: ReturnType<typeof user>): Running {
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...as, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { process: server, ended: new Promise((resolve) => server.once('exit', () => resolve())), said: () => said };
}

/** The processes that serve connections, and those beside them. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

async function answers(bin: string, port: number, { process: server, said }: Running): Promise<void> {
  for (const end = performance.now() + START_LIMIT_MS; performance.now() < end && server.exitCode === null; ) {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`PostgreSQL did not start: ${said()}`);
}
