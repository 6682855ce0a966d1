import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { movedClock } from '../moved-clock.ts';
import { newAuthority, openReceiver, type Receiver } from '../recipes/webhooks/receiver.ts';
import { describeAdminPage, expectPresentable } from './admin-page.ts';

const HOURS_73_MS = 73 * 3_600_000;

const authority = newAuthority();
const clock = movedClock();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver(authority);
});
afterAll(() => {
  receiver.close();
  authority.remove();
  clock.remove();
});

describeAdminPage(
  'the page of webhooks',
  (admin) => {
    test('adds one by its events, sends a test, changes, rotates, disables and removes it', async () => {
      const page = await admin.open('admin', '#/webhooks');
      await page.getByText('No webhook yet. Add one').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      const dialog = page.getByRole('dialog');
      const add = dialog.getByRole('button', { name: 'Add a webhook' });
      await dialog.getByLabel('URL').fill('javascript:alert(1)');
      await add.click();
      await dialog.getByText('url must begin with https://').waitFor();
      await dialog.getByLabel('URL').fill(receiver.url);
      await add.click();
      await dialog.getByText('kinds must be 1 to').waitFor();
      await dialog.getByText('role (3)', { exact: true }).click();
      await dialog.getByLabel('role.*:').check();
      await expectPresentable(page, 'webhook-add');
      await add.click();
      expect(await dialog.locator('code').innerText()).toMatch(/^whsec_/);
      await dialog.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();

      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Delivered: the target answered 204.').waitFor();
      receiver.answer = (response) => response.writeHead(500).end();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Not delivered: answered 500').waitFor();
      receiver.answer = (response) => response.writeHead(204).end();
      await admin.ask('PUT', '/recipe/role', { role: 'reader', permissions: [] });
      await page.getByRole('region', { name: 'Attempts' }).getByText('role.written').first().waitFor();
      await expectPresentable(page, 'webhook');

      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByLabel('Description').fill('<b>ours</b>');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('<b>ours</b>').waitFor();
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
      await dialog.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByText('Old secret signs until').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('It is enabled').waitFor();
      await page.getByRole('button', { name: 'Replay since a time' }).click();
      await dialog.getByLabel('Since').fill('2020-01-01T00:00');
      await dialog.getByRole('button', { name: 'Replay since a time' }).click();
      await page.getByText('Queued to be sent again.').waitFor();
      const id = decodeURIComponent(new URL(page.url()).hash.split('/')[2] ?? '');
      await page.getByRole('button', { name: 'Remove' }).click();
      await dialog.getByLabel('Type “').fill(id);
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('The webhook is removed.').waitFor();
      expect(await admin.ask('GET', '/manage/v1/webhooks')).toEqual({ status: 'OK', webhooks: [] });
    });

    test.each(['viewer', 'support'] as const)('a %s looks, and is refused the rest', async (role) => {
      const { webhook } = await admin.ask('POST', '/manage/v1/webhooks', { url: `${receiver.url}?${role}`, kinds: ['*'] });
      const { id } = webhook as { readonly id: string };
      const page = await admin.open(role, '#/webhooks');
      await page.getByRole('link', { name: `${receiver.url}?${role}` }).click();
      await page.getByRole('region', { name: 'Dead letters' }).getByText('Nothing was given up.').waitFor();
      expect(await page.locator('.page-head').getByRole('button').count()).toBe(0);
      for (const path of ['', '/update', '/remove', '/rotate-secret', '/replay', '/test'])
        expect(await admin.askFrom(page, 'POST', `/manage/v1/webhooks${path}`, { id, url: receiver.url, kinds: ['*'] })).toBe(403);
    });

    // The last one of the file: the clock of the core stays three days ahead of the browser's.
    test('sends what was given up after three days again, one by one and all together', async () => {
      const away = await openReceiver(authority);
      onTestFinished(away.close);
      away.answer = (response) => response.writeHead(500).end();
      const { webhook } = await admin.ask('POST', '/manage/v1/webhooks', { url: away.url, kinds: ['user.created'] });
      const { id } = webhook as { readonly id: string };
      const shown = async () => {
        const { webhooks } = await admin.ask('GET', '/manage/v1/webhooks');
        return (webhooks as readonly { id: string; queued: number; deadLetters: number }[]).find((one) => one.id === id);
      };
      // Of three users, as those of one go in order.
      for (const name of ['one', 'two', 'three'])
        await admin.ask('POST', '/recipe/signup', { email: `${name}@example.com`, password: 'a good password 1' });
      await expect.poll(shown).toMatchObject({ queued: 3 });
      clock.setAhead(HOURS_73_MS);
      await expect.poll(shown).toMatchObject({ deadLetters: 3 });
      const page = await admin.open('admin', '#/webhooks');
      const link = page.getByRole('link', { name: away.url });
      await link.waitFor();
      await expectPresentable(page, 'webhooks');
      await link.click();
      const dead = page.getByRole('region', { name: 'Dead letters' });
      await dead.getByText('answered 500').nth(2).waitFor();
      await expectPresentable(page, 'webhook-dead-letters');
      away.answer = (response) => response.writeHead(204).end();
      away.received.length = 0;
      await dead.getByRole('button', { name: 'Send again' }).first().click();
      await expect.poll(() => dead.locator('tbody tr').count()).toBe(2);
      await expect.poll(() => away.received.length).toBe(1);
      await dead.getByRole('button', { name: 'Send all again' }).click();
      await dead.getByText('Nothing was given up.').waitFor();
      await expect.poll(() => away.received.length).toBe(3);
      expect(new Set(away.received.map(({ sequence }) => sequence)).size).toBe(3);
    });
  },
  { env: { ...clock.env, WEBHOOK_ALLOW_PRIVATE: 'true', NODE_EXTRA_CA_CERTS: authority.cert } },
);
