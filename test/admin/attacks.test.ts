import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, COOKIE, PASSWORD } from '../recipes/admin/browser.ts';
import { APP } from '../recipes/saml/calls.ts';
import { makeIdp, metadataOf } from '../saml-idp/idp.ts';
import { type AdminPage, addressesOf, describeAdminPage, visit } from './admin-page.ts';
import { emailOf, emailOfUser } from './seeded-folder.ts';

/** Of any password. */
const HASH = '$2a$04$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const EVIL = 'evil@example.com';
const NASTY = '<img src=x onerror=window.hit=1><script>window.hit=1</script>\u202e👾';
const FAR = { past: '1999-06-01T00:00:00Z', future: '2091-06-01T00:00:00Z' } as const;

let site: Server;
beforeAll(async () => {
  site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>'));
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  site.close();
});

/** Works in a tab with the page of somebody else, in the browser in which an operator is signed in. */
async function inForeignTab(page: Page, host: string, work: (tab: Page) => Promise<void>): Promise<void> {
  const tab = await page.context().newPage();
  try {
    await tab.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
    await work(tab);
  } finally {
    await tab.close();
  }
}

/** What a page of another origin gets of requests that carry the cookie where the browser sends it. */
async function askAcross([to = '', sent = '']: readonly string[]): Promise<readonly string[]> {
  const told = async (path: string, init: object): Promise<string> => {
    const answer = await fetch(to + path, { credentials: 'include', ...init }).catch(() => undefined);
    return answer === undefined ? 'stopped' : answer.type;
  };
  return [
    await told('/add', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: sent }),
    await told('/add', { method: 'POST', headers: { 'content-type': 'application/json', 'x-csrf-token': 'x' }, body: sent }),
    await told('', {}),
  ];
}

const emailsOf = async (admin: AdminPage): Promise<readonly string[]> => {
  const { operators } = (await admin.ask('GET', '/manage/v1/operators')) as { operators: readonly { readonly email: string }[] };
  return operators.map(({ email }) => email);
};

