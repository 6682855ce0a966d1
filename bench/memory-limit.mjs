// A limit of memory for a process and the pages of files that it reads: a control group of Linux, version 1 or 2.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOTS = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
];

/**
 * Makes a group of its own below the one of this system.
 * @param {number} bytes
 * @returns {{ procs: string, remove: () => void } | { reason: string }} `procs`: the file that takes the number of a process
 */
export function limitMemory(bytes) {
  const root = ROOTS.find(({ folder, limit }) => existsSync(join(folder, limit)) || existsSync(join(folder, 'cgroup.controllers')));
  if (!root) return { reason: 'this system has no control groups' };
  const folder = join(root.folder, `watchword-bench-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, root.limit), String(bytes));
    return { procs: join(folder, 'cgroup.procs'), remove: () => rmdirSync(folder) };
  } catch (error) {
    if (existsSync(folder)) rmdirSync(folder);
    return { reason: `no control group of ${Math.round(bytes / 1e6)} MB could be made (${error.code ?? error.message})` };
  }
}

/** Lets go of the pages of a file that are in memory, so that whoever reads them next pays for them. Nobody may have it mapped. */
export function dropFromMemory(file) {
  const { status, stderr } = spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`dd: ${stderr}`);
}

/** Page faults of a process so far that had to wait for the disk. */
export function majorFaults(pid) {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[9]);
}
