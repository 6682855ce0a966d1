import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../recipes/admin/browser.ts';
import { totpCode } from '../totp-code.ts';
import { ELSEWHERE } from '../sdk/chromium.ts';
import { describeAdminPage, expectPresentable } from './admin-page.ts';
import { emailOf, type Role } from './seeded-folder.ts';

async function signIn(page: Page, role: Role, password: string = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(emailOf(role));
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

describeAdminPage('signing in', (admin) => {
  test('by password: a wrong one is told, the right one opens the page that was asked for', async () => {
    const page = await admin.openSignedOut();
    await page.getByLabel('Email').waitFor();
    await expectPresentable(page, 'sign-in');
    await page.goto(`${admin.url}#/account`);
    await signIn(page, 'viewer', 'a wrong password 1');
    await page.getByText('Email or password is wrong').waitFor();
    await signIn(page, 'viewer');
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await expectPresentable(page, 'account');
    // Scripts do not see the cookie, and no other page holds this one.
    expect(await page.evaluate('[document.cookie, window.opener]')).toEqual(['', null]);
  });

  test('over a connection that others can read, nobody signs in, and the page says why', async () => {
    const page = await admin.openSignedOut();
    await page.goto(`http://${ELSEWHERE}:${admin.core.port}/admin/`);
    await page.getByRole('alert').getByText('TLS').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await admin.askFrom(page, 'GET', '/users')).toBe(401);
    await expectPresentable(page, 'insecure');
  });

  test('a session that ends in the middle: one goes on where one was', async () => {
    const page = await admin.open('viewer', '#/users');
    await page.getByRole('row').nth(10).waitFor();
    await admin.ask('POST', '/manage/v1/operators/sessions/end', { email: emailOf('viewer') });
    await page.keyboard.press('/');
    await page.keyboard.type('a');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('Email').inputValue()).toBe(emailOf('viewer'));
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('searchbox').inputValue()).toBe('a');
  });

  test('a new password ends the other sessions, and signing out this one', async () => {
    const [page, other] = [await admin.open('support', '#/account'), await admin.open('support', '#/users')];
    await page.getByLabel('Present password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a good password 2');
    await page.keyboard.press('Enter');
    await page.getByText('Your password is changed').waitFor();
    await expect.poll(() => admin.askFrom(other, 'GET', '/users')).toBe(401);
    expect(await admin.askFrom(page, 'GET', '/users')).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();
    expect(await admin.askFrom(page, 'GET', '/users')).toBe(401);
  });

  test('own sessions: one of them is ended', async () => {
    const [page, other] = [await admin.open('admin', '#/account'), await admin.open('admin', '#/users')];
    await page.reload();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await expect.poll(() => admin.askFrom(other, 'GET', '/users')).toBe(401);
    expect(await admin.askFrom(page, 'GET', '/users')).toBe(200);
  });
});

describeAdminPage(
  'one-time codes that everybody needs',
  (admin) => {
    test('are set up at the first sign-in, asked for at the next, and removed', async () => {
      const page = await admin.openSignedOut();
      await signIn(page, 'support');
      await page.getByText('asks every operator for one-time codes').waitFor();
      expect(await admin.askFrom(page, 'GET', '/users')).toBe(403);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      const secret = await page.locator('#secret code').innerText();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      await expectPresentable(page, 'enrolment');
      const codeAt = (ms: number): string => totpCode({ secret, period: 30, skew: 1 }, ms);
      await page.getByLabel('One-time code').fill(codeAt(Date.now()));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      expect(await admin.askFrom(page, 'GET', '/users')).toBe(200);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page, 'support');
      await page.getByLabel('One-time code').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('The code is wrong').waitFor();
      // The last one was used, so that of the next half minute.
      await page.getByLabel('One-time code').fill(codeAt(Date.now() + 30_000));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Users' }).waitFor();
    });
  },
  { env: { ADMIN_REQUIRE_TOTP: 'true' } },
);