describeAdminPage('attacks on the admin page', (admin) => {
  // The second is another origin of the same site: browsers send it the cookie, `SameSite=Strict` or not.
  test.each(['127.0.0.1', 'localhost'])('requests of a page at %s change nothing and read nothing', async (host) => {
    const page = await admin.open('admin', '#/account');
    const target = `http://localhost:${admin.core.port}/manage/v1/operators`;
    const body = JSON.stringify({ email: EVIL, password: PASSWORD, role: 'admin' });
    await inForeignTab(page, host, async (tab) => {
      expect(await tab.evaluate(askAcross, [target, body] as const)).toEqual(['opaque', 'stopped', 'stopped']);
    });
    expect(await emailsOf(admin)).not.toContain(EVIL);
  });

  test.each(['', 'wrong'])('the page itself changes nothing with the token "%s"', async (token) => {
    const page = await admin.open('admin', '#/account');
    const status = await page.evaluate(
      async ([sent = '', body = '']) => {
        const headers = { 'content-type': 'application/json', ...(sent !== '' && { 'x-csrf-token': sent }) };
        return (await fetch('../manage/v1/operators/add', { method: 'POST', headers, body })).status;
      },
      [token, JSON.stringify({ email: EVIL, password: PASSWORD, role: 'admin' })] as const,
    );
    expect(status).toBe(403);
    expect(await emailsOf(admin)).not.toContain(EVIL);
  });

  test.each(['127.0.0.1', 'localhost'])('a page at %s does not show it in a frame', async (host) => {
    const page = await admin.open('admin', '#/account');
    await inForeignTab(page, host, async (tab) => {
      await tab.evaluate(`document.body.innerHTML = '<iframe src="${admin.url}"></iframe>'`);
      await expect.poll(() => tab.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
    });
  });

  test('a cookie that was planted, of nobody or of an attacker, is not the session that begins', async () => {
    const attacker = new Browser(admin.core.port);
    await attacker.signIn(emailOf('viewer'));
    for (const planted of ['0'.repeat(43), attacker.cookie ?? '']) {
      const page = await admin.openSignedOut();
      await page.context().addCookies([{ name: COOKIE, value: planted, domain: 'localhost', path: '/', secure: true, sameSite: 'Strict' }]);
      await admin.askFrom(page, 'POST', '/manage/v1/operator/sign-out');
      await page.context().addCookies([{ name: COOKIE, value: planted, domain: 'localhost', path: '/', secure: true, sameSite: 'Strict' }]);
      await page.reload();
      await page.getByLabel('Email').fill(emailOf('support'));
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'My account' }).waitFor();
      const own = (await page.context().cookies()).find(({ name }) => name === COOKIE)?.value;
      expect(own).toMatch(/^[\w-]{43}$/);
      expect(own).not.toBe(planted);
    }
    expect((await attacker.ask('GET', '/users')).status).toBe(401);
  });

  test('no address leads elsewhere or runs anything', async () => {
    for (const path of ['//evil.example', '/%2f%2fevil.example', '/..//evil.example', '/\\evil.example']) {
      const answer = await fetch(`${admin.core.url}/admin${path}`, { redirect: 'manual' });
      expect(answer.headers.get('location') ?? 'admin/').toBe('admin/');
    }
    const page = await admin.open('admin', '#/account');
    const tricks = [
      '#//evil.example',
      '#/\\evil.example',
      '#javascript:window.hit=1',
      '#/users/javascript:window.hit=1',
      '#/users?q=%3Cimg%20src=x%3E',
    ];
    for (const hash of tricks) {
      await page.goto(admin.url + hash);
      await page.reload();
      await page.locator('main').waitFor();
      await page.waitForLoadState('networkidle');
      expect(page.url().startsWith(admin.url)).toBe(true);
      expect(await page.evaluate('window.hit')).toBeUndefined();
    }
  });

  test('markup in names is shown on no page as markup, and no link leads where it says', async () => {
    await admin.ask('PUT', '/recipe/role', { role: NASTY, permissions: [NASTY, `${NASTY}${'x'.repeat(150)}`] });
    const { user } = await admin.ask('POST', '/recipe/signup', { email: 'nasty@example.com', password: PASSWORD });
    const { id: userId } = user as { readonly id: string };
    await admin.ask('PUT', '/recipe/user/role', { userId, role: NASTY });
    await admin.ask('PUT', '/recipe/user/metadata', { userId, metadataUpdate: { [NASTY]: `${NASTY}${'y'.repeat(10_000)}` } });
    const { webhook } = await admin.ask('POST', '/manage/v1/webhooks', {
      url: `https://example.com/${encodeURIComponent(NASTY)}`,
      kinds: ['webhook.*'],
      description: NASTY,
    });
    const thirdPartyId = 'evil';
    const config = { thirdPartyId, name: NASTY, clients: [], authorizationEndpoint: 'javascript:window.hit=1' };
    await admin.ask('PUT', '/recipe/multitenancy/config/thirdparty', { config });
    const idp = await makeIdp('https://idp.example.com/');
    const metadataXML = Buffer.from(metadataOf(idp)).toString('base64');
    const clientId = NASTY;
    await admin.ask('PUT', '/recipe/saml/clients', { clientId, redirectURIs: [APP], defaultRedirectURI: APP, metadataXML });
    const page = await admin.open('admin', '#/account');
    const items = [`users/${userId}`, `webhooks/${(webhook as { readonly id: string }).id}`, `saml/${encodeURIComponent(NASTY)}`];
    for (const hash of [...(await addressesOf(page)), ...items.map((item) => `#/${item}`)]) {
      await visit(page, admin, hash);
      expect(await page.evaluate('[window.hit, document.querySelectorAll("main img[src=x], main script").length]')).toEqual([undefined, 0]);
      const schemes = await page.evaluate<readonly string[]>(
        '[...document.links].filter(({ download }) => download === "").map(({ protocol }) => protocol)',
      );
      expect(schemes.filter((scheme) => !/^https?:$/.test(scheme))).toEqual([]);
      await page.setViewportSize({ width: 320, height: 800 });
      expect([hash, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([hash, 320]);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  test.each(Object.entries(FAR))('with a clock far in the %s every page works, and times are those of the core', async (_when, time) => {
    // Fails, as the email is taken, and stays in the queue.
    const taken = { recipeId: 'emailpassword', email: emailOfUser(1), passwordHash: HASH, hashingAlgorithm: 'bcrypt' };
    await admin.ask('POST', '/bulk-import/users', { users: [{ loginMethods: [taken] }] });
    const failed = async () => (await admin.ask('GET', '/bulk-import/users/count?status=FAILED'))['count'];
    await expect.poll(failed).toBeGreaterThan(0);
    const page = await admin.open('admin', '#/account');
    const shown = (): Promise<readonly string[]> =>
      page.evaluate('[...document.querySelectorAll("main .facts time")].map(({ dateTime }) => dateTime.slice(0, 13))');
    await expect.poll(shown).toHaveLength(1);
    const before = await shown();
    await page.clock.install({ time });
    for (const hash of await addressesOf(page)) {
      await visit(page, admin, hash);
      expect([hash, await page.getByRole('dialog').count()]).toEqual([hash, 0]);
    }
    await visit(page, admin, '#/imports');
    for (const ago of await page.locator('main tbody time').allInnerTexts()) expect(ago).toMatch(/^now$|second|minute/);
    expect(await page.locator('main tbody time').count()).toBeGreaterThan(1);
    await visit(page, admin, '#/account');
    expect(await page.evaluate('new Date().getUTCFullYear()')).toBe(new Date(time).getUTCFullYear());
    await expect.poll(shown).toEqual(before);
    expect(await admin.askFrom(page, 'GET', '/users')).toBe(200);
  });
});
