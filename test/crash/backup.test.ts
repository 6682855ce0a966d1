import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetchBackup } from '../../src/transfer/backup/fetch-backup.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { smallDisk } from '../small-disk.ts';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';
import { backupFolder, fetchTo, putMetadata, sourceOf } from '../transfer/backup/scene.ts';

const MIB = 1024 * 1024;
/** More than sockets on the way hold, so that a client who takes nothing keeps the core from its end. */
const RECORDS = 24;
const FILLER = 'x'.repeat(MIB);
const PATIENCE = { timeout: 20_000 };

/** A core whose store is too large to be sent in one go. */
async function largeCore(dataDir: string): Promise<RunningCore> {
  const core = await startCore({ dataDir });
  for (let n = 0; n < RECORDS; n++) expect(await putMetadata(core, `u${n}`, { filler: FILLER })).toBe(200);
  return core;
}

/** The processes that make backups of a folder. */
function makersOf(dataDir: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes('backup-process.js') && words.includes(dataDir);
    } catch {
      return false;
    }
  });
}

test.skipIf(process.platform !== 'linux')(
  'a core that is killed half way leaves nothing, and the next backup is whole',
  { timeout: 90_000 },
  async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const core = await largeCore(dataDir);
    let came = 0;
    const broken = fetchBackup(sourceOf(core), async (piece) => {
      if (came === 0) {
        expect(readdirSync(dataDir)).toContain('copying');
        await core.kill();
      }
      came += piece.length;
    });
    await expect(broken).rejects.toThrow(/^The core broke the backup off after \d+ bytes, and its log says why/);
    expect(came).toBeGreaterThan(0);
    await expect.poll(() => makersOf(dataDir), PATIENCE).toEqual([]);

    const again = await startCore({ dataDir });
    try {
      expect(readdirSync(dataDir)).not.toContain('copying');
      await fetchTo(again, join(backupFolder(), 'a.backup'));
    } finally {
      await again.stop();
    }
  },
);

test.skipIf(process.platform !== 'linux')('what a killed process left is removed when a core starts', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await (await startCore({ dataDir })).stop();
  mkdirSync(join(dataDir, 'copying', 'half'), { recursive: true });
  const core = await startCore({ dataDir });
  expect(readdirSync(dataDir)).not.toContain('copying');
  await core.stop();
});

test.skipIf(process.platform !== 'linux')(
  'a client that is killed half way leaves nothing that looks like a backup, and the core none of its own',
  { timeout: 90_000 },
  async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const core = await largeCore(dataDir);
    const folder = backupFolder();
    const file = join(folder, 'a.backup');
    try {
      const partial = `${file}.partial`;
      const killed = await watchword(['backup', file, '--url', core.url], {
        end: { when: () => existsSync(join(partial, 'unfinished')), signal: 'SIGKILL' },
      });
      expect(killed.code).toBeNull();
      expect(readdirSync(folder)).toEqual(['a.backup.partial']);
      await expect.poll(() => existsSync(join(dataDir, 'copying')), PATIENCE).toBe(false);
      await expect.poll(() => makersOf(dataDir), PATIENCE).toEqual([]);
      expect((await watchword(['backup', file, '--url', core.url])).code).toBe(0);
      expect(readdirSync(folder)).toEqual(['a.backup']);
    } finally {
      await core.stop();
    }
  },
);

