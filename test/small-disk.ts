import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file system of its own, which only the processes that `within` starts can see; it ends with the last of them. */
export interface SmallDisk {
  /** Where it is, for those that see it; others reach it under `/proc/<pid>/root`. */
  readonly path: string;
  /** The command that mounts it and then becomes the program that stands behind it. */
  readonly within: readonly string[];
}

const MIB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
/** A mount of our own needs a namespace of its own; who is not root becomes so in a namespace of users. */
const NAMESPACE = ['unshare', isRoot ? '--mount' : '--mount --map-root-user', 'sh', '-c'].flatMap((word) => word.split(' '));

type Kind = 'tmpfs' | 'ext4';

function mountCommand(kind: Kind, mebibytes: number, folder: string, path: string): string {
  if (kind === 'tmpfs') return `mount -t tmpfs -o size=${mebibytes * MIB} none ${path}`;
  const image = join(folder, 'image');
  return `truncate -s ${mebibytes * MIB} ${image} && mkfs.ext4 -q -F -m 0 ${image} && mount -o loop ${image} ${path}`;
}

/** For the running test; `undefined`, with one line that says so, where this machine lets nobody mount such a file system. */
export function smallDisk(kind: Kind, mebibytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'disk');
  mkdirSync(path);
  const mount = mountCommand(kind, mebibytes, folder, path);
  const [unshare = '', ...words] = NAMESPACE;
  const tried = spawnSync(unshare, [...words, mount], { stdio: 'ignore' });
  if (tried.status === 0) return { path, within: [...NAMESPACE, `${mount} && exec "$0" "$@"`] };
  console.log(`not tested: this machine lets nobody mount ${kind}`);
  return undefined;
}
