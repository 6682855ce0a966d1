import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../software-authenticator.ts';
import { type AdminPage, describeAdminPage } from './admin-page.ts';

let made = 0;

interface Made {
  readonly id: string;
  readonly email: string;
}

async function makeUser(admin: AdminPage): Promise<Made> {
  made += 1;
  const email = `meanwhile-${made}@example.com`;
  const answer = await admin.ask('POST', '/recipe/signup', { email, password: 'a good password 1' });
  return { id: (answer as { readonly user: { readonly id: string } }).user.id, email };
}

/** Somebody with a passkey. */
async function makeMember(admin: AdminPage): Promise<Made> {
  made += 1;
  const email = `member-${made}@example.com`;
  const site = { relyingPartyName: 'Example', relyingPartyId: 'example.com', origin: 'https://example.com', timeout: 60_000 };
  const options = await admin.ask('POST', '/recipe/webauthn/options/register', { email, ...site });
  const { challenge, webauthnGeneratedOptionsId } = options as { readonly challenge: string; readonly webauthnGeneratedOptionsId: string };
  const credential = new SoftwareAuthenticator().create({ challenge });
  const answer = await admin.ask('POST', '/recipe/webauthn/signup', { webauthnGeneratedOptionsId, credential });
  return { id: (answer as { readonly user: { readonly id: string } }).user.id, email };
}

const section = (page: Page, name: string) => page.getByRole('region', { name });
const GONE = 'There is no such user any more';

describeAdminPage('the page of a user, and what happens meanwhile', (admin) => {
  test('who edits metadata of a user that somebody removed is told, and nothing is kept', async () => {
    const { id } = await makeUser(admin);
    const page = await admin.open('support', `#/users/${id}`);
    await page.getByRole('button', { name: 'Edit metadata' }).click();
    await admin.ask('POST', '/manage/v1/user/remove', { userId: id });
    await page.getByRole('dialog').getByRole('textbox').fill('{"plan":"gold"}');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText(GONE).waitFor();
    expect(await admin.ask('GET', `/recipe/user/metadata?userId=${id}`)).toMatchObject({ metadata: {} });
  });

  test('so is who gives a role', async () => {
    const { id } = await makeUser(admin);
    await admin.ask('PUT', '/recipe/role', { role: 'writer' });
    const page = await admin.open('support', `#/users/${id}`);
    await page.getByRole('button', { name: 'Give a role' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('writer');
    await admin.ask('POST', '/manage/v1/user/remove', { userId: id });
    await page.getByRole('dialog').getByRole('button', { name: 'Give a role' }).click();
    await page.getByRole('dialog').getByText(GONE).waitFor();
    expect(await admin.ask('GET', '/recipe/role/users?role=writer')).toMatchObject({ users: [] });
  });

  test('what another operator does appears in the trail when one asks', async () => {
    const { id } = await makeUser(admin);
    const [page, other] = [await admin.open('viewer', `#/users/${id}`), await admin.open('support', `#/users/${id}`)];
    const trail = section(page, 'Audit trail');
    // The seal comes about a second after a change: the first event is there, or is counted.
    const show = trail.getByRole('button', { name: 'Show 1 new' });
    await trail.getByText('user.created').or(show).first().waitFor();
    if (await show.isVisible()) await show.click();
    await trail.getByText('user.created').waitFor();
    await other.getByRole('button', { name: 'Disable' }).click();
    await show.click();
    await trail.getByText('user.disabled').waitFor();
  });

  test('without its mapping a user is shown by the id of the core', async () => {
    const { id, email } = await makeUser(admin);
    await admin.ask('POST', '/recipe/userid/map', { superTokensUserId: id, externalUserId: 'our-18' });
    const page = await admin.open('support', '#/users/our-18');
    await page.getByRole('button', { name: 'Remove the mapping' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the mapping' }).click();
    await page.getByRole('button', { name: 'Map to an id' }).waitFor();
    await page.getByRole('heading', { name: email }).waitFor();
    expect(page.url()).toContain(`#/users/${id}`);
  });

  test('removes a passkey', async () => {
    const { id } = await makeMember(admin);
    const page = await admin.open('support', `#/users/${id}`);
    const passkeys = section(page, 'Passkeys');
    await passkeys.getByRole('button', { name: /^Remove passkey/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await passkeys.getByText('None.').waitFor();
    expect(await admin.ask('GET', `/recipe/webauthn/user/credential/list?recipeUserId=${id}`)).toMatchObject({ credentials: [] });
  });

  test('shows a link to choose a password once, for whoever may sign in', async () => {
    const { id, email } = await makeUser(admin);
    const page = await admin.open('support', `#/users/${id}`);
    await page.getByRole('button', { name: `Reset link ${email}` }).click();
    await page.getByLabel('Site of your application').fill('https://shop.example.com/');
    await page.keyboard.press('Enter');
    await page.getByText('It is shown this once').waitFor();
    const text = await page.getByRole('dialog').innerText();
    const link = new URL(/https:\S+/.exec(text)?.[0] ?? '');
    expect(`${link.origin}${link.pathname}`).toBe('https://shop.example.com/auth/reset-password');
    const token = link.searchParams.get('token');
    const reset = { method: 'token', token, newPassword: 'a good password 2' };
    expect(await admin.ask('POST', '/recipe/user/password/reset', reset)).toMatchObject({ status: 'OK' });
    await page.keyboard.press('Escape');
    expect(await page.content()).not.toContain(token);
  });
});
