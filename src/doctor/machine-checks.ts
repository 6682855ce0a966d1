import type { Config } from '../config/config.ts';
import { mostConnections } from '../http/connection-limit.ts';
import { note, ok, problem, type Verdict, warning } from './finding.ts';
import type { Machine } from './machine.ts';

/* What the machine is like that a core with this configuration would run on. */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Below this the store takes no writes. */
const NO_ROOM_BYTES = 8 * MIB;
const LITTLE_ROOM_BYTES = GIB;
const LEAST_MEMORY_BYTES = 256 * MIB;
const LITTLE_MEMORY_BYTES = 512 * MIB;
const FEW_CONNECTIONS = 1000;
/** The first moment of a clock that can be right, and one that is far off. */
const [EARLIEST, LATEST] = [Date.UTC(2025, 0), Date.UTC(2100, 0)];
/** Commits, signatures and reads that wait for the disk, of one HTTP thread (scripts/thread-pool.cjs). */
const POOL_PER_CORE = 6;
const POOL_BESIDES = 4;

const NETWORK = /^(?:nfs|cifs|smb|9p|ceph|gluster|lustre|afs|fuse|virtiofs|vboxsf|prl_fs|davfs|ocfs2|gfs2|drvfs)/;
const PASSING: Readonly<Record<string, string>> = {
  overlay: 'is that of a container, which is lost with it',
  tmpfs: 'is in memory, and lost when the machine restarts',
  ramfs: 'is in memory, and lost when the machine restarts',
};

const mebibytes = (bytes: number): string => `${Math.floor(bytes / MIB).toLocaleString('en-US')} MiB`;

/** The store is mapped into memory, and its locks are those of one machine. */
export function checkFileSystem({ data_dir: folder }: Config, machine: Machine): readonly Verdict[] {
  const kind = machine.disk(folder)?.kind;
  if (kind === undefined) return [note(`what file system ${folder} is on cannot be told here`, 'keep it on a local disk')];
  if (NETWORK.test(kind))
    return [
      problem(`${folder} is on a file system over the network or of a host (${kind})`, 'move it to a local disk: its locks would not hold'),
    ];
  const passing = PASSING[kind];
  if (passing !== undefined) return [warning(`${folder} is on ${kind}, which ${passing}`, 'mount a volume there')];
  if (kind === 'btrfs') return [note(`${folder} is on btrfs`, 'make the empty folder with "chattr +C", and leave it room')];
  return [ok(`${folder} is on ${kind}`)];
}

export function checkRoom({ data_dir: folder }: Config, machine: Machine): readonly Verdict[] {
  const free = machine.disk(folder)?.freeBytes;
  if (free === undefined || free === Number.POSITIVE_INFINITY) return [];
  const text = `${mebibytes(free)} are free on the disk of ${folder}`;
  if (free < NO_ROOM_BYTES) return [problem(text, 'give it room: writes answer 500')];
  return [free < LITTLE_ROOM_BYTES ? warning(text, 'give it room: a full disk refuses writes') : ok(text)];
}

export function checkOpenFiles({ http_threads: threads }: Config, { openFiles }: Machine): readonly Verdict[] {
  const remedy = 'raise the hard limit: "ulimit -Hn", LimitNOFILE=65536, docker run --ulimit nofile=65536';
  try {
    const most = mostConnections(openFiles, threads);
    if (openFiles === undefined) return [note('how many files may be open cannot be told here', remedy)];
    const text = `${openFiles.toLocaleString('en-US')} files may be open, which leaves ${most.toLocaleString('en-US')} connections`;
    return [most < FEW_CONNECTIONS ? warning(text, remedy) : ok(text)];
  } catch (error) {
    return [problem(error instanceof Error ? error.message : String(error), remedy)];
  }
}

export function checkMemory(config: Config, { memoryBytes, memoryLimitBytes }: Machine): readonly Verdict[] {
  const memory = memoryLimitBytes ?? memoryBytes;
  const text = `${mebibytes(memory)} of memory${memoryLimitBytes === undefined ? '' : ', by the limit of its control group'}`;
  const hashing = hashingBytes(config);
  if (memory < LEAST_MEMORY_BYTES) return [problem(text, 'give it at least 512 MiB: the process takes 150 to 300')];
  if (memory < LITTLE_MEMORY_BYTES) return [warning(text, 'give it at least 512 MiB: the process takes 150 to 300')];
  if (hashing > memory / 4)
    return [warning(`${text}, of which passwords may take ${mebibytes(hashing)}`, 'lower argon2_memory_kb or argon2_hashing_pool_size')];
  return [ok(text)];
}

function hashingBytes(config: Config): number {
  if (config.password_hashing_alg !== 'ARGON2') return 0;
  return config.argon2_memory_kb * 1024 * config.argon2_hashing_pool_size;
}

export function checkClock(_config: Config, { now }: Machine): readonly Verdict[] {
  const text = `the clock says ${new Date(now).toISOString()}`;
  const isSane = now >= EARLIEST && now <= LATEST;
  return [isSane ? ok(text) : problem(text, 'set it, and start after time-sync.target: keys and sessions get their times from it')];
}

export async function checkEngine({ http_engine: engine }: Config, machine: Machine): Promise<readonly Verdict[]> {
  const library = machine.glibc === undefined ? 'no glibc' : `glibc ${machine.glibc}`;
  if (engine === 'node') return [note(`node:http serves, as http_engine asks (${library})`, 'http_engine: auto is about twice as fast')];
  const fault = await machine.engineFault();
  if (fault === undefined) return [ok(`uWebSockets.js loads (${library})`)];
  const remedy = 'use a system with glibc 2.38 (Node 20: 2.27), or the image';
  const text = `uWebSockets.js does not load (${library}): ${fault}`;
  return [engine === 'uws' ? problem(text, remedy) : warning(`${text}; node:http serves at half the speed`, remedy)];
}

export function checkThreadPool({ http_threads: threads }: Config, { poolSize, cores }: Machine): readonly Verdict[] {
  const wanted = POOL_PER_CORE * Math.max(cores, threads) + POOL_BESIDES;
  const set = `UV_THREADPOOL_SIZE=${wanted}`;
  if (poolSize === undefined) {
    const text = `libuv gets its threads from the command "watchword" and the image; started otherwise it has four`;
    return [threads > cores ? note(`${text}; there are more http_threads than cores`, `set ${set}`) : ok(text)];
  }
  const text = `UV_THREADPOOL_SIZE is ${poolSize}`;
  return [Number(poolSize) < wanted ? warning(text, `set ${set}: signatures and commits wait for a thread`) : ok(text)];
}

type MachineCheck = (config: Config, machine: Machine) => readonly Verdict[];

/** Of the folder of the store. Like the others here they cost next to nothing, so a running core makes them too. */
export const FOLDER_CHECKS = { 'file system': checkFileSystem, room: checkRoom } as const satisfies Readonly<Record<string, MachineCheck>>;

/** Of what the process has. */
export const PROCESS_CHECKS = {
  'open files': checkOpenFiles,
  memory: checkMemory,
  clock: checkClock,
  'thread pool': checkThreadPool,
} as const satisfies Readonly<Record<string, MachineCheck>>;
