import { expect, test } from 'vitest';
import { describeAdminPage, expectPresentable } from './admin-page.ts';
import { emailOfUser, USERS } from './seeded-folder.ts';

describeAdminPage(
  'the users page',
  (admin) => {
    test('finds people as one types, by whatever it looks like', async () => {
      const page = await admin.open('viewer', '#/users');
      await page.getByRole('row').nth(50).waitFor();
      await page.getByText(`${USERS.toLocaleString('en-US')}, the newest first`).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type(emailOfUser(7));
      await expect.poll(() => page.getByRole('row').count()).toBe(2);
      await page.getByRole('link', { name: emailOfUser(7) }).waitFor();
      expect(page.url()).toContain(`q=${encodeURIComponent(emailOfUser(7))}`);
      const id = await page.locator('tbody tr td').last().innerText();
      const wanted = [
        [id.slice(0, 20), emailOfUser(7)],
        ['google::99997', emailOfUser(99_997)],
        [emailOfUser(21).slice(0, 11), emailOfUser(21)],
        [id, emailOfUser(7)],
      ] as const;
      for (const [text, email] of wanted) {
        await page.getByRole('searchbox').fill(text);
        await expect.poll(() => page.locator('tbody a').allInnerTexts()).toEqual([email]);
      }
      await page.getByRole('searchbox').fill('nobody-is-called-so');
      await page.getByText('Nobody is found').waitFor();
    });

    test('filters by the way people sign in, and a link leads to the same', async () => {
      const page = await admin.open('viewer', '#/users');
      await page.getByLabel('Signs in by').selectOption('thirdparty');
      await expect.poll(() => page.locator('tbody tr').filter({ hasText: 'Third party' }).count()).toBe(50);
      expect(await page.locator('tbody tr').filter({ hasNotText: 'Third party' }).count()).toBe(0);
      await page.reload();
      await page.locator('tbody tr').nth(49).waitFor();
      expect(await page.locator('tbody tr').filter({ hasNotText: 'Third party' }).count()).toBe(0);
      await page.getByRole('button', { name: 'More' }).click();
      await page.locator('tbody tr').nth(99).waitFor();
    });

    test('support makes a user who chooses a password by a link', async () => {
      const page = await admin.open('support', '#/users');
      await page.getByRole('button', { name: 'Create a user' }).click();
      await page.getByLabel('Email').fill('New.Person@example.com');
      await page.keyboard.press('Enter');
      await page.getByLabel('Site of your application').fill('https://app.example.com/');
      await page.keyboard.press('Enter');
      const link = new URL(await page.getByRole('dialog').locator('code').innerText());
      expect(link.origin + link.pathname).toBe('https://app.example.com/auth/reset-password');
      const token = link.searchParams.get('token');
      const set = { method: 'token', token, newPassword: 'a good password 9' };
      expect(await admin.ask('POST', '/recipe/user/password/reset', set)).toMatchObject({ status: 'OK' });
      await page.getByRole('button', { name: 'Close', exact: true }).first().click();
      await page.getByRole('heading', { name: 'new.person@example.com' }).waitFor();
      const signIn = await admin.ask('POST', '/recipe/signin', { email: 'new.person@example.com', password: 'a good password 9' });
      expect(signIn).toMatchObject({ status: 'OK' });
    });

    test('an email that somebody has is told, and the form stays', async () => {
      const page = await admin.open('support', '#/users');
      await page.getByRole('button', { name: 'Create a user' }).click();
      await page.getByLabel('Email').fill(emailOfUser(3));
      await page.getByRole('combobox', { name: 'Password' }).selectOption('password');
      await page.getByRole('textbox', { name: 'Password' }).fill('a good password 9');
      await page.keyboard.press('Enter');
      await page.getByText('Somebody else has this email').waitFor();
      expect(await page.getByLabel('Email').inputValue()).toBe(emailOfUser(3));
    });

    test('by metadata, where the configuration lists the name, and by a passkey', async () => {
      const { users } = await admin.ask('GET', `/manage/v1/users?email=${emailOfUser(50)}`);
      const [user] = users as readonly { readonly id: string }[];
      await admin.ask('PUT', '/recipe/user/metadata', { userId: user?.id, metadataUpdate: { plan: 'gold = best' } });
      const page = await admin.open('viewer', '#/users');
      await page.getByLabel('By', { exact: true }).selectOption('metadata');
      await page.getByRole('searchbox').fill('plan');
      await page.getByText('Nobody is found').waitFor();
      // The index of the names that are listed is built by a job, which runs every minute.
      const found = async (): Promise<readonly string[]> => {
        await page.getByRole('searchbox').fill('plan=gold = best');
        await page.reload();
        await page.locator('main tbody a, main .note').first().waitFor();
        return page.locator('tbody a').allInnerTexts();
      };
      await expect.poll(found, { timeout: 100_000, interval: 1_000 }).toEqual([emailOfUser(50)]);
      await page.getByRole('searchbox').fill('colour=red');
      await page.getByText("metadataKey 'colour' is not listed in the option metadata_search_keys").waitFor();
      await page.getByLabel('By', { exact: true }).selectOption('passkey');
      await page.getByRole('searchbox').fill('AAAA');
      await page.getByText('Nobody is found').waitFor();
    });

    test('a viewer makes nobody', async () => {
      const page = await admin.open('viewer', '#/users');
      await page.getByRole('row').nth(3).waitFor();
      expect(await page.getByRole('button', { name: 'Create a user' }).count()).toBe(0);
      expect(await admin.askFrom(page, 'POST', '/recipe/signup', { email: 'a@example.com', password: 'a good password 1' })).toBe(403);
    });

    test('is presentable', async () => {
      const page = await admin.open('support', '#/users');
      await page.getByRole('row').nth(50).waitFor();
      await expectPresentable(page, 'users');
      await page.getByRole('searchbox').fill('nobody-is-called-so');
      await page.getByText('Nobody is found').waitFor();
      await expectPresentable(page, 'users-none');
    });
  },
  { env: { METADATA_SEARCH_KEYS: 'plan' } },
);
