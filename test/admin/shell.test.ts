import { expect, test } from 'vitest';
import { KEY } from '../cli/places.ts';
import { startCore } from '../running-core.ts';
import { describeAdminPage, expectAccessible, expectPresentable } from './admin-page.ts';

describeAdminPage('what stands around every page', (admin) => {
  test('the palette finds pages, actions and people by the keyboard alone', async () => {
    const page = await admin.open('admin', '#/roles');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).waitFor();
    await page.getByRole('combobox', { name: 'Find' }).press('Enter');
    expect(await page.getByRole('option', { selected: true }).count()).toBe(0);
    await page.keyboard.press('ArrowUp');
    expect(await page.getByRole('option').last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('option').first().getAttribute('aria-selected')).toBe('true');
    await expectPresentable(page, 'palette');
    await page.keyboard.type('go users');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ann@');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/users?q=ann%40');
  });

  test('keys: g and a letter, j and k through rows, ? for help, d for colours', async () => {
    const page = await admin.open('viewer', '#/account');
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await page.getByRole('row').nth(3).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement === document.querySelectorAll("main tbody a")[1]')).toBe(true);
    await page.keyboard.press('d');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    await page.reload();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the place goes along in the address, also to those who are sent a link', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    await admin.ask('POST', '/t1/recipe/signup', { email: 'only-in-t1@example.com', password: 'a good password 1' });
    const page = await admin.open('viewer', '#/users?tenant=t1');
    await page.getByRole('link', { name: 'only-in-t1@example.com' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'My account' }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByRole('link', { name: 'only-in-t1@example.com' }).waitFor();
    expect(page.url()).toContain('tenant=t1');
  });

  test('an unknown page is told', async () => {
    const page = await admin.open('viewer', '#/users');
    await page.goto(`${admin.url}#/nowhere`);
    await page.getByText('There is no such page').waitFor();
  });

  test('a core that goes away and comes back: the page says so, and goes on', async () => {
    const page = await admin.open('viewer', '#/users');
    await page.getByRole('row').nth(3).waitFor();
    await admin.core.kill();
    await page.keyboard.press('/');
    await page.keyboard.type('a');
    await page.getByText('The core does not answer').first().waitFor();
    const again = await startCore({
      dataDir: admin.core.dataDir,
      env: { API_KEYS: KEY, SUPERTOKENS_PORT: String(admin.core.port) },
      flags: ['--port', String(admin.core.port)],
    });
    try {
      await page.getByText('The core does not answer').first().waitFor({ state: 'detached' });
      await page.getByRole('searchbox').fill('');
      await page.getByRole('row').nth(3).waitFor();
    } finally {
      await again.stop();
    }
  });
});
