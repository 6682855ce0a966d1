import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';

const PASSWORD = 'a good password 1';
/** What people may be called, or would like others to believe. */
const NASTY = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202Egnp.exe \u{1F468}\u200D\u{1F469}\u200D\u{1F467} ${'W'.repeat(10_000)}`;

interface Made {
  readonly id: string;
  readonly email: string;
}
let made = 0;

async function makeUser(admin: AdminPage): Promise<Made> {
  made += 1;
  const email = `person-${made}@example.com`;
  const { user } = (await admin.ask('POST', '/recipe/signup', { email, password: PASSWORD })) as { readonly user: { readonly id: string } };
  return { id: user.id, email };
}

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

describeAdminPage(
  'the page of a user',
  (admin) => {
    test('disables and enables, ends sessions, and tells all of it in the trail', async () => {
      const { id, email } = await makeUser(admin);
      const session = { userId: id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
      for (let n = 0; n < 2; n += 1) await admin.ask('POST', '/recipe/session', session);
      const page = await admin.open('support', `#/users/${id}`);
      await page.getByRole('heading', { name: email }).waitFor();
      await section(page, 'Sessions (2)').getByRole('button', { name: /^End / }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
      await section(page, 'Sessions (1)').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('is disabled, and all sessions have ended').waitFor();
      await section(page, 'Sessions (0)').waitFor();
      expect(await admin.ask('POST', '/recipe/signin', { email, password: PASSWORD })).toMatchObject({ status: 'WRONG_CREDENTIALS_ERROR' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('may sign in again').waitFor();
      expect(await admin.ask('POST', '/recipe/signin', { email, password: PASSWORD })).toMatchObject({ status: 'OK' });
      await expect
        .poll(async () => {
          await page.reload();
          await section(page, 'Audit trail').locator('tbody tr, .empty').first().waitFor();
          return section(page, 'Audit trail').locator('tbody tr').allInnerTexts();
        })
        .toEqual(
          expect.arrayContaining([expect.stringMatching(/user\.enabled[^]*operator/), expect.stringMatching(/user\.disabled[^]*operator/)]),
        );
    });

    test('the palette offers what can be done now, also while it is open, and what is chosen there stays', async () => {
      const { id, email } = await makeUser(admin);
      const page = await admin.open('support', `#/users/${id}`);
      await page.getByRole('heading', { name: email }).waitFor();
      let arrive = (): void => undefined;
      const held = new Promise<void>((done) => (arrive = done));
      await page.route('**/manage/v1/user?*', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('is disabled, and all sessions have ended').waitFor();
      await page.keyboard.press('Control+k');
      const chosen = page.getByRole('option', { selected: true });
      for (let n = 0; (await chosen.count()) === 0 || (await chosen.innerText()) !== 'Remove user'; n += 1) {
        expect(n).toBeLessThan(20);
        await page.keyboard.press('ArrowDown');
      }
      expect(await page.getByRole('option', { name: 'Enable' }).count()).toBe(0);
      arrive();
      await page.getByRole('option', { name: 'Enable' }).waitFor();
      expect(await page.getByRole('option', { name: 'Disable' }).count()).toBe(0);
      expect(await chosen.innerText()).toBe('Remove user');
      await page.keyboard.type('able');
      await expect.poll(() => chosen.innerText()).toBe('Enable');
    });

    test('verifies an email, changes it, and sets a password', async () => {
      const { id, email } = await makeUser(admin);
      const page = await admin.open('support', `#/users/${id}`);
      const methods = section(page, 'Ways to sign in');
      await methods.getByRole('button', { name: `Verify ${email}` }).click();
      await methods.getByText('verified', { exact: true }).waitFor();
      await methods.getByRole('button', { name: `Unverify ${email}` }).click();
      await methods.getByText('not verified').waitFor();
      await methods.getByRole('button', { name: 'Change email or phone' }).click();
      await page.getByRole('textbox', { name: 'Email' }).fill(`new-${email}`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `new-${email}` }).waitFor();
      await methods.getByRole('button', { name: 'Set password' }).click();
      await page.getByLabel('New password').fill('a good password 2');
      await page.keyboard.press('Enter');
      await page.getByText('The password is set').waitFor();
      expect(await admin.ask('POST', '/recipe/signin', { email: `new-${email}`, password: 'a good password 2' })).toMatchObject({
        status: 'OK',
      });
    });

    test('links two ways to sign in, after the core has said whether it can, and takes them apart', async () => {
      const [one, other] = [await makeUser(admin), await makeUser(admin)];
      const page = await admin.open('support', `#/users/${one.id}`);
      const link = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Link to a user' }).click();
        await page.getByLabel('Email or id of that user').fill(other.email);
        await page.keyboard.press('Enter');
      };
      await link();
      await page.getByText('make it one first').waitFor();
      await page.keyboard.press('Escape');
      await admin.ask('POST', '/recipe/accountlinking/user/primary', { recipeUserId: other.id });
      await link();
      await page.getByText(`can be linked to ${other.email}`).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('dialog').getByRole('button', { name: 'Link to a user' }).click();
      await expect.poll(() => section(page, 'Ways to sign in').locator('tbody tr').count()).toBe(2);
      await section(page, 'Ways to sign in')
        .getByRole('button', { name: `Unlink ${one.email}` })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
      await page.getByText(`${one.email} is unlinked`).waitFor();
      expect(await admin.ask('GET', `/manage/v1/user?userId=${other.id}`)).toMatchObject({
        user: { loginMethods: [{ recipeUserId: other.id }] },
      });
    });

    test('gives and takes roles, and takes back what was taken', async () => {
      const { id } = await makeUser(admin);
      await admin.ask('PUT', '/recipe/role', { role: 'reader' });
      const page = await admin.open('support', `#/users/${id}`);
      await page.getByRole('button', { name: 'Give a role' }).click();
      await page.getByRole('dialog').getByLabel('Role').selectOption('reader');
      await page.getByRole('dialog').getByRole('button', { name: 'Give a role' }).click();
      await section(page, 'Roles').getByText('reader').first().waitFor();
      await page.getByRole('button', { name: 'Take the role reader' }).click();
      await page.getByText('Has the role reader no more').waitFor();
      expect(await admin.ask('GET', `/recipe/user/roles?userId=${id}`)).toMatchObject({ roles: [] });
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => admin.ask('GET', `/recipe/user/roles?userId=${id}`)).toMatchObject({ roles: ['reader'] });
    });

    test('two operators edit metadata: the second is told, sees both, and decides; numbers stay exact', async () => {
      const { id } = await makeUser(admin);
      await admin.ask('PUT', '/recipe/user/metadata', { userId: id, metadataUpdate: { plan: 'free' } });
      const [first, second] = [await admin.open('support', `#/users/${id}`), await admin.open('admin', `#/users/${id}`)];
      for (const page of [first, second]) await page.getByRole('button', { name: 'Edit metadata' }).click();
      const save = async (page: Page, text: string): Promise<void> => {
        await page.getByRole('dialog').getByRole('textbox').fill(text);
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /Save|Put mine/ })
          .click();
      };
      await save(first, '{"plan":"gold","balance":12345678901234567890.10}');
      await first.getByText('Saved.').waitFor();
      await section(first, 'Metadata').getByText('12345678901234567890.10').first().waitFor();
      await save(second, '[1]');
      await second.getByText('Metadata are a JSON object').waitFor();
      await save(second, '{"plan":"silver"}');
      await second.getByText('Somebody else changed these metadata').waitFor();
      await second.getByRole('dialog').getByText('12345678901234567890.10').waitFor();
      expect(await admin.ask('GET', `/recipe/user/metadata?userId=${id}`)).toMatchObject({ metadata: { plan: 'gold' } });
      await save(second, '{"plan":"silver"}');
      await second.getByText('Saved.').waitFor();
      expect(await admin.ask('GET', `/recipe/user/metadata?userId=${id}`)).toMatchObject({ metadata: { plan: 'silver' } });
    });

    test('removes devices, maps to an id of the application, and brings into a tenant and out', async () => {
      const { id, email } = await makeUser(admin);
      await admin.ask('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't2' });
      await admin.ask('POST', '/recipe/totp/device', { userId: id, deviceName: 'phone', skew: 1, period: 30 });
      const page = await admin.open('support', `#/users/${id}`);
      await page.getByRole('button', { name: 'Remove device phone' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove device' }).click();
      await expect.poll(() => admin.ask('GET', `/recipe/totp/device/list?userId=${id}`)).toMatchObject({ devices: [] });
      await page.getByRole('button', { name: 'Add to a tenant' }).click();
      await page.getByLabel('Tenant').last().fill('t2');
      await page.keyboard.press('Enter');
      await page.getByText('In the tenant t2 now').waitFor();
      await page.getByRole('button', { name: 'Take out of the tenant t2' }).click();
      await page.getByText('Not in the tenant t2 any more').waitFor();
      await page.getByRole('button', { name: 'Map to an id' }).click();
      await page.getByLabel('Id in the application').fill('our-17');
      await page.keyboard.press('Enter');
      await section(page, 'Id of the application').getByText('our-17').first().waitFor();
      expect(await admin.ask('GET', '/manage/v1/user?userId=our-17')).toMatchObject({
        status: 'OK',
        user: { id: 'our-17', emails: [email] },
      });
      await page.reload();
      await page.getByRole('button', { name: 'Remove the mapping' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove the mapping' }).click();
      await expect.poll(() => admin.ask('GET', '/manage/v1/user?userId=our-17')).toMatchObject({ status: 'UNKNOWN_USER_ID_ERROR' });
    });

    test('unlocks who failed too often', async () => {
      const { id, email } = await makeUser(admin);
      for (let n = 0; n < 3; n += 1) await admin.ask('POST', '/recipe/signin', { email, password: 'a wrong password 1' });
      const page = await admin.open('support', `#/users/${id}`);
      await page.getByRole('button', { name: 'Unlock' }).click();
      await page.getByText('may try again').waitFor();
      expect(await admin.ask('POST', '/recipe/signin', { email, password: PASSWORD })).toMatchObject({ status: 'OK' });
    });

    test('removes the user only when the name is typed; a page that is still open elsewhere says so', async () => {
      const { id, email } = await makeUser(admin);
      const [page, other] = [await admin.open('support', `#/users/${id}`), await admin.open('support', `#/users/${id}`)];
      await page.getByRole('button', { name: 'Remove user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(`Type “${email}”`).fill('somebody else');
      await page.keyboard.press('Enter');
      await dialog.getByText('That is not').waitFor();
      expect(await admin.ask('GET', `/manage/v1/user?userId=${id}`)).toMatchObject({ status: 'OK' });
      await dialog.getByLabel(`Type “${email}”`).fill(email);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      await other.getByRole('button', { name: 'Disable' }).click();
      await other.getByText('There is no such user any more').waitFor();
      await other.reload();
      await other.getByRole('heading', { name: 'No such user' }).waitFor();
    });

    test('what is full of script and signs is shown as it is, and breaks nothing', async () => {
      const { id } = await makeUser(admin);
      await admin.ask('PUT', '/recipe/user/metadata', { userId: id, metadataUpdate: { [NASTY.slice(0, 200)]: NASTY } });
      const role = NASTY.slice(0, 120);
      await admin.ask('PUT', '/recipe/role', { role });
      await admin.ask('PUT', '/recipe/user/role', { userId: id, role });
      const thirdParty = {
        thirdPartyId: 'evil',
        thirdPartyUserId: NASTY.slice(0, 200),
        email: { id: '"<b>x</b>"@example.com', isVerified: false },
      };
      const { user } = (await admin.ask('POST', '/recipe/signinup', thirdParty)) as { readonly user: { readonly id: string } };
      const page = await admin.open('support', `#/users/${id}`);
      await section(page, 'Roles').getByText(role.slice(0, 30)).first().waitFor();
      await section(page, 'Metadata').getByText('onerror').first().waitFor();
      await expectPresentable(page, 'user-nasty');
      await page.goto(`${admin.url}#/users/${user.id}`);
      await page.getByText('evil: <img').first().waitFor();
      expect(await page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0);
    });

    test('a viewer sees everything and changes nothing', async () => {
      const { id, email } = await makeUser(admin);
      const page = await admin.open('viewer', `#/users/${id}`);
      await section(page, 'Id of the application').waitFor();
      const buttons = await page.locator('main button').allInnerTexts();
      expect(buttons.filter((text) => !text.startsWith('Copy'))).toEqual([]);
      const refused: readonly (readonly [string, string, object])[] = [
        ['POST', '/manage/v1/user/disable', { userId: id }],
        ['POST', '/manage/v1/user/remove', { userId: id }],
        ['POST', '/manage/v1/user/metadata', { userId: id, metadata: {}, expected: {} }],
        ['PUT', '/recipe/user', { recipeUserId: id, password: 'a good password 3' }],
        ['POST', '/recipe/user/password/reset/token', { userId: id, email }],
        ['POST', '/recipe/user/email/verify/token', { userId: id, email }],
        ['PUT', '/recipe/user/role', { userId: id, role: 'x' }],
      ];
      for (const [method, path, body] of refused) expect([path, await admin.askFrom(page, method, path, body)]).toEqual([path, 403]);
    });

    test('is presentable', async () => {
      const { id } = await makeUser(admin);
      await admin.ask('PUT', '/recipe/user/metadata', { userId: id, metadataUpdate: { plan: 'gold', seats: 5 } });
      await admin.ask('POST', '/recipe/session', { userId: id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false });
      const page = await admin.open('support', `#/users/${id}`);
      await section(page, 'Metadata').getByText('gold').first().waitFor();
      await expectPresentable(page, 'user');
    });
  },
  { env: { SIGN_IN_FAILURES_PER_ACCOUNT: '3' } },
);
