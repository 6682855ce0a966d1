import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addressesOf, describeAdminPage, visit } from './admin-page.ts';
import { emailOfUser } from './seeded-folder.ts';

/** More stops than any page has. */
const MOST_STOPS = 400;

/** Everything that a mouse could use, named by its place in the page; what is closed, hidden or switched off is not there. */
const USABLE = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }))`;

/** Marks each of them, and answers how many there are. */
const MARK = `${USABLE}.map((one, n) => (one.dataset.stop = String(n))).length`;

/** What has the focus: its mark, whether one sees that it has it, and whether something lies above it (WCAG 2.4.7 and 2.4.11). */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  const isMarked = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  const { left, top, width, height } = one.getBoundingClientRect();
  const above = document.elementFromPoint(left + width / 2, top + height / 2);
  const isSeen = above !== null && (one.contains(above) || above.contains(one));
  return { stop: one.dataset.stop, isMarked, isSeen, html: one.outerHTML.slice(0, 200) };
})()`;

interface Focused {
  readonly stop?: string;
  readonly isMarked: boolean;
  readonly isSeen: boolean;
  readonly html: string;
}

/** Goes through a page by Tab alone. Answers what is wrong: what is not reached, and where one does not see the focus. */
async function tabThrough(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate<number>(MARK);
  expect(count).toBeGreaterThan(10);
  await page.evaluate('document.activeElement.blur()');
  const reached = new Set<string>();
  const faults: string[] = [];
  let last: string | undefined;
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate<Focused>(FOCUSED);
    // A field for a time has several stops of its own.
    if (at.stop === undefined || at.stop === last) continue;
    if (reached.has(at.stop)) break;
    reached.add(at.stop);
    last = at.stop;
    if (!at.isMarked) faults.push(`the focus is not seen on ${at.html}`);
    if (!at.isSeen) faults.push(`something lies above ${at.html}`);
  }
  // Of the radio buttons of a group, Tab reaches the one that is chosen; arrows reach the others.
  const missed = await page.evaluate<readonly string[]>(`${USABLE}
    .filter((one) => one.type !== 'radio' && !${JSON.stringify([...reached])}.includes(one.dataset.stop))
    .map((one) => one.outerHTML.slice(0, 200))`);
  return [...faults, ...missed.map((html) => `not reached: ${html}`)];
}

describeAdminPage('by the keyboard alone', (admin) => {
  test('everything on every page is reached, and one sees where one is', async () => {
    await admin.ask('PUT', '/recipe/role', { role: 'writer', permissions: ['write'] });
    const { webhook } = await admin.ask('POST', '/manage/v1/webhooks', { url: 'https://example.com/', kinds: ['*'] });
    const page = await admin.open('admin', '#/users');
    await page.getByRole('row').nth(3).waitFor();
    const user = await page.evaluate<string>('document.querySelector("main tbody a").hash');
    const items = [user, '#/tenants/public', '#/roles/writer', `#/webhooks/${(webhook as { readonly id: string }).id}`];
    for (const hash of [...(await addressesOf(page)), ...items]) {
      await visit(page, admin, hash);
      expect([hash, await tabThrough(page)]).toEqual([hash, []]);
    }
  });

  test('somebody is found, disabled, enabled again and removed', async () => {
    const page = await admin.open('support', '#/sessions');
    const email = emailOfUser(40);
    const press = (...keys: readonly string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    /** By the palette, as a person does who does not know where the button stands. */
    const command = async (words: string): Promise<void> => {
      await press('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).waitFor();
      await page.keyboard.type(words);
      // Offered as soon as the page has loaded again what the command before changed.
      await page.getByRole('option', { name: words, exact: true, selected: true }).waitFor();
      await press('Enter');
    };
    await press('g', 'u');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await press('/');
    await page.keyboard.type(email);
    await expect.poll(() => page.locator('tbody a').allInnerTexts()).toEqual([email]);
    await page.evaluate('document.activeElement.blur()');
    await press('j', 'Enter');
    await page.getByRole('heading', { level: 1, name: email }).waitFor();
    await command('Disable');
    await page.getByText(`${email} is disabled`).waitFor();
    await command('Enable');
    await page.getByText(`${email} may sign in again`).waitFor();
    await command('Remove user');
    await page.getByLabel(`Type “${email}” to confirm`).waitFor();
    await page.keyboard.type(email);
    await press('Enter');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await admin.ask('GET', `/recipe/user?email=${email}`)).toEqual({ status: 'UNKNOWN_EMAIL_ERROR' });
  });
});
