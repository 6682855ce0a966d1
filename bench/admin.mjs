// The admin page in Chromium: rows while one types, the first paint, and what an open page costs the core.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { replay, sample } from './load/load.mjs';
import { post } from './load/requests.mjs';
import { alternate, atMost, notBelow } from './result.mjs';
import { seeded } from './seeded-users.mjs';
import { withCore } from './stage.mjs';

const OPERATOR = { email: 'bench-operator@example.com', password: `a1${randomBytes(16).toString('base64url')}` };
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const LIMIT_MS = 60_000;
/** So many users are looked for, by the first letters of their emails. */
const SEARCHES = 20;
/** Somebody begins with any three, in a quick run too. */
const LETTERS = 3;
/** Until the list of all is back. */
const REST_MS = 300;
const ROWS_MS = 100;
const SERVER_MS = 20;
const PAINTS = 15;
const PAINT_MS = 300;
const CONNECTIONS = 64;
const LEAST = 0.97;

/** Runs in the page: from the next key on it looks at each frame whether the rows are there that belong to what is typed by then. */
const WATCH_KEY = `
  window.expectRows = (typed) => {
    // The browser keeps 250 of them.
    performance.clearResourceTimings();
    window.found = new Promise((resolve, reject) => {
      addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => look(timeStamp)), { once: true, capture: true });
      const areThere = () => {
        const rows = [...document.querySelectorAll('main tbody tr')];
        // What is typed may begin an email or an id.
        return rows.length > 0 && rows.every(({ cells }) => [cells[0], cells[cells.length - 1]].some((cell) => cell.textContent.startsWith(typed)));
      };
      const look = (pressed) => {
        const rows = performance.now() - pressed;
        // Rows that were there before belong to the key only once the core has answered it.
        const asked = performance.getEntriesByType('resource').filter(({ name, startTime }) => name.includes('/manage/v1/users?') && startTime >= pressed);
        if (rows > 20_000) reject(new Error('no rows for ' + typed));
        else if (asked.length === 0 || !areThere() || document.querySelector('main [aria-busy=true]')) requestAnimationFrame(() => look(pressed));
        else resolve({ rows, server: Math.max(...asked.map(({ responseEnd, requestStart }) => responseEnd - requestStart)) });
      };
    });
  };
`;

function browserProgram() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find((file) => existsSync(file));
  if (!found) throw new Error('Chromium is not installed');
  return found;
}

/** A browser of which an operator is signed in at the core. @param work gets a function that makes fresh profiles with that session */
async function signedIn({ port }, work) {
  await sample(port, post('/manage/v1/operators/add', { ...OPERATOR, role: 'viewer' }, ''));
  const args = ['--disable-gpu', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: browserProgram(), args, chromiumSandbox: false, timeout: LIMIT_MS });
  try {
    const url = `http://localhost:${port}/admin/`;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    const status = await page.evaluate(
      async ([where, body]) => (await fetch(where, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status,
      ['../manage/v1/operator/sign-in', JSON.stringify(OPERATOR)],
    );
    if (status !== 200) throw new Error(`the sign-in was answered ${status}`);
    const storageState = await context.storageState();
    await context.close();
    return await work({ url, profile: () => browser.newContext({ storageState }) });
  } finally {
    await browser.close();
  }
}

/** Letters that follow each other in the emails of users (`seed-users.mjs`), each typed when the rows of the one before are there. */
async function typeLetters(page, searches) {
  const field = page.locator('main input[type=search]');
  const times = { rows: [], server: [] };
  for (let n = 0; n < searches; n += 1) {
    await field.fill('');
    await field.focus();
    await page.waitForTimeout(REST_MS);
    const letters = randomBytes(LETTERS).toString('hex').slice(0, LETTERS);
    for (let typed = 1; typed <= LETTERS; typed += 1) {
      await page.evaluate((prefix) => window.expectRows(prefix), letters.slice(0, typed));
      await page.keyboard.press(letters[typed - 1]);
      const { rows, server } = await page.evaluate(() => window.found);
      times.rows.push(rows);
      times.server.push(server);
    }
  }
  return times;
}

/** Lines of typing and of the first paint, with so many users. */
async function measureUsersPage(stage) {
  const users = stage.sizes.large;
  const { dataDir } = await seeded(stage, 'admin-users', users);
  return await withCore({ dataDir }, (core) =>
    signedIn(core, async ({ url, profile }) => {
      const context = await profile();
      const page = await context.newPage();
      await page.addInitScript(WATCH_KEY);
      await page.goto(`${url}#/users`);
      await page.locator('main tbody tr').first().waitFor();
      // The first ones compile.
      await typeLetters(page, 2);
      const times = await typeLetters(page, Math.round(SEARCHES * Math.max(0.5, stage.scale)));
      await context.close();
      const paints = [];
      for (let n = 0; n < PAINTS; n += 1) paints.push(await firstPaint(profile, url));
      const many = users.toLocaleString('en-US');
      return [
        atMost({ what: `admin page, from a key to the rows, at ${many} users`, values: times.rows, unit: 'ms', most: ROWS_MS }),
        atMost({ what: 'of it until the core has answered', values: times.server, unit: 'ms', most: SERVER_MS }),
        atMost({ what: 'admin page, first paint with an empty cache, signed in', values: paints, unit: 'ms', most: PAINT_MS }),
      ];
    }),
  );
}

/** Milliseconds from the navigation to the first content on the screen. */
async function firstPaint(profile, url) {
  const context = await profile();
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('main h1').waitFor();
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const handle = await page.waitForFunction(paint);
  const at = await handle.jsonValue();
  await context.close();
  return at;
}

/** Verify beside a page that asks for the overview every two seconds, in turn with the same beside an empty page. */
async function measureBesideOverview(stage) {
  const dataDir = await stage.store('small');
  const { plain: file, first } = await stage.exercised('small');
  return await withCore({ dataDir, httpThreads: 1 }, (core) =>
    signedIn(core, async ({ url, profile }) => {
      const { bytes: answerBytes } = await sample(core.port, first.plain);
      const page = await (await profile()).newPage();
      let polls = 0;
      page.on('response', (response) => (polls += Number(response.url().endsWith('/manage/v1/overview') && response.ok())));
      const seconds = stage.seconds(8);
      const verify = async () => (await replay({ port: core.port, file, connections: CONNECTIONS, seconds, answerBytes })).perSecond;
      const closed = async () => {
        await page.goto('about:blank');
        return await verify();
      };
      const open = async () => {
        await page.goto(`${url}#/overview`);
        await page.locator('main h2').first().waitFor();
        return await verify();
      };
      await closed();
      await open();
      polls = 0;
      const { limits, ours } = await alternate(stage.rounds(10), closed, open);
      if (polls < ours.length) throw new Error(`the page asked ${polls} times only`);
      return [
        notBelow({
          what: 'verify, token seen before, one front thread, with the overview open and live',
          limitName: 'the same with the page closed',
          limits,
          ours,
          unit: 'req/s',
          least: LEAST,
          note: `the page was answered ${polls} times; its browser shares the machine`,
        }),
      ];
    }),
  );
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  return [...(await measureUsersPage(stage)), ...(await measureBesideOverview(stage))];
}
