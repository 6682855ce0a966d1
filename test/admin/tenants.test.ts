import { describe, expect, test } from 'vitest';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';

const SECRET = 'very-secret-of-google';

const putTenant = (admin: AdminPage, tenantId: string, more: object = {}) =>
  admin.ask('PUT', '/recipe/multitenancy/tenant/v2', { tenantId, ...more });

const pageOf = (tenantId: string, query = ''): string => `#/tenants/${tenantId}?tenant=${tenantId}${query}`;

/** What breaks pages that are not careful. */
const NASTY = `<img src=x onerror=alert(1)>\u202e👩‍👩‍👧 ${'x'.repeat(10_000)}`;
const GOOGLE = { thirdPartyId: 'google', name: NASTY, clients: [{ clientId: 'id-1', clientSecret: SECRET }] };

describeAdminPage('apps and tenants', (admin) => {
  test('are listed and found by typing; an admin creates a tenant, an app and a domain', async () => {
    await putTenant(admin, 'listed', { firstFactors: ['emailpassword'] });
    const page = await admin.open('admin', '#/tenants');
    await page.getByLabel('Find a domain, app or tenant').fill('LISTED');
    await page.getByRole('link', { name: 'listed' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Find a domain, app or tenant').fill('');
    await expectPresentable(page, 'tenants');

    await page.getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByLabel('Id of the tenant').fill('appid-no');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByText("tenantId must not start with 'appid-'").waitFor();
    await page.getByLabel('Id of the tenant').fill('Listed');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByText('listed exists already').waitFor();
    await page.getByLabel('Id of the tenant').fill('Made');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByRole('heading', { level: 1, name: 'made' }).waitFor();
    expect(new URL(page.url()).hash).toBe(pageOf('made'));

    for (const [what, label, name, title] of [
      ['Create an app', 'Id of the app', 'shop', 'shop'],
      ['Create a connection URI domain', 'Connection URI domain', 'auth.example.com', 'auth.example.com'],
    ] as const) {
      await page.goto(`${admin.url}#/tenants`);
      await page.getByRole('button', { name: what }).click();
      await page.getByRole('dialog').getByLabel(label).fill(name);
      await page.getByRole('dialog').getByRole('button', { name: what }).click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    const { tenants } = await admin.ask('GET', '/manage/v1/tenants?search=auth.example');
    expect(tenants).toMatchObject([{ connectionUriDomain: 'auth.example.com', appId: 'public', tenantId: 'public' }]);
  });

  test('login recipes and factors are chosen', async () => {
    await putTenant(admin, 'ways', { firstFactors: ['emailpassword', 'thirdparty'] });
    const page = await admin.open('admin', pageOf('ways'));
    await page.getByRole('button', { name: 'Choose login recipes' }).click();
    await page.getByRole('dialog').getByLabel('Third party').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await admin.ask('GET', '/ways/recipe/multitenancy/tenant/v2')).toMatchObject({ firstFactors: ['emailpassword'] });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('choose fact');
    await page.keyboard.press('Enter');
    await page.getByLabel('These alone').fill('emailpassword\notp-email');
    await page.getByLabel('Required secondary factors').fill('totp');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('emailpassword, otp-email').waitFor();
    expect(await admin.ask('GET', '/ways/recipe/multitenancy/tenant/v2')).toMatchObject({
      firstFactors: ['emailpassword', 'otp-email'],
      requiredSecondaryFactors: ['totp'],
    });
  });

  test('of two who edit one tenant, the second is told and nothing is saved', async () => {
    await putTenant(admin, 'both', { firstFactors: ['emailpassword'] });
    const page = await admin.open('admin', pageOf('both'));
    await page.getByRole('button', { name: 'Choose factors' }).click();
    await page.getByLabel('These alone').fill('otp-phone');
    await putTenant(admin, 'both', { firstFactors: ['thirdparty'] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody changed this while you had it open').waitFor();
    expect(await admin.ask('GET', '/both/recipe/multitenancy/tenant/v2')).toMatchObject({ firstFactors: ['thirdparty'] });
  });

  test('a provider is added, changed without its secret being typed or shown, and removed', async () => {
    await putTenant(admin, 'providers');
    const page = await admin.open('admin', pageOf('providers'));
    await page.getByRole('button', { name: 'Add a provider' }).click();
    await page.getByLabel('Provider', { exact: true }).selectOption('apple');
    await page.getByLabel('Client id').fill('apple-id');
    const save = page.getByRole('dialog').getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('a non empty string value must be specified for keyId').waitFor();
    await page.getByLabel('Provider', { exact: true }).selectOption('google');
    await page.getByLabel('Client id').fill('id-1');
    await page.getByLabel('Client secret').fill(SECRET);
    await save.click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Edit google' }).click();
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    await page.getByLabel('Client id').fill('id-2');
    await page.getByLabel('Scopes').fill('email profile');
    await expectPresentable(page, 'tenants-provider');
    await save.click();
    const stored = () => admin.ask('GET', '/providers/recipe/multitenancy/tenant/v2');
    await expect.poll(stored).toMatchObject({
      thirdParty: { providers: [{ clients: [{ clientId: 'id-2', clientSecret: SECRET, scope: ['email', 'profile'] }] }] },
    });
    expect(page.url()).not.toContain(SECRET);
    await page.getByRole('button', { name: 'Edit google' }).click();
    await page.getByRole('dialog').getByRole('combobox').last().selectOption('json');
    const json = page.getByRole('textbox', { name: 'Configuration' });
    const config = JSON.parse(await json.inputValue()) as object;
    await json.fill('{');
    await save.click();
    await page.getByRole('dialog').getByRole('alert').getByText('JSON').waitFor();
    await json.fill(JSON.stringify({ ...config, name: 'Google for us', requireEmail: true }));
    await save.click();
    await expect.poll(stored).toMatchObject({ thirdParty: { providers: [{ name: 'Google for us', requireEmail: true }] } });
    await page.getByRole('button', { name: 'Remove google' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('google is removed.').waitFor();
    expect(await stored()).toMatchObject({ thirdParty: { providers: [] } });
  });

  test('the configuration tells where values come from and what they come before; options are set and unset', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'conf', coreConfig: { access_token_validity: 1800 } });
    await admin.ask('PUT', '/appid-conf/recipe/multitenancy/tenant/v2', { tenantId: 'deep' });
    await admin.ask('PUT', '/appid-conf/recipe/multitenancy/tenant/v2', {
      tenantId: 'deep',
      coreConfig: { email_verification_token_lifetime: 5000 },
    });
    const page = await admin.open('admin', '#/tenants/deep?app=conf&tenant=deep');
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
    await row('access_token_validity').getByText('app', { exact: true }).waitFor();
    await row('access_token_validity').getByText('comes before default').waitFor();
    await row('email_verification_token_lifetime').getByText('tenant', { exact: true }).waitFor();
    expect(await row('password_reset_token_lifetime').count()).toBe(0);
    await page.getByLabel('Also those at their default').check();
    await row('password_reset_token_lifetime').waitFor();
    await page.getByLabel('Find an option').fill('password_reset_token');
    await expect.poll(() => page.url()).toContain('option=password_reset_token');
    await page.getByRole('button', { name: 'Set password_reset_token_lifetime' }).click();
    await page.getByLabel('Value').fill('no number');
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await page.getByText("'password_reset_token_lifetime' must be of type long").waitFor();
    await page.getByLabel('Value').fill('7200000');
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await row('password_reset_token_lifetime').getByText('7200000').waitFor();
    await page.getByRole('button', { name: 'Unset password_reset_token_lifetime' }).click();
    await page.getByText('password_reset_token_lifetime is not set here any more.').waitFor();
    const { coreConfig } = await admin.ask('GET', '/appid-conf/deep/recipe/multitenancy/tenant/v2');
    expect(coreConfig).toEqual({ email_verification_token_lifetime: 5000 });
    await page.getByLabel('Find an option').fill('');
    await page.getByLabel('Also those at their default').uncheck();
    await row('api_keys').getByText('would also come before: file, default').waitFor();
    // Without what was said meanwhile.
    await page.reload();
    await row('access_token_validity').waitFor();
    await expectPresentable(page, 'tenant');
  });

  test('a tenant, app and domain are removed by their names, and refusals come in the words of the core', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'old' });
    await admin.ask('PUT', '/appid-old/recipe/multitenancy/tenant/v2', { tenantId: 'in-it' });
    const page = await admin.open('admin', '#/tenants/public?app=old');
    const remove = async (title: string, name: string): Promise<void> => {
      await page.getByRole('button', { name: title }).click();
      await page.getByLabel(`Type “${name}” to confirm`).fill(name);
      await page.getByRole('dialog').getByRole('button', { name: title }).click();
    };
    await remove('Remove this app', 'old');
    await page.getByText('Please delete all tenants except the public tenant for this app').waitFor();
    await page.goto(`${admin.url}#/tenants/in-it?app=old&tenant=in-it`);
    await remove('Remove this tenant', 'in-it');
    await page.getByText('in-it is removed.').waitFor();
    await page.goto(`${admin.url}#/tenants/public?app=old`);
    await remove('Remove this app', 'old');
    await page.getByText('old is removed.', { exact: true }).waitFor();
    expect(await admin.ask('GET', '/manage/v1/tenants?search=old')).toMatchObject({ tenants: [] });
    await page.goto(`${admin.url}#/tenants/gone?tenant=gone`);
    await page.getByText('There is no such tenant').waitFor();
  });

  describe.each(['viewer', 'support'] as const)('a %s', (role) => {
    test('sees the same without secrets, and changes nothing', async () => {
      const tenantId = `seen-by-${role}`;
      await putTenant(admin, tenantId);
      await admin.ask('PUT', `/${tenantId}/recipe/multitenancy/config/thirdparty`, { config: GOOGLE });
      const page = await admin.open(role, pageOf(tenantId));
      await page.getByRole('cell', { name: 'google', exact: true }).waitFor();
      await page.getByRole('heading', { name: 'Configuration in force' }).waitFor();
      expect(await page.locator('main button').count()).toBe(0);
      expect(await page.content()).not.toContain(SECRET);
      await expectPresentable(page, `tenants-${role}`);
      for (const [method, path, body] of [
        ['GET', `/${tenantId}/recipe/multitenancy/tenant/v2`, undefined],
        ['PUT', '/recipe/multitenancy/tenant/v2', { tenantId }],
        ['PUT', '/recipe/multitenancy/app/v2', { appId: 'nope' }],
        ['PUT', `/${tenantId}/recipe/multitenancy/config/thirdparty`, { config: GOOGLE }],
        ['POST', '/recipe/multitenancy/tenant/remove', { tenantId }],
        ['POST', '/manage/v1/config/reload', {}],
      ] as const) {
        expect([path, await admin.askFrom(page, method, path, body)]).toEqual([path, 403]);
      }
    });
  });

  test('the picker finds a place by the keyboard alone, takes typed names, and the palette leads to it', async () => {
    await putTenant(admin, 'picked-one');
    await putTenant(admin, 'picked-two');
    const page = await admin.open('viewer', '#/users');
    await page.keyboard.press('t');
    await page.getByRole('combobox', { name: 'Find a domain, app or tenant' }).waitFor();
    await page.keyboard.type('picked');
    await expect.poll(() => page.getByRole('dialog').getByRole('option').count()).toBe(2);
    await expectPresentable(page, 'place-picker');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('tenant=picked-two');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('picked-one');
    await page.getByText('Find the app or tenant “picked-one”').click();
    await page.getByRole('dialog').getByRole('option', { name: 'picked-one' }).click();
    await expect.poll(() => page.url()).toContain('tenant=picked-one');
    await page.keyboard.press('t');
    await page.getByText('Type the names instead').click();
    await page.getByLabel('Tenant', { exact: true }).fill('Nowhere');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.getByText('AppId or tenantId not found').first().waitFor();
    expect(page.url()).toContain('tenant=nowhere');
  });
});
