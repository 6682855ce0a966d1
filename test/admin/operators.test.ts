import { expect, test } from 'vitest';
import { KEY } from '../cli/places.ts';
import { addOperator, Browser, PASSWORD } from '../recipes/admin/browser.ts';
import { totpCode } from '../totp-code.ts';
import { describeAdminPage, expectPresentable } from './admin-page.ts';
import { emailOf } from './seeded-folder.ts';

const rolesOf = async (admin: { ask(method: string, path: string): Promise<unknown> }): Promise<Readonly<Record<string, string>>> => {
  const { operators } = (await admin.ask('GET', '/manage/v1/operators')) as { operators: readonly { email: string; role: string }[] };
  return Object.fromEntries(operators.map(({ email, role }) => [email, role]));
};

describeAdminPage('the page of operators', (admin) => {
  test('adds one, gives another role, ends sessions, and takes the role away', async () => {
    const page = await admin.open('admin', '#/operators');
    await page.getByRole('row', { name: `${emailOf('admin')} you` }).waitFor();
    await expectPresentable(page, 'operators');
    await page.getByRole('button', { name: 'Add an operator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('new@example.com');
    await dialog.getByLabel('Password').fill('short');
    const add = dialog.getByRole('button', { name: 'Add an operator' });
    await add.click();
    await dialog.getByRole('alert').getByText('assword').waitFor();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await add.click();
    await page.getByRole('row', { name: 'new@example.com' }).waitFor();
    expect((await rolesOf(admin))['new@example.com']).toBe('viewer');
    await page.getByRole('button', { name: 'Change role new@example.com' }).click();
    await dialog.getByLabel('Role').selectOption('support');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await rolesOf(admin))['new@example.com']).toBe('support');
    await page.getByRole('button', { name: 'Revoke new@example.com' }).click();
    await dialog.getByLabel('Type “').fill('new@example.com');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('new@example.com is no operator any more.').waitFor();
    // The dashboard user stays, and can be given a role again.
    await page.getByRole('button', { name: 'Give a role new@example.com' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await rolesOf(admin))['new@example.com']).toBe('viewer');
  });

  test('ends the sessions of another, and warns who would end the own', async () => {
    const other = await admin.open('support', '#/users');
    const page = await admin.open('admin', '#/operators');
    await page.getByRole('button', { name: `End sessions ${emailOf('support')}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End sessions' }).click();
    await expect.poll(() => admin.askFrom(other, 'GET', '/users')).toBe(401);
    await page.getByRole('button', { name: `Revoke ${emailOf('admin')}` }).click();
    await page.getByRole('dialog').getByText('without the role admin you cannot give it back').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: `End sessions ${emailOf('admin')}` }).click();
    await page.getByRole('dialog').getByText('this session ends too').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End sessions' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  });

  test('removes the one-time codes of who lost the device', async () => {
    const email = 'lost@example.com';
    await addOperator(admin.core.port, KEY, email, 'viewer');
    const theirs = new Browser(admin.core.port);
    await theirs.signIn(email);
    const { body } = await theirs.ask('POST', '/manage/v1/operator/totp', { password: PASSWORD });
    const totp = totpCode({ secret: String(body['secret']), period: 30, skew: 1 }, Date.now());
    expect((await theirs.ask('POST', '/manage/v1/operator/totp/verify', { totp })).body).toMatchObject({ status: 'OK' });
    const page = await admin.open('admin', '#/operators');
    await page.getByRole('button', { name: `Remove one-time codes ${email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove one-time codes' }).click();
    await page.getByText('The one-time codes are removed').waitFor();
    expect((await theirs.ask('GET', '/users')).status).toBe(401);
    expect((await theirs.signIn(email)).body).toMatchObject({ status: 'OK' });
  });

  test.each(['viewer', 'support'] as const)('is not for a %s', async (role) => {
    const page = await admin.open(role, '#/users');
    expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    for (const path of ['add', 'grant', 'revoke', 'sessions/end', 'totp/remove'])
      expect(await admin.askFrom(page, 'POST', `/manage/v1/operators/${path}`, { email: emailOf(role), role: 'admin' })).toBe(403);
    await page.goto(`${admin.url}#/operators`);
    await page.getByText("it needs the scope 'all'").waitFor();
  });
});
