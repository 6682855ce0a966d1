import { describe, expect, test } from 'vitest';
import {
  checkClock,
  checkEngine,
  checkFileSystem,
  checkMemory,
  checkOpenFiles,
  checkRoom,
  checkThreadPool,
} from '../../src/doctor/machine-checks.ts';
import { configOf, linesOf, machineLike } from './machine.ts';

const MIB = 2 ** 20;
const { config } = configOf('--data-dir', '/data');
const disk = (kind: string | undefined, freeBytes = 2 ** 40) => machineLike({ disk: () => ({ kind, freeBytes }) });

describe('file system', () => {
  test.each([
    ['ext4', 'ok: /data is on ext4'],
    ['nfs4', 'problem: /data is on a file system over the network or of a host (nfs4)'],
    ['fuse.sshfs', 'problem: /data is on a file system over the network or of a host (fuse.sshfs)'],
    ['overlay', 'warning: /data is on overlay, which is that of a container, which is lost with it'],
    ['tmpfs', 'warning: /data is on tmpfs, which is in memory, and lost when the machine restarts'],
    ['btrfs', 'note: /data is on btrfs'],
    [undefined, 'note: what file system /data is on cannot be told here'],
  ])('%s', (kind, line) => {
    expect(linesOf(checkFileSystem(config, disk(kind)))).toEqual([line]);
  });
});

test('room', () => {
  expect(linesOf(checkRoom(config, disk('ext4', 4 * MIB)))).toEqual(['problem: 4 MiB are free on the disk of /data']);
  expect(linesOf(checkRoom(config, disk('ext4', 400 * MIB)))).toEqual(['warning: 400 MiB are free on the disk of /data']);
  expect(linesOf(checkRoom(config, disk('ext4', 4000 * MIB)))).toEqual(['ok: 4,000 MiB are free on the disk of /data']);
  expect(checkRoom(config, disk('ext4', Number.POSITIVE_INFINITY))).toEqual([]);
});

test('open files', () => {
  const lines = (openFiles: number | undefined) => linesOf(checkOpenFiles(config, machineLike({ openFiles })));
  expect(lines(65_536)).toEqual(['ok: 65,536 files may be open, which leaves 64,992 connections']);
  expect(lines(1024)).toEqual(['warning: 1,024 files may be open, which leaves 480 connections']);
  expect(lines(256)[0]).toMatch(/^problem: only 256 files may be open, but 2 HTTP threads need 608/);
  expect(lines(undefined)[0]).toMatch(/^note:/);
});

test('memory', () => {
  const lines = (memoryLimitBytes: number | undefined, flags: readonly string[] = []) =>
    linesOf(checkMemory(configOf(...flags).config, machineLike({ memoryLimitBytes })));
  expect(lines(undefined)).toEqual(['ok: 4,096 MiB of memory']);
  expect(lines(128 * MIB)).toEqual(['problem: 128 MiB of memory, by the limit of its control group']);
  expect(lines(300 * MIB)[0]).toMatch(/^warning: 300 MiB/);
  expect(lines(600 * MIB, ['--password-hashing-alg', 'ARGON2', '--argon2-hashing-pool-size', '4'])[0]).toMatch(
    /^warning: 600 MiB .* of which passwords may take 342 MiB$/,
  );
});

test('clock', () => {
  expect(linesOf(checkClock(config, machineLike({ now: 0 })))).toEqual(['problem: the clock says 1970-01-01T00:00:00.000Z']);
  expect(checkClock(config, machineLike())[0]?.severity).toBe('ok');
});

test('HTTP engine', async () => {
  const broken = machineLike({ glibc: undefined, engineFault: async () => 'no binary' });
  expect(linesOf(await checkEngine(config, machineLike()))).toEqual(['ok: uWebSockets.js loads (glibc 2.41)']);
  expect(linesOf(await checkEngine(config, broken))).toEqual([
    'warning: uWebSockets.js does not load (no glibc): no binary; node:http serves at half the speed',
  ]);
  expect((await checkEngine(configOf('--http-engine', 'uws').config, broken))[0]?.severity).toBe('problem');
  expect((await checkEngine(configOf('--http-engine', 'node').config, broken))[0]?.severity).toBe('note');
});

test('thread pool', () => {
  const lines = (poolSize: string | undefined, threads = '2') =>
    linesOf(checkThreadPool(configOf('--http-threads', threads).config, machineLike({ poolSize })));
  expect(lines('16')).toEqual(['ok: UV_THREADPOOL_SIZE is 16']);
  expect(lines('4')).toEqual(['warning: UV_THREADPOOL_SIZE is 4']);
  expect(lines(undefined)[0]).toMatch(/^ok:/);
  expect(lines(undefined, '8')[0]).toMatch(/^note:/);
});
