import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { KEY } from '../cli/places.ts';
import { PASSWORD } from '../recipes/admin/browser.ts';
import { type CoreOptions, PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { CHROMIUM, ELSEWHERE, startChromium } from '../sdk/chromium.ts';
import { emailOf, type Role, seededFolder } from './seeded-folder.ts';

/** What tests of the admin page share: a browser, a core with 100,000 users, and the rules that hold on every page. */
export interface AdminPage {
  readonly core: RunningCore;
  /** Where the page is. */
  readonly url: string;
  /** Signs an operator in, in a browser profile of its own, and opens the page at an address. @param hash as `#/users` */
  open(role: Role, hash?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens the page where nobody is signed in. */
  openSignedOut(options?: BrowserContextOptions): Promise<Page>;
  /** Calls the core with a key that may do everything. Answers the body. @throws Error where the status is not 200 */
  ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Asks from within the page, as its scripts could, past what it offers: answers the HTTP status. */
  askFrom(page: Page, method: string, path: string, body?: object): Promise<number>;
}

const LIMIT_MS = 120_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** `RECORD_SCREENSHOTS=1` puts them where docs/admin.md shows them. */
const SCREENSHOTS = process.env['RECORD_SCREENSHOTS']
  ? join(PROJECT_ROOT, 'docs', 'images', 'admin')
  : join(PROJECT_ROOT, '.tmp', 'admin-screenshots');

const WATCH = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
`;

/** Tests in Chromium; where there is none, one line that says so. @param options of the core */
export function describeAdminPage(name: string, body: (admin: AdminPage) => void, options: CoreOptions = {}): void {
  const program = CHROMIUM;
  if (program === undefined) {
    test(name, () => {
      console.log(`${name}: Chromium is not installed, left out`);
    });
    return;
  }
  describe(name, { timeout: LIMIT_MS }, () => {
    let core: RunningCore;
    let browser: Browser;
    let faults: string[] = [];

    beforeAll(async () => {
      const dataDir = await seededFolder();
      core = await startCore({ ...options, dataDir, env: { API_KEYS: KEY, ...options.env } });
      browser = await startChromium(program);
    }, LIMIT_MS);
    afterAll(async () => {
      await browser?.close();
      await core?.stop();
      if (core) rmSync(core.dataDir, { recursive: true, force: true, maxRetries: 5 });
    });
    // Whatever a test does: the policy stops nothing, no other host is asked, no script fails.
    afterEach(async () => {
      for (const context of browser.contexts()) {
        for (const page of context.pages()) faults.push(...(await page.evaluate<string[]>('window.violations').catch(() => [])));
        await context.close();
      }
      const found = faults;
      faults = [];
      expect(found).toEqual([]);
    });

    const url = (): string => `http://localhost:${core.port}/admin/`;
    const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      await page.addInitScript(WATCH);
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => {
        const { host, protocol } = new URL(request.url());
        const ours = ['localhost', ELSEWHERE].map((name) => `${name}:${core.port}`);
        if (protocol !== 'data:' && !ours.includes(host)) faults.push(`asked ${request.url()}`);
      });
      return page;
    };

    body({
      get core() {
        return core;
      },
      get url() {
        return url();
      },
      open: async (role, hash = '', options = {}) => {
        const page = await newPage(options);
        await page.goto(url());
        const status = await askOf(page, 'POST', 'manage/v1/operator/sign-in', { email: emailOf(role), password: PASSWORD });
        expect(status).toBe(200);
        await page.goto(url() + hash);
        await page.reload();
        await page.locator('main h1').waitFor();
        return page;
      },
      openSignedOut: async (options) => {
        const page = await newPage(options);
        await page.goto(url());
        return page;
      },
      ask: async (method, path, content) => {
        const answer = await fetch(core.url + path, {
          method,
          headers: { 'api-key': KEY, 'content-type': 'application/json' },
          ...(content && { body: JSON.stringify(content) }),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return JSON.parse(text) as Readonly<Record<string, unknown>>;
      },
      askFrom: (page, method, path, content) => askOf(page, method, path.replace(/^\//, ''), content),
    });
  });
}

/** From the page, with the CSRF token that the core gives it. */
function askOf(page: Page, method: string, path: string, body?: object): Promise<number> {
  const ask = async ([verb = '', where = '', content = '']: readonly string[]): Promise<number> => {
    const who = (await (await fetch('../manage/v1/operator')).json()) as { readonly csrfToken?: string };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': who.csrfToken ?? '' };
    return (await fetch(`../${where}`, { method: verb, headers, ...(content !== '' && { body: content }) })).status;
  };
  return page.evaluate(ask, [method, path, body === undefined ? '' : JSON.stringify(body)] as const);
}

/** Where every page is that the menu leads to, and the own account. */
export async function addressesOf(page: Page): Promise<readonly string[]> {
  await page.locator('nav a').first().waitFor();
  const found = await page.evaluate<readonly string[]>('[...document.querySelectorAll("nav li a")].map((a) => a.getAttribute("href"))');
  expect(found.length).toBeGreaterThan(3);
  return [...found, '#/account'];
}

/** Loads a page anew and waits until it has what it asks for. */
export async function visit(page: Page, admin: AdminPage, hash: string): Promise<void> {
  // Where only the hash changes, what stood there before would still be there for a moment.
  await page.goto('about:blank');
  await page.goto(admin.url + hash);
  await page.locator('main h1').waitFor();
  await page.waitForLoadState('networkidle');
}

/** No finding of axe for WCAG 2.2 AA, and nothing that a narrow screen would have to scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate<readonly string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html).join(' | ')))`);
  expect(found).toEqual([]);
}

/** Axe in both themes, a picture of each, and no sideways scrolling at 320 pixels. @param name of the picture files */
export async function expectPresentable(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await expectAccessible(page);
  await page.setViewportSize(size);
}
