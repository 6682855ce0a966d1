import { expect, test } from 'vitest';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';
import { emailOfUser } from './seeded-folder.ts';

const HASH = '$2a$04$oQ8uFLkjfFqsR6WSMLq9GuHdYKXvoRyvEw0WFrmzXL7x3q/iYJcqK';
const STRANGE = '<img src=x onerror=alert(1)>\u202e🙂';

/** Puts users into the queue; answers their ids. */
async function queue(admin: AdminPage, users: readonly object[]): Promise<readonly string[]> {
  const answer = await admin.ask('POST', '/bulk-import/users', { users });
  return (answer['users'] as readonly { readonly id: string }[]).map(({ id }) => id);
}

const byPassword = (email: string, more: object = {}): object => ({
  ...more,
  loginMethods: [{ recipeId: 'emailpassword', email, passwordHash: HASH, hashingAlgorithm: 'bcrypt' }],
});

const countOf = async (admin: AdminPage, status = ''): Promise<unknown> =>
  (await admin.ask('GET', `/bulk-import/users/count${status && `?status=${status}`}`))['count'];

describeAdminPage(
  'the imports page, while nothing is imported',
  (admin) => {
    test('says what to do where the queue is empty', async () => {
      const page = await admin.open('viewer', '#/imports');
      await page.getByText('The queue is empty.').waitFor();
      expect(await page.getByRole('button', { name: /failed/ }).count()).toBe(0);
      await expectPresentable(page, 'imports-empty');
    });

    test('shows who waits, as they are called, and nothing secret', async () => {
      await queue(admin, [
        byPassword('waits@example.com', { externalUserId: STRANGE }),
        { loginMethods: [{ recipeId: 'passwordless', phoneNumber: '+4915123456789' }] },
        { loginMethods: [{ recipeId: 'thirdparty', email: 't@example.com', thirdPartyId: 'google', thirdPartyUserId: 'g-1' }] },
      ]);
      const page = await admin.open('viewer', '#/imports');
      for (const name of ['waits@example.com', '+4915123456789', 't@example.com', STRANGE])
        await page.getByText(name, { exact: true }).waitFor();
      expect(await page.getByRole('cell', { name: 'Waiting' }).count()).toBe(3);
      expect(await page.content()).not.toContain(HASH);
      await page.getByLabel('Status').selectOption('Failed');
      await page.getByText('Nobody in the queue has the status').waitFor();
      expect(page.url()).toContain('status=FAILED');
    });

    test.each(['viewer', 'support'] as const)('%s may look, and change nothing', async (role) => {
      const [id = ''] = await queue(admin, [byPassword(`${role}-looks@example.com`)]);
      const page = await admin.open(role, '#/imports');
      await page.getByText(`${role}-looks@example.com`).waitFor();
      expect(await page.getByRole('button', { name: /Remove|Try again/ }).count()).toBe(0);
      expect(await admin.askFrom(page, 'POST', '/manage/v1/imports/retry', { ids: [id] })).toBe(403);
      expect(await admin.askFrom(page, 'POST', '/bulk-import/users/remove', { ids: [id] })).toBe(403);
      expect(await admin.askFrom(page, 'GET', '/bulk-import/users')).toBe(403);
    });

    test('an admin removes one after being asked', async () => {
      await queue(admin, [byPassword('goes@example.com')]);
      const page = await admin.open('admin', '#/imports');
      const remove = page.getByRole('button', { name: 'Remove goes@example.com' });
      await remove.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await remove.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Removed from the queue: 1.').waitFor();
      await expect.poll(() => page.getByText('goes@example.com').count()).toBe(0);
    });

    test('shows a long queue page by page', async () => {
      await queue(
        admin,
        Array.from({ length: 60 }, (_, at) => byPassword(`long-${at}@example.com`)),
      );
      const page = await admin.open('viewer', '#/imports');
      await expect.poll(() => page.getByRole('row').count()).toBe(51);
      await expectPresentable(page, 'imports-waiting');
      await page.getByRole('button', { name: 'More' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(60);
    });

    test('is that of the app, whatever tenant one is at', async () => {
      await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'shop' });
      await admin.ask('PUT', '/appid-shop/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
      const page = await admin.open('admin', '#/imports?app=shop&tenant=t1');
      await page.getByText('The queue is empty.').waitFor();
      await page.getByText('Users of shop who wait').waitFor();
    });
  },
  { env: { BULK_MIGRATION_CRON_ENABLED: 'false' } },
);

describeAdminPage(
  'the imports page, while users are imported',
  (admin) => {
    test('shows why some fail, and tries them again', async () => {
      const emails = [1, 2, 3].map(emailOfUser);
      await queue(
        admin,
        emails.map((email) => byPassword(email)),
      );
      const page = await admin.open('admin', '#/imports?status=FAILED');
      await expect.poll(() => page.getByRole('cell', { name: 'Failed' }).count(), { timeout: 30_000 }).toBe(3);
      expect(await page.getByRole('cell', { name: /^\[?E\d+: / }).count()).toBe(3);
      await expectPresentable(page, 'imports');
      const [first = '', second = ''] = emails;
      const found = (await admin.ask('GET', `/manage/v1/users?email=${encodeURIComponent(first)}`))['users'];
      await admin.ask('POST', '/user/remove', { userId: (found as readonly { readonly id: string }[])[0]?.id });
      await page.getByRole('button', { name: `Try again ${first}` }).click();
      await page.getByText('Queued again: 1.').waitFor();
      await expect.poll(() => page.getByText(first).count(), { timeout: 30_000 }).toBe(0);
      await page.getByRole('button', { name: 'Try all failed again' }).click();
      await page.getByText('Queued again: 2.').waitFor();
      await expect.poll(() => countOf(admin, 'FAILED'), { timeout: 30_000 }).toBe(2);
      await page.getByRole('button', { name: `Try again ${second}` }).waitFor();
    });

    test('removes all who failed, after a word', async () => {
      const page = await admin.open('admin', '#/imports');
      await page.getByRole('button', { name: 'Remove all failed' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Remove all failed' }).click();
      await dialog.getByText('That is not “remove”.').waitFor();
      await dialog.getByRole('textbox').fill('remove');
      await dialog.getByRole('button', { name: 'Remove all failed' }).click();
      await page.getByText('The queue is empty.').waitFor();
      expect(await countOf(admin)).toBe(0);
    });

    test('tells how far it is', async () => {
      const page = await admin.open('viewer', '#/imports');
      await page.getByText('The queue is empty.').waitFor();
      await queue(
        admin,
        Array.from({ length: 400 }, (_, at) => byPassword(`new-${at}@example.com`)),
      );
      await page.getByRole('progressbar').waitFor();
      await page.getByText('of 400 have left the queue').waitFor();
      await page.getByText('The queue is empty.').waitFor({ timeout: 30_000 });
      expect(await countOf(admin)).toBe(0);
    });
  },
  { env: { BULK_IMPORT_DELAY_MS: '5000' } },
);
