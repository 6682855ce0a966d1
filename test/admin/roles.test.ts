import { expect, test } from 'vitest';
import { describeAdminPage, expectPresentable } from './admin-page.ts';

describeAdminPage('the roles pages', (admin) => {
  test('say what to do where there are none, by role', async () => {
    const page = await admin.open('viewer', '#/roles');
    await page.getByText('There are no roles yet').waitFor();
    await expectPresentable(page, 'roles-none');
    expect(await page.getByRole('button', { name: 'Create a role' }).count()).toBe(0);
  });

  test('an admin makes a role, changes its permissions, and removes it by its name', async () => {
    const page = await admin.open('admin', '#/roles');
    await page.getByRole('button', { name: 'Create a role' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Role' }).fill('editor');
    await page.getByRole('textbox', { name: 'Permissions' }).fill('articles:read\narticles:write\n');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a role' }).click();
    await page.getByRole('link', { name: 'editor' }).click();
    await page.getByText('articles:write').first().waitFor();
    await page.getByRole('button', { name: 'Take articles:write' }).click();
    await page.getByText('articles:write is taken').waitFor();
    expect(await admin.ask('GET', '/recipe/role/permissions?role=editor')).toMatchObject({ permissions: ['articles:read'] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(() => admin.ask('GET', '/recipe/role/permissions?role=editor'))
      .toMatchObject({ permissions: expect.arrayContaining(['articles:write']) });
    await page.getByRole('button', { name: 'Add permissions' }).click();
    await page.getByRole('textbox', { name: 'Permissions' }).fill('articles:publish');
    await page.getByRole('dialog').getByRole('button', { name: 'Add permissions' }).click();
    await page.getByText('articles:publish').first().waitFor();
    await expectPresentable(page, 'role');
    await page.getByRole('button', { name: 'Remove role' }).click();
    await page.getByLabel('Type “editor”').fill('editor');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Roles' }).waitFor();
    expect(await admin.ask('GET', '/recipe/roles')).toMatchObject({ roles: [] });
  });

  test('support adds and takes out members, and nobody who is not there', async () => {
    await admin.ask('PUT', '/recipe/role', { role: 'reader', permissions: ['articles:read'] });
    const { user } = await admin.ask('POST', '/recipe/signup', { email: 'member@example.com', password: 'a good password 1' });
    const { id } = user as { readonly id: string };
    const page = await admin.open('support', '#/roles');
    await page.getByRole('link', { name: 'reader' }).waitFor();
    await expectPresentable(page, 'roles');
    await page.getByRole('link', { name: 'reader' }).click();
    await page.getByText('Nobody in this tenant has the role').waitFor();
    const add = async (who: string): Promise<void> => {
      await page.getByLabel('Id of the user').fill(who);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Add a member' }).click();
    await add('nobody');
    await page.getByText('There is no such user any more').waitFor();
    await add(id);
    await page.getByRole('link', { name: id }).waitFor();
    expect(await admin.ask('GET', '/recipe/role/users?role=reader')).toMatchObject({ users: [id] });
    await page.getByRole('button', { name: `Take out ${id}` }).click();
    await page.getByText('has the role no more').waitFor();
    expect(await admin.ask('GET', '/recipe/role/users?role=reader')).toMatchObject({ users: [] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => admin.ask('GET', '/recipe/role/users?role=reader')).toMatchObject({ users: [id] });
    for (const name of ['Remove role', 'Add permissions', 'Take articles:read'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await admin.askFrom(page, 'POST', '/recipe/role/remove', { role: 'reader' })).toBe(403);
    expect(await admin.askFrom(page, 'PUT', '/recipe/role', { role: 'admin', permissions: ['x'] })).toBe(403);
  });

  test('a viewer sees members and permissions, and changes nothing', async () => {
    await admin.ask('PUT', '/recipe/role', { role: 'looker', permissions: ['look'] });
    const page = await admin.open('viewer', '#/roles/looker');
    await page.getByText('look', { exact: true }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await admin.askFrom(page, 'PUT', '/recipe/user/role', { userId: 'x', role: 'looker' })).toBe(403);
  });
});
