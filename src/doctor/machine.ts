import { readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { environment } from '../config/environment.ts';
import { openFilesLimit } from '../http/connection-limit.ts';
import { loadEngine } from '../http/load-engine.ts';

/** A file or folder, as far as others could get at it. */
export interface Access {
  /** The nine bits of permission. */
  readonly mode: number;
  readonly owner: number;
}

/** The disk that a path is on. */
export interface Disk {
  /** Such as `ext4`; undefined where the system does not tell. */
  readonly kind: string | undefined;
  readonly freeBytes: number;
}

/** What the doctor asks of the machine; tests make one up. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
  /** Of the control group, if it has one. */
  readonly memoryLimitBytes: number | undefined;
  readonly openFiles: number | undefined;
  /** Version of the C library; undefined where it is not glibc. */
  readonly glibc: string | undefined;
  /** What `UV_THREADPOOL_SIZE` says. */
  readonly poolSize: string | undefined;
  /** User id of this process, where the system has such. */
  readonly user: number | undefined;
  readonly now: number;
  /** Of a path, or of what is there above it; undefined where nothing is. */
  disk(path: string): Disk | undefined;
  access(path: string): Access | undefined;
  /** Names in a folder; none where it cannot be read. */
  list(path: string): readonly string[];
  /** Why the native HTTP engine does not load; undefined where it does. */
  engineFault(): Promise<string | undefined>;
}

/** Control groups, of version 2 and 1. */
const MEMORY_LIMITS = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
const PERMISSIONS = 0o777;

/** The machine that this runs on. @param now ms since the epoch */
export function thisMachine(now: number): Machine {
  return {
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    memoryLimitBytes: memoryLimit(),
    openFiles: openFilesLimit(),
    // A report takes long.
    get glibc() {
      return glibcVersion();
    },
    poolSize: environment()['UV_THREADPOOL_SIZE'],
    user: process.getuid?.(),
    now,
    disk: diskOf,
    access: accessTo,
    list: namesIn,
    engineFault,
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function memoryLimit(): number | undefined {
  const limits = MEMORY_LIMITS.map((path) => Number(attempt(() => readFileSync(path, 'utf8'))));
  // Version 1 writes a huge number where there is no limit, version 2 the word "max".
  return limits.find((limit) => limit > 0 && limit < totalmem());
}

function glibcVersion(): string | undefined {
  const report: unknown = process.report.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined;
  const { header } = report;
  const isGlibc = typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header;
  return isGlibc ? String(header.glibcVersionRuntime) : undefined;
}

function diskOf(path: string): Disk | undefined {
  const there = nearest(path);
  if (there === undefined) return undefined;
  const { bavail, bsize, blocks } = statfsSync(there);
  return { kind: kindOf(there), freeBytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize };
}

function nearest(path: string): string | undefined {
  const there = attempt(() => realpathSync(path));
  if (there !== undefined) return there;
  return dirname(path) === path ? undefined : nearest(dirname(path));
}

/** The kind of the file system with the longest mount point above a path (proc(5), mountinfo). */
function kindOf(path: string): string | undefined {
  const lines = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8'))?.split('\n') ?? [];
  const mounts = lines.flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const point = left.split(' ')[4]?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    const [kind] = right.split(' ');
    return point !== undefined && kind !== undefined && isUnder(path, point) ? [{ point, kind }] : [];
  });
  // Of several on one point the last hides the others.
  const longest = Math.max(...mounts.map(({ point }) => point.length));
  return mounts.findLast(({ point }) => point.length === longest)?.kind;
}

const isUnder = (path: string, point: string): boolean => point === '/' || path === point || path.startsWith(`${point}/`);

function accessTo(path: string): Access | undefined {
  const found = attempt(() => statSync(path));
  return found && { mode: found.mode & PERMISSIONS, owner: found.uid };
}

const namesIn = (path: string): readonly string[] => attempt(() => readdirSync(path)) ?? [];

async function engineFault(): Promise<string | undefined> {
  try {
    await loadEngine('uws', () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
