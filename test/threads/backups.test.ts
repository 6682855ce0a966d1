import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { BackupSaid } from '../../src/threads/backup-messages.ts';
import { BackupDesk } from '../../src/threads/backups.ts';
import { temporaryFolder } from '../store/engines.ts';

/** Instead of the process that makes a backup. */
class Maker extends EventEmitter {
  readonly connected = true;
  say(said: BackupSaid): void {
    this.emit('message', said);
  }
  disconnect(): void {
    this.emit('exit', 0, null);
  }
}

const makers = vi.hoisted(() => ({ newest: undefined as { say(said: object): void } | undefined }));
vi.mock('node:child_process', () => ({
  fork: () => {
    const maker = new Maker();
    makers.newest = maker;
    return maker;
  },
}));

const HOUR_MS = 3_600_000;
const LAST_RUN = 1_000;
const NOW = 5_000;
const WORLD = { now: () => NOW, lastRun: async () => LAST_RUN };

let folder: string;
let desk: BackupDesk;

beforeEach(() => {
  folder = temporaryFolder();
  const schedule = { backup_dir: folder, backup_every: 2, backup_keep: 3 };
  desk = new BackupDesk({ engine: 'lmdb', path: join(folder, 'data') }, schedule, WORLD);
});

const state = async (of = desk) => of.tasks.backupsState([]);
const said = (end: BackupSaid): void => makers.newest?.say(end);

test('an attempt on the schedule is remembered, and why it failed, until the next one', async () => {
  const schedule = {
    folder,
    everyHours: 2,
    keep: 3,
    nextAt: LAST_RUN + 2 * HOUR_MS,
    lastAttempt: undefined,
    files: [],
    folderError: undefined,
  };
  expect(await state()).toEqual({ isPossible: true, isUnderWay: false, schedule });
  const failing = desk.tasks.saveBackup([join(folder, 'a.backup')]);
  expect(await state()).toMatchObject({ isUnderWay: true });
  said({ kind: 'refused', why: 'no-room', reason: 'The disk has no room' });
  await expect(failing).rejects.toThrow('The disk has no room');
  const lastAttempt = { at: NOW, error: 'The disk has no room' };
  expect(await state()).toMatchObject({ isUnderWay: false, schedule: { lastAttempt } });
  const waiting = desk.tasks.saveBackup([join(folder, 'a.backup')]);
  said({ kind: 'refused', why: 'under-way', reason: 'somebody has it' });
  expect(await waiting).toBe(false);
  expect((await state()).schedule?.lastAttempt, 'one that waits for its turn is none').toEqual(lastAttempt);
  const made = desk.tasks.saveBackup([join(folder, 'a.backup')]);
  said({ kind: 'whole' });
  expect(await made).toBe(true);
  expect((await state()).schedule?.lastAttempt).toEqual({ at: NOW });
});

test('where none are made, it says so', async () => {
  const none = { backup_dir: null, backup_every: 2, backup_keep: 3 };
  const unscheduled = new BackupDesk({ engine: 'lmdb', path: join(folder, 'data') }, none, WORLD);
  expect(await state(unscheduled)).toEqual({ isPossible: true, isUnderWay: false, schedule: undefined });
  const database = { url: '', password: undefined, schema: '', connections: 1, prepared: true, timeoutMs: 1 };
  for (const plan of [{ engine: 'memory' }, { engine: 'postgres', ...database }] as const) {
    const elsewhere = new BackupDesk(plan, { ...none, backup_dir: folder }, WORLD);
    expect(await state(elsewhere)).toEqual({ isPossible: false, isUnderWay: false, schedule: undefined });
  }
});
