import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  /** Its processes see file systems under here that others do not. */
  readonly pid: () => number;
  /** Ends it as its operator would, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends it as its operator would; `start` starts it again on the same port. */
  end(): Promise<void>;
  start(): Promise<void>;
  /** Stops all of its processes where they are. */
  freeze(): void;
  thaw(): void;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Another server that follows this one. */
  follow(settings: Readonly<Record<string, string>>): Promise<PostgresServer>;
  /** Ends it, where it still runs, and removes its folder. */
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

type User = ReturnType<typeof user>;

/** How a server is made and run. */
export interface ServerOptions {
  /** Further settings, or others. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A command that becomes the server: it ends by executing the words that stand behind its own. */
  readonly within?: readonly string[];
}

/** A folder of the server's user. */
function makeFolder(as: User): string {
  const root = mkdtempSync(join(tmpdir(), 'watchword-postgres-'));
  if (as.uid !== undefined && as.gid !== undefined) chownSync(root, as.uid, as.gid);
  return root;
}

/** Makes a database cluster and starts it. */
export async function startPostgres(bin: string, options: ServerOptions = {}): Promise<PostgresServer> {
  const as = user();
  const root = makeFolder(as);
  const password = join(root, 'password');
  writeFileSync(password, 'secret\n', { mode: 0o644 });
  const words = ['-U', 'watchword', '-A', 'scram-sha-256', '--pwfile', password, '-E', 'UTF8', '--no-sync'];
  execFileSync(join(bin, 'initdb'), ['-D', join(root, 'data'), ...words], { ...as, stdio: 'ignore', cwd: '/' });
  return run(bin, root, as, options);
}

/** Starts the cluster that stands in a folder. */
async function run(bin: string, root: string, as: User, { settings, within = [] }: ServerOptions): Promise<PostgresServer> {
  const port = await freePort();
  const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const data = join(root, 'data');
  let running: Running | undefined;
  const pid = (): number => running?.process.pid ?? 0;
  const start = async (): Promise<void> => {
    running = launch(
      [...within, ...(within.length > 0 ? asUser(as) : []), join(bin, 'postgres')],
      data,
      flags,
      within.length > 0 ? {} : as,
    );
    await answers(bin, port, running);
  };
  const end = async (name: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    running?.process.kill(name);
    await running?.ended;
  };
  const signal = (name: NodeJS.Signals): void => {
    for (const one of [pid(), ...childrenOf(pid())]) process.kill(one, name);
  };
  const stop = async (): Promise<void> => {
    await end('SIGQUIT');
    rmSync(root, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `postgres://watchword:secret@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    pid,
    start,
    end,
    stop,
    restart: async () => {
      await end();
      await start();
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill: async () => {
      signal('SIGKILL');
      await running?.ended;
    },
    follow: async (others) => {
      const folder = makeFolder(as);
      execFileSync(join(bin, 'pg_basebackup'), ['-d', url, '-D', join(folder, 'data'), '-R', '-c', 'fast', '--no-sync'], {
        ...as,
        stdio: 'ignore',
        cwd: '/',
      });
      return run(bin, folder, as, { settings: others });
    },
  };
}

/** What makes a program that root starts that of the server's user. */
function asUser({ uid, gid }: User): readonly string[] {
  return uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly said: () => string;
}

function launch([program = '', ...words]: readonly string[], data: string, flags: readonly string[], as: User): Running {
  const server = spawn(program, [...words, '-D', data, ...flags], { ...as, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
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

/** Runs one statement as somebody else would; answers what it shows, a line for each row. */
export async function sql(url: string, text: string): Promise<string> {
  const env = { ...process.env, PGOPTIONS: '-c default_transaction_read_only=off' };
  const { stdout } = await promisify(execFile)(join(findPostgres() ?? '', 'psql'), [url, '-qAt', '-c', text], { env });
  return stdout.trim();
}
