import { expect, test } from 'vitest';
import { describeAdminPage, expectPresentable } from './admin-page.ts';
import { emailOfUser } from './seeded-folder.ts';

describeAdminPage('the users page', (admin) => {
  test('finds people as one types', async () => {
    const page = await admin.open('viewer', '#/users');
    await page.getByRole('row').nth(50).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(emailOfUser(7));
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('link', { name: emailOfUser(7) }).count()).toBe(1);
    expect(page.url()).toContain(`q=${encodeURIComponent(emailOfUser(7))}`);
  });

  test('is presentable', async () => {
    const page = await admin.open('support', '#/users');
    await page.getByRole('row').nth(50).waitFor();
    await expectPresentable(page, 'users');
  });
});
