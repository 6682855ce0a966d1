import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';
import { describeAdminPage, expectPresentable } from './admin-page.ts';

const PLACE = mkdtempSync(join(tmpdir(), 'watchword-backups-'));
const FOLDER = join(PLACE, 'backups');
const NAME = 'watchword-20261122T170509Z.backup';

afterAll(() => rmSync(PLACE, { recursive: true, force: true }));

describeAdminPage(
  'the backups page',
  (admin) => {
    test('tells the schedule, and that there is none yet', async () => {
      const page = await admin.open('viewer', '#/backups');
      await page.getByText('There is no backup yet.').waitFor();
      await page.getByText('6 hours').waitFor();
      await page.getByText(FOLDER).waitFor();
      await page.getByText('none since this core started').waitFor();
      await expectPresentable(page, 'backups-none');
    });

    test('lists the files, and says where the folder is gone', async () => {
      writeFileSync(join(FOLDER, NAME), 'x'.repeat(1_234_000));
      const page = await admin.open('viewer', '#/backups');
      await page.getByRole('cell', { name: NAME }).waitFor();
      await page.getByRole('cell', { name: '1.2 MB' }).waitFor();
      await expectPresentable(page, 'backups');
      rmSync(FOLDER, { recursive: true });
      await page.getByText('The folder cannot be read').waitFor();
    });

    test.each(['viewer', 'support'] as const)('%s downloads none', async (role) => {
      const page = await admin.open(role, '#/backups');
      await page.getByRole('heading', { name: 'Schedule' }).waitFor();
      expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
      expect(await admin.askFrom(page, 'GET', '/manage/v1/backup')).toBe(403);
    });

    test('an admin downloads one that is made now, and that can be restored', async () => {
      const page = await admin.open('admin', '#/backups?app=elsewhere');
      const coming = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download a backup made now' }).click();
      const download = await coming;
      expect(download.suggestedFilename()).toMatch(/^watchword-\d{8}T\d{6}Z\.backup$/);
      await page.getByText('The backup is made while it is sent').waitFor();
      const file = join(temporaryFolder(), 'a.backup');
      await download.saveAs(file);
      expect(statSync(file).size).toBeGreaterThan(1_000_000);
      const restored = await watchword(['restore', file, '--data-dir', join(temporaryFolder(), 'data')]);
      expect(restored.code, restored.stderr).toBe(0);
    });
  },
  { env: { BACKUP_DIR: FOLDER, BACKUP_EVERY: '6', BACKUP_KEEP: '3' } },
);

describeAdminPage('the backups page of a core without a schedule', (admin) => {
  test('says how to have one', async () => {
    const page = await admin.open('admin', '#/backups');
    await page.getByText('No backups are made on a schedule.').waitFor();
    await page.getByRole('link', { name: 'Download a backup made now' }).waitFor();
    await expectPresentable(page, 'backups-unscheduled');
  });

  /** What a core would have to be hours old, or on another store, to answer. */
  const openWith = async (state: object) => {
    const page = await admin.open('admin');
    await page.route('**/manage/v1/backups', (route) =>
      route.fulfill({ json: { status: 'OK', isPossible: true, isUnderWay: false, ...state } }),
    );
    await page.goto(`${admin.url}#/backups`);
    return page;
  };
  const schedule = { folder: '/backups', everyHours: 1, keep: 7, nextAt: Date.UTC(2026, 10, 23), files: [] };

  test('says why the last attempt failed', async () => {
    const page = await openWith({ schedule: { ...schedule, lastAttempt: { at: Date.UTC(2026, 10, 22), error: 'The disk has no room' } } });
    await page.getByRole('alert').getByText('The last backup failed: The disk has no room').waitFor();
    await page.locator('time[title="2026-11-22 00:00:00.000 UTC"]').waitFor();
    await expectPresentable(page, 'backups-failed');
  });

  test('says where the store has no backups of ours', async () => {
    const page = await openWith({ isPossible: false });
    await page.getByText('This store has no backups of ours').waitFor();
    expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
    await expectPresentable(page, 'backups-elsewhere');
  });

  test('begins no second one while one is under way', async () => {
    const page = await openWith({ isUnderWay: true, schedule });
    await page.getByRole('status').getByText('A backup is being made now.').first().waitFor();
    const downloads: unknown[] = [];
    page.on('download', (download) => downloads.push(download));
    await page.getByRole('link', { name: 'Download a backup made now' }).click();
    await page.locator('.toast').getByText('A backup is being made now.').waitFor();
    expect(downloads).toEqual([]);
  });
});