test('a core that is stopped half way ends in order, and leaves nothing', { timeout: 90_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const core = await largeCore(dataDir);
  // Nobody takes what comes.
  const response = await fetch(`${core.url}/manage/v1/backup`);
  expect(response.status).toBe(200);
  expect(readdirSync(dataDir)).toContain('copying');
  expect(await core.stop()).toBe(0);
  expect(readdirSync(dataDir)).not.toContain('copying');
  expect(makersOf(dataDir)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('who makes a backup gives way, with all threads', { timeout: 90_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const core = await largeCore(dataDir);
  try {
    const response = await fetch(`${core.url}/manage/v1/backup`);
    const [pid = ''] = makersOf(dataDir);
    const threads = readdirSync(join('/proc', pid, 'task'));
    const nicenessOf = (thread: string): number =>
      Number(
        readFileSync(join('/proc', pid, 'task', thread, 'stat'), 'utf8')
          .split(') ')
          .at(-1)
          ?.split(' ')[16],
      );
    expect(threads.length).toBeGreaterThan(4);
    expect(new Set(threads.map(nicenessOf))).toEqual(new Set([10]));
    await response.arrayBuffer();
  } finally {
    await core.stop();
  }
});

test('a disk with no room for a copy: the core says so, and writes go on', { timeout: 60_000 }, async () => {
  const disk = smallDisk('tmpfs', 48);
  if (!disk) return;
  const core = await startCore({ dataDir: join(disk.path, 'data'), within: disk.within });
  const folder = backupFolder();
  try {
    await expect(fetchTo(core, join(folder, 'a.backup'))).rejects.toThrow(
      /^The core made no backup \(503\): No room for a copy of the store in .*: [\d.]+ MiB are free, [\d.]+ MiB are needed$/,
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(join('/proc', String(core.pid), 'root', disk.path, 'data'))).not.toContain('copying');
    expect(await putMetadata(core, 'u', { still: true })).toBe(200);
  } finally {
    await core.stop();
  }
});

test.skipIf(process.platform === 'win32')("a client's full disk is one line, and leaves nothing", { timeout: 90_000 }, async () => {
  const core = await largeCore(join(temporaryFolder(), 'data'));
  const folder = backupFolder();
  try {
    // No file may become so large, as where a quota is used up.
    const program = join(PROJECT_ROOT, 'dist', 'src', 'cli.js');
    const words = [process.execPath, program, 'backup', join(folder, 'a.backup'), '--url', core.url];
    const child = spawn('sh', ['-c', 'ulimit -f 20000; exec "$0" "$@"', ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    expect([child.exitCode, said]).toEqual([1, expect.stringMatching(/^watchword backup: E[A-Z]+: [^\n]+\n$/)]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await core.stop();
  }
});

/** Hours between backups in test mode: a second or two. */
const EVERY = '0.0004';

test('backups on a schedule: made, kept in their number, and told of', { timeout: 90_000 }, async () => {
  const folder = backupFolder();
  const core = await startCore({ flags: ['--test-mode'], env: { BACKUP_DIR: folder, BACKUP_EVERY: EVERY, BACKUP_KEEP: '2' } });
  const seen = new Set<string>();
  try {
    for (const end = Date.now() + 60_000; seen.size < 4 && Date.now() < end; await later(50))
      for (const name of readdirSync(folder)) if (name.endsWith('.backup')) seen.add(name);
    expect(seen.size).toBeGreaterThanOrEqual(4);
    await expect
      .poll(async () => (await (await fetch(`${core.url}/metrics`)).text()).match(/^watchword_backup_\S+ \S+$/gm), { timeout: 30_000 })
      .toEqual([
        expect.stringMatching(/^watchword_backup_last_success_timestamp_seconds 1\d{9}(?:\.\d+)?$/),
        expect.stringMatching(/^watchword_backup_last_success_size_bytes [1-9]\d+$/),
        'watchword_backup_failures_total 0',
      ]);
  } finally {
    await core.stop();
  }
  const kept = readdirSync(folder).filter((name) => name !== 'partial');
  expect(kept).toHaveLength(2);
  const { code, stdout } = await watchword(['restore', '--check', join(folder, kept.toSorted()[1] ?? '')]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^sound backup of +20/)]);
});

test('a schedule that fails is logged and counted', { timeout: 60_000 }, async () => {
  const file = join(temporaryFolder(), 'a-file');
  writeFileSync(file, '');
  const env = { BACKUP_DIR: join(file, 'backups'), BACKUP_EVERY: EVERY };
  const core = await startCore({ flags: ['--test-mode'], env, faultsExpected: true });
  try {
    const failures = async (): Promise<number> =>
      Number(/^watchword_backup_failures_total (\d+)$/m.exec(await (await fetch(`${core.url}/metrics`)).text())?.[1]);
    await expect.poll(() => core.output(), PATIENCE).toContain('no backups can be made in backup_dir');
    await expect.poll(failures, { timeout: 30_000 }).toBeGreaterThan(0);
    await expect.poll(() => core.output(), PATIENCE).toContain('"job":"backup"');
  } finally {
    await core.stop();
  }
});
