import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The project's own folder. */
export const PROJECT_ROOT: string = join(dirname(fileURLToPath(import.meta.url)), '..');

const READY_LINE = /^Started Watchword on (\S+):(\d+) with PID: (\d+)$/m;
const FAULT = /^\{.*"level":"(?:error|fatal)"/;
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;

/** What a test may choose about the core it starts. */
export interface CoreOptions {
  /** Options by their environment names. Nothing else of the caller's environment reaches the core but PATH and the like. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags, such as `--test-mode`. */
  readonly flags?: readonly string[];
  /** An existing data folder, which then survives `stop`; without it a fresh one is made and removed again. */
  readonly dataDir?: string;
  /** For tests that provoke faults: `stop` does not mind them in the log. */
  readonly faultsExpected?: boolean;
  /** How many files it may have open; as the caller where left out. */
  readonly openFiles?: number;
  /** Another build than `dist` of this project. */
  readonly program?: string;
  /** A command that becomes the core: it ends by executing the words that stand behind its own. */
  readonly within?: readonly string[];
}

/** A core of its own process, listening on a free loopback port. */
export interface RunningCore {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** All that it wrote to stdout and stderr so far. */
  output(): string;
  /** True until the process has ended. */
  alive(): boolean;
  /**
   * Ends it in the orderly way (SIGTERM), removes a data folder of ours, and answers the exit code (`null` after a signal).
   * Rejects when the core logged faults meanwhile: whatever a test sends, a fault is a bug, even where the answer looked right.
   */
  stop(): Promise<number | null>;
  /** Ends it as a power cut would (SIGKILL); the data folder stays. */
  kill(): Promise<void>;
  /** Resident memory in bytes, `undefined` where the system has no /proc. */
  residentBytes(): number | undefined;
}

/** Cheap password hashes, and two HTTP threads, so that what one thread must tell the other is tested everywhere. */
const DEFAULT_ENV = { BCRYPT_LOG_ROUNDS: '4', HTTP_THREADS: '2' } as const;

/** Of the caller's environment, only what finding programs and folders needs. */
function inheritedEnv(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot']) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Where the core keeps its records: in its folder, or where this run is on PostgreSQL, in a schema that stands for it. */
function storeEnv(dataDir: string): Record<string, string> {
  if (process.env['TEST_STORE'] !== 'postgres') return {};
  const url = inject('postgresUrl');
  if (url === undefined) throw new Error('PostgreSQL is not installed');
  const schema = `core_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  return { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_SCHEMA: schema, POSTGRES_CONNECTIONS: '16' };
}

/** Starts a core and resolves once it says that it listens; rejects with all its output when it ends or stays silent instead. */
export async function startCore(options: CoreOptions = {}): Promise<RunningCore> {
  const program = options.program ?? join(PROJECT_ROOT, 'dist', 'src', 'main.js');
  if (!existsSync(program)) throw new Error(`${program} is missing: run "npm run build" first`);
  const ours = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'watchword-test-'));
  const preload = join(PROJECT_ROOT, 'scripts', 'thread-pool.cjs');
  const args = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir, ...(options.flags ?? [])];
  const command = [...(options.within ?? []), process.execPath, '--single-threaded-gc', '--require', preload, program, ...args];
  const limited = options.openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${options.openFiles}; exec "$0" "$@"`, ...command];
  const [executable = '', ...rest] = limited;
  const child = spawn(executable, rest, {
    cwd: PROJECT_ROOT,
    env: { ...inheritedEnv(), ...DEFAULT_ENV, ...storeEnv(dataDir), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let written = '';
  const append = (chunk: Buffer): void => {
    written += chunk.toString();
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const removeData = (): void => {
    if (ours) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  const ready = await readyLine(child, () => written).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await exited;
    removeData();
    throw error;
  });
  return {
    ...ready,
    url: `http://127.0.0.1:${ready.port}`,
    dataDir,
    output: () => written,
    alive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      const code = await exited;
      clearTimeout(limit);
      removeData();
      const faults = written.split('\n').filter((line) => FAULT.test(line));
      if (faults.length > 0 && !options.faultsExpected) throw new Error(`the core logged faults:\n${faults.slice(0, 5).join('\n')}`);
      return code;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    residentBytes: () => residentBytes(ready.pid),
  };
}

interface Ready {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
}

function readyLine(child: ChildProcess, written: () => string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const finish = (act: () => void): void => {
      clearTimeout(limit);
      child.stdout?.off('data', look);
      act();
    };
    const limit = setTimeout(() => finish(() => reject(new Error(`the core did not start in time:\n${written()}`))), START_LIMIT_MS);
    const look = (): void => {
      const found = READY_LINE.exec(written());
      if (found) finish(() => resolve({ host: String(found[1]), port: Number(found[2]), pid: Number(found[3]) }));
    };
    child.stdout?.on('data', look);
    child.once('exit', (code, signal) => finish(() => reject(new Error(`the core ended (${code ?? signal}):\n${written()}`))));
  });
}

function residentBytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
