import { expect, test } from 'vitest';
import { describeAdminPage, expectPresentable } from './admin-page.ts';

describeAdminPage('the page of keys', (admin) => {
  test('shows the lives of signing keys, rotates one, and retires one after its id is typed', async () => {
    const page = await admin.open('admin', '#/keys');
    const section = page.getByRole('region', { name: 'Signing keys' });
    await section.getByRole('row').nth(2).waitFor();
    await page.getByRole('button', { name: 'Rotate the static key' }).click();
    await page.getByRole('dialog').getByText('signs JWTs in a minute').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await section.getByText('coming').waitFor();
    expect(await section.locator('svg.life-line').count()).toBe(3);
    await expectPresentable(page, 'keys');
    const { keys } = (await admin.ask('GET', '/manage/v1/signing-keys')) as { keys: readonly { kid: string; state: string }[] };
    const kid = keys.find(({ state }) => state === 'coming')?.kid ?? '';
    await section.getByRole('button', { name: `Retire ${kid}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Retire' }).click();
    await dialog.getByText(`That is not “${kid}”.`).waitFor();
    await dialog.getByLabel('Type “').fill(kid);
    await dialog.getByRole('button', { name: 'Retire' }).click();
    // What that breaks, in the words of the core.
    await page.getByText('JWTs and access tokens that it signed do not verify any more: JWTs have to be issued anew.').waitFor();
    await section.getByText('coming').waitFor({ state: 'detached' });
  });

  test('makes an API key, shows it once, refuses a name that is taken, and removes it', async () => {
    const page = await admin.open('admin', '#/keys');
    await page.getByRole('button', { name: 'Make an API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('not a name');
    const make = dialog.getByRole('button', { name: 'Make an API key' });
    await make.click();
    await dialog.getByText('A name has 1 to 64 letters').waitFor();
    await dialog.getByLabel('Name').fill('shop');
    await dialog.getByLabel('read:').check();
    await make.click();
    const key = await dialog.locator('code').innerText();
    expect(key).toMatch(/^ww-[0-9a-f]{64}$/);
    await expectPresentable(page, 'keys-made');
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('row', { name: 'shop' }).waitFor();
    expect(await page.content()).not.toContain(key);
    const used = await fetch(`${admin.core.url}/users/count`, { headers: { 'api-key': key } });
    expect(used.status).toBe(200);
    await page.getByRole('button', { name: 'Make an API key' }).click();
    await dialog.getByLabel('Name').fill('shop');
    await make.click();
    await dialog.getByText('The app has an API key of this name already').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove shop' }).click();
    await dialog.getByLabel('Type “shop” to confirm').fill('shop');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('shop is removed.').waitFor();
    expect((await fetch(`${admin.core.url}/users/count`, { headers: { 'api-key': key } })).status).toBe(401);
  });

  test('warns before the first key of an app, which opens the interface alone', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'keyless' });
    const page = await admin.open('admin', '#/account');
    // As of a core whose configuration has none: that of the tests has one, which all apps share.
    await page.route('**/appid-keyless/manage/v1/api-keys', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), inConfiguration: 0 } });
    });
    await page.goto(`${admin.url}#/keys?app=keyless`);
    await page.getByText('This app asks for no API key').waitFor();
    await page.getByRole('button', { name: 'Make an API key' }).click();
    await page.getByText('This is the first key of the app').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(1);
  });

  test.each(['viewer', 'support'] as const)('a %s looks at signing keys, and is refused the rest', async (role) => {
    const page = await admin.open(role, '#/keys');
    await page.getByText("they need the scope 'keys'").waitFor();
    await page.getByRole('row').nth(2).waitFor();
    for (const name of ['Rotate', 'Retire', 'Make an API key']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await admin.askFrom(page, 'GET', '/manage/v1/api-keys')).toBe(403);
    expect(await admin.askFrom(page, 'POST', '/manage/v1/signing-keys/rotate', {})).toBe(403);
    expect(await admin.askFrom(page, 'POST', '/manage/v1/signing-keys/retire', { kid: 'd-1' })).toBe(403);
  });
});
