import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { KEY } from '../cli/places.ts';
import { startCore } from '../running-core.ts';
import { type AdminPage, describeAdminPage, expectAccessible, expectPresentable } from './admin-page.ts';
import { emailOf, ROLES } from './seeded-folder.ts';

const PASSWORD = 'a good password 1';
const POLLS = '/manage/v1/overview';
/** Two of the page's questions lie so far apart, and a little more. */
const TWO_POLLS_MS = 5_000;

const isThere = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Busiest endpoints' }).waitFor();

/** Counts what the page asks about the process. */
function countPolls(page: Page): () => number {
  let polls = 0;
  page.on('request', (request) => (polls += Number(request.url().endsWith(POLLS))));
  return () => polls;
}

/** People who sign up, sign in, and fail to, in an app; what is counted is written within five seconds. */
async function useApp(admin: AdminPage, app: string): Promise<void> {
  const at = `/appid-${app}`;
  await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: app });
  for (const n of [1, 2, 3]) await admin.ask('POST', `${at}/recipe/signup`, { email: `u${n}@example.com`, password: PASSWORD });
  for (const password of [PASSWORD, PASSWORD, 'wrong password 1']) {
    await admin.ask('POST', `${at}/recipe/signin`, { email: 'u1@example.com', password });
  }
  const today = new Date().toISOString().slice(0, 10);
  const days = async (): Promise<unknown> => (await admin.ask('GET', `${at}/manage/v1/statistics?from=${today}&to=${today}`))['days'];
  await expect.poll(days, { timeout: 20_000 }).toMatchObject([{ signUps: 3, signIns: 2, signInFailures: 1 }]);
}

describeAdminPage('the overview', (admin) => {
  test.each(ROLES)('is open to a %s, who finds it by the menu', async (role) => {
    const page = await admin.open(role, '#/users');
    await page.getByRole('link', { name: 'Overview' }).click();
    await isThere(page);
    expect(await admin.askFrom(page, 'GET', POLLS)).toBe(200);
  });

  test('tells of an app by day: empty at first, then as lines and as a table, for the span that is chosen', async () => {
    const page = await admin.open('viewer', '#/overview?app=quiet');
    await page.getByText('appId and tenantId combination not found').waitFor();
    await useApp(admin, 'busy');
    await admin.ask('PUT', '/recipe/multitenancy/app/v2', { appId: 'quiet' });
    await page.reload();
    await page.getByText('Nothing was counted in this time').waitFor();
    await page.goto(`${admin.url}#/overview?app=busy`);
    await page.getByText('Sign-ins as a table').click();
    const table = page.getByRole('table', { name: 'Sign-ins', exact: true });
    await expect.poll(() => table.getByRole('row').count()).toBe(31);
    expect(await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual([expect.stringMatching(/^\d{4}-/), '2', '1']);
    await page.getByLabel('Span').selectOption('7');
    await expect.poll(() => table.getByRole('row').count()).toBe(8);
    expect(page.url()).toContain('days=7');
    await expectAccessible(page);
    // A pointer reads a day off the lines.
    const lines = page.locator('.chart', { hasText: 'Sign-ups' }).locator('.plot svg');
    const { width = 0 } = (await lines.boundingBox()) ?? {};
    await lines.hover({ position: { x: width - 1, y: 20 } });
    await page.locator('.legend', { hasText: new Date().toISOString().slice(0, 10) }).waitFor();
  });

  test('is presentable, with numbers that move and nothing that jumps', async () => {
    await useApp(admin, 'shown');
    const page = await admin.open('admin', '#/users');
    // The charts wait for their numbers while the rest is there.
    let arrive = (): void => undefined;
    const held = new Promise<void>((done) => (arrive = done));
    await page.route('**/manage/v1/statistics*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${admin.url}#/overview?app=shown&days=7`);
    await isThere(page);
    const tops = (): Promise<unknown> => page.evaluate('[...document.querySelectorAll("main section")].map((one) => one.offsetTop)');
    const before = await tops();
    arrive();
    await page.locator('.legend', { hasText: '3 in all' }).waitFor();
    expect(await tops()).toEqual(before);
    for (let n = 0; n < 40; n += 1) await admin.ask('GET', '/users?limit=1');
    await page.getByRole('table', { name: 'Busiest endpoints' }).getByText('GET /users', { exact: true }).waitFor();
    expect(await tops()).toEqual(before);
    await expectPresentable(page, 'overview');
  });

  test('says what is wrong and what to do about it', async () => {
    const page = await admin.open('viewer', '#/overview');
    const warnings = page.getByRole('list', { name: 'What is not as it should be' });
    await warnings.getByText('no backups are made on a schedule').waitFor();
    expect(await warnings.getByText('What to do: set backup_dir').count()).toBe(1);
  });

  test('asks nothing while it is hidden or forgotten, and at once when somebody looks again', async () => {
    const page = await admin.open('viewer', '#/users');
    const polls = countPolls(page);
    await page.clock.install();
    await page.goto(`${admin.url}#/overview`);
    await isThere(page);
    await page.clock.runFor(10_000);
    await expect.poll(polls).toBeGreaterThan(1);
    await page.clock.runFor(20 * 60_000);
    await page.waitForTimeout(500);
    const forgotten = polls();
    await page.clock.runFor(60_000);
    expect(polls()).toBe(forgotten);
    await page.mouse.move(5, 5);
    await page.clock.runFor(2_100);
    await expect.poll(polls).toBe(forgotten + 1);
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`);
    await page.waitForTimeout(500);
    const hidden = polls();
    await page.clock.runFor(60_000);
    expect(polls()).toBe(hidden);
    await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`);
    await expect.poll(polls).toBe(hidden + 1);
  });

  test('a session that ends in the middle: it goes on after the sign-in', async () => {
    const page = await admin.open('support', '#/overview');
    await isThere(page);
    await admin.ask('POST', '/manage/v1/operators/sessions/end', { email: emailOf('support') });
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    const polls = countPolls(page);
    await page.waitForTimeout(TWO_POLLS_MS);
    expect(polls()).toBe(0);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(polls, { timeout: TWO_POLLS_MS }).toBeGreaterThan(0);
  });

  test('a core that starts anew while one looks: the page says so, and goes on with its numbers', async () => {
    const page = await admin.open('viewer', '#/overview');
    await isThere(page);
    const { port, dataDir } = admin.core;
    await admin.core.kill();
    await page.getByText('The core does not answer').first().waitFor();
    await page.getByText(/The last that .* said, at/).waitFor();
    const again = await startCore({ dataDir, env: { API_KEYS: KEY, SUPERTOKENS_PORT: String(port) }, flags: ['--port', String(port)] });
    try {
      await page.getByText('The core was started anew').waitFor();
      expect(await page.getByText('The core does not answer').count()).toBe(0);
      await page.getByText(`process ${again.pid} is now`).waitFor();
    } finally {
      await again.stop();
    }
  });
});
