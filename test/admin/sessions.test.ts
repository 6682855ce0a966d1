import { expect, test } from 'vitest';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';

const SESSION = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };

/** So many sessions of a new user. */
async function signedIn(
  admin: AdminPage,
  name: string,
  sessions: number,
): Promise<{ readonly id: string; readonly handles: readonly string[] }> {
  const made = await admin.ask('POST', '/recipe/signup', { email: `${name}@example.com`, password: 'a good password 1' });
  const { id } = made['user'] as { readonly id: string };
  const handles: string[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const { session } = await admin.ask('POST', '/recipe/session', { userId: id, ...SESSION });
    handles.push((session as { readonly handle: string }).handle);
  }
  return { id, handles };
}

const handlesOf = async (admin: AdminPage, id: string): Promise<unknown> =>
  (await admin.ask('GET', `/recipe/session/user?userId=${id}`))['sessionHandles'];

describeAdminPage('the sessions page', (admin) => {
  test('says what to expect where nobody is signed in', async () => {
    const page = await admin.open('viewer', '#/sessions');
    await page.getByText('Nobody is signed in').waitFor();
    await expectPresentable(page, 'sessions-none');
  });

  test('lists those of the tenant, of a user, and one by its handle', async () => {
    const [one, other] = [await signedIn(admin, 'one', 2), await signedIn(admin, 'other', 1)];
    const page = await admin.open('viewer', '#/sessions');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    await page.getByRole('searchbox').fill(one.id);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('searchbox').fill(other.handles[0] ?? '');
    await expect.poll(() => page.locator('tbody a').allInnerTexts()).toEqual([other.id]);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('There is no such session').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: other.id }).click();
    await page.getByRole('heading', { name: 'other@example.com' }).waitFor();
  });

  test('support ends those that are chosen, and no others', async () => {
    const { id, handles } = await signedIn(admin, 'three', 3);
    const page = await admin.open('support', `#/sessions?q=${id}`);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    for (const handle of handles.slice(0, 2)) await page.getByRole('checkbox', { name: `Choose ${handle}` }).check();
    // Among others than those that one sees, nothing is chosen.
    const search = page.getByRole('searchbox');
    await search.fill('nobody');
    await page.getByRole('button', { name: 'End 0 sessions' }).waitFor();
    await search.fill(id);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    for (const handle of handles.slice(0, 2)) await page.getByRole('checkbox', { name: `Choose ${handle}` }).check();
    await page.getByRole('button', { name: 'End 2 sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await handlesOf(admin, id)).toHaveLength(3);
    await page.getByRole('button', { name: 'End 2 sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End 2 sessions' }).click();
    await page.getByText('2 sessions have ended').waitFor();
    expect(await handlesOf(admin, id)).toEqual(handles.slice(2));
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await expectPresentable(page, 'sessions');
  });

  test('more than a page comes by pages', async () => {
    const { id } = await signedIn(admin, 'many', 60);
    const page = await admin.open('viewer', `#/sessions?q=${id}`);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(60);
  });

  test('a viewer ends none', async () => {
    const { id, handles } = await signedIn(admin, 'safe', 1);
    const page = await admin.open('viewer', `#/sessions?q=${id}`);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await admin.askFrom(page, 'POST', '/manage/v1/session/revoke', { sessionHandles: handles })).toBe(403);
    expect(await handlesOf(admin, id)).toEqual(handles);
  });
});
