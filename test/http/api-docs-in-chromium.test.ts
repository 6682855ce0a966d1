import { expect, test } from 'vitest';
import type { RunningCore } from '../running-core.ts';
import { CHROMIUM, openChromium, type Page } from '../sdk/chromium.ts';
import { withCore } from '../with-core.ts';

const LOAD_LIMIT_MS = 20_000;
/** Says what the page loaded and what its policy stopped, from its first moment on. */
const WATCH = `
  window.stopped = [];
  document.addEventListener('securitypolicyviolation', (event) => window.stopped.push(event.violatedDirective + ' ' + event.blockedURI));
`;

let core: RunningCore;
withCore({ env: { BASE_PATH: '/auth' } }, (running) => (core = running));

async function loaded(page: Page): Promise<void> {
  for (const end = Date.now() + LOAD_LIMIT_MS; Date.now() < end; await new Promise((done) => setTimeout(done, 50)))
    if (await page.run<boolean>("return document.readyState === 'complete' && document.querySelector('nav input') !== null")) return;
  throw new Error('the page did not load');
}

test('the reference shows every operation, stays within its policy, and asks no other host', async () => {
  if (CHROMIUM === undefined) {
    console.log('no Chromium is installed: the page is not looked at in a browser');
    return;
  }
  const page = await openChromium(CHROMIUM);
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
    await page.goTo(`${core.url}/auth/docs`);
    await loaded(page);
    const { paths } = (await (await fetch(`${core.url}/openapi.json`)).json()) as { readonly paths: Readonly<Record<string, object>> };
    const operations = Object.values(paths).flatMap((one) => Object.keys(one).filter((name) => name !== 'servers'));
    const shown = await page.run<{
      articles: number;
      links: number;
      broken: string[];
      stopped: string[];
      asked: string[];
      columns: string;
    }>(`
      return {
        articles: document.querySelectorAll('article.operation').length,
        links: document.querySelectorAll('nav li a').length,
        broken: [...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash).filter((hash) => !document.getElementById(hash.slice(1))),
        stopped: window.stopped,
        asked: performance.getEntriesByType('resource').map(({ name }) => name),
        columns: getComputedStyle(document.body).display,
      };
    `);
    expect(shown).toEqual({
      articles: operations.length,
      links: operations.length,
      broken: [],
      stopped: [],
      asked: [`${core.url}/auth/docs/reference.css`, `${core.url}/auth/docs/reference.js`],
      columns: 'grid',
    });
    const left = await page.run<readonly string[]>(`
      const field = document.querySelector('nav input');
      field.value = 'device verify';
      field.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('nav li')].filter((item) => !item.hidden && !item.closest('details').hidden).map((item) => item.textContent);
    `);
    expect(left).toEqual(['POST /recipe/totp/device/verify']);
    // The policy is in force: what a page like this could be made to load is stopped.
    const stopped = await page.run<readonly string[]>(`
      const image = document.createElement('img');
      image.src = 'http://127.0.0.1:9/x.png';
      document.body.append(image);
      await new Promise((done) => document.addEventListener('securitypolicyviolation', done, { once: true }));
      return window.stopped;
    `);
    expect(stopped).toEqual(['img-src http://127.0.0.1:9/x.png']);
  } finally {
    await page.close();
  }
}, 90_000);
