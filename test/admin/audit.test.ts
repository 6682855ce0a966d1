import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';

const PASSWORD = 'a good password 1';
const NASTY = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202Egnp.exe \u{1F468}\u200D\u{1F469} ${'W'.repeat(150)}`;
/** The seal comes about a second after a change. */
const SEALED = { timeout: 15_000, interval: 100 };
const PAGE_OF_EVENTS = 50;
let made = 0;

/** Signs somebody up. @param at what precedes the paths of an app. Answers the user's id */
async function makeUser(admin: AdminPage, at = ''): Promise<string> {
  made += 1;
  const answer = await admin.ask('POST', `${at}/recipe/signup`, { email: `told-${made}@example.com`, password: PASSWORD });
  return (answer as { readonly user: { readonly id: string } }).user.id;
}

async function change(admin: AdminPage, userId: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await admin.ask('PUT', '/recipe/user/metadata', { userId, metadataUpdate: { n: Math.random() } });
}

/** How many events of a user the core tells. */
async function told(admin: AdminPage, userId: string): Promise<number> {
  const { events } = await admin.ask('GET', `/manage/v1/audit?userId=${userId}&everywhere=true&limit=500`);
  return (events as readonly unknown[]).length;
}

const rows = (page: Page) => page.locator('main tbody tr');
const sequencesOn = async (page: Page): Promise<readonly number[]> =>
  (await rows(page).locator('pre').allTextContents()).map((text) => (JSON.parse(text) as { readonly sequence: number }).sequence);

describeAdminPage('the audit page', (admin) => {
  test('filters by kinds, user, tenant and time, all in the address', async () => {
    const id = await makeUser(admin);
    await admin.ask('POST', '/manage/v1/user/disable', { userId: id });
    await change(admin, id, 1);
    await expect.poll(() => told(admin, id), SEALED).toBe(3);
    const page = await admin.open('viewer', '#/audit');
    await page.getByLabel('Id of a user').fill(id);
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByLabel('Kinds').fill('user.created, user.disabled');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).locator('summary').allInnerTexts()).toEqual(['user.disabled', 'user.created']);
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await page.getByLabel('Kinds').inputValue()).toBe('user.created, user.disabled');
    await page.getByLabel('Until').fill('2020-01-01T12:00');
    await page.getByText('No event is like that').waitFor();
    expect(new URLSearchParams(page.url().split('?')[1]).get('until')).toMatch(/^1577\d{9}$/);
    await page.getByLabel('Until').fill('');
    await page.getByLabel('Since').fill('2020-01-01T12:00');
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByLabel('Tenant').fill('elsewhere');
    await page.keyboard.press('Enter');
    await page.getByText('No event is like that').waitFor();
    await page.getByLabel('Tenant').fill('public');
    await page.keyboard.press('Enter');
    await rows(page).getByRole('link', { name: id }).first().click();
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
  });

  test('shows all apps on demand; the link to a user leads to the app that the user is in', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'a2' });
    const id = await makeUser(admin, '/appid-a2');
    await expect.poll(() => told(admin, id), SEALED).toBe(1);
    const page = await admin.open('admin', `#/audit?user=${id}`);
    await page.getByText('No event is like that').waitFor();
    await page.getByLabel('All apps').click();
    await rows(page).getByRole('link', { name: id }).click();
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
    expect(page.url()).toContain('app=a2');
  });

  test('under writes nothing moves: new events are counted, and come when asked for', async () => {
    const id = await makeUser(admin);
    await expect.poll(() => told(admin, id), SEALED).toBe(1);
    const page = await admin.open('support', `#/audit?user=${id}`);
    await rows(page).locator('summary').click();
    const place = await rows(page).boundingBox();
    await change(admin, id, 3);
    await page.getByRole('button', { name: 'Show 3 new' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(await rows(page).boundingBox()).toEqual(place);
    await page.getByRole('button', { name: 'Show 3 new' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(4);
    await expect.poll(() => page.getByRole('button', { name: /Show .* new/ }).count()).toBe(0);
    // Tab goes on at the first event.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("tr").rowIndex')).toBe(1);
  });

  test('page by page under writes, each event comes once and none is left out', async () => {
    const id = await makeUser(admin);
    await change(admin, id, 3 * PAGE_OF_EVENTS - 1);
    await expect.poll(() => told(admin, id), SEALED).toBe(3 * PAGE_OF_EVENTS);
    const page = await admin.open('viewer', `#/audit?user=${id}`);
    await expect.poll(() => rows(page).count()).toBe(PAGE_OF_EVENTS);
    for (const pages of [2, 3]) {
      await change(admin, id, 20);
      await expect.poll(() => told(admin, id), SEALED).toBe(3 * PAGE_OF_EVENTS + 20 * (pages - 1));
      await page.getByRole('button', { name: 'More' }).click();
      await expect.poll(() => rows(page).count()).toBe(pages * PAGE_OF_EVENTS);
    }
    const { events } = await admin.ask('GET', `/manage/v1/audit?userId=${id}&order=ASC&limit=${3 * PAGE_OF_EVENTS}`);
    const first = (events as readonly { readonly sequence: number }[]).map(({ sequence }) => sequence);
    expect(await sequencesOn(page)).toEqual(first.toReversed());
  });

  test('verifies the trail piece by piece, says how far it is, and what it finds', async () => {
    const page = await admin.open('viewer', '#/audit');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('verify the trail');
    await page.keyboard.press('Enter');
    await page.getByText(/The trail is whole, up to event \d+/).waitFor();
    const asked: (string | null)[] = [];
    const whole = { status: 'OK', from: '0:x', isWhole: false, unsealed: { count: 0 } };
    const finding = { fault: 'changed', first: 101, last: 120 };
    let goOn = (): void => undefined;
    const mayGoOn = new Promise<void>((done) => (goOn = done));
    await page.route('**/manage/v1/audit/verify*', async (route) => {
      const from = new URL(route.request().url()).searchParams.get('from');
      asked.push(from);
      if (from === null) return route.fulfill({ json: { ...whole, to: '100:abc' } });
      await mayGoOn;
      await route.fulfill({ json: { ...whole, status: 'BROKEN_TRAIL_ERROR', to: '100:abc', finding } });
    });
    await page.getByRole('button', { name: 'Verify the trail' }).click();
    await page.getByText('Everything up to event 100 is as it was written').waitFor();
    goOn();
    await page.getByText('Events 101 to 120 were changed').waitFor();
    expect(asked).toEqual([null, '100:abc']);
  });

  test('an address that makes no sense gets the words of the core', async () => {
    const page = await admin.open('viewer', '#/audit?since=never&until=1e99');
    await page
      .getByRole('alert')
      .getByText(/since|until/)
      .waitFor();
    await page.getByLabel('Since').fill('2020-01-01T12:00');
    expect(await page.getByLabel('Until').inputValue()).toBe('');
  });

  test('is presentable, however odd the names in it', async () => {
    const id = await makeUser(admin);
    await admin.ask('PUT', '/recipe/role', { role: NASTY });
    await admin.ask('PUT', '/recipe/user/role', { userId: id, role: NASTY });
    await expect.poll(() => told(admin, id), SEALED).toBe(2);
    const page = await admin.open('viewer', '#/audit');
    await rows(page).first().waitFor();
    for (const summary of await rows(page).locator('summary').all()) await summary.click();
    await rows(page).getByText('onerror').first().waitFor();
    await expectPresentable(page, 'audit-nasty');
    expect(await page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0);
    await page.reload();
    await rows(page).first().waitFor();
    await expectPresentable(page, 'audit');
  });
});
