import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium } from 'playwright-core';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const START_LIMIT_MS = 60_000;

/** Where a browser is; undefined where none is installed. */
export const CHROMIUM: string | undefined = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
  .find((file) => existsSync(file));

/** A host that the browser takes for one elsewhere; this machine answers. */
export const ELSEWHERE = 'watchword.example';

/** Starts a browser without a window, with a profile of its own that goes with it. @param program its file */
export function startChromium(program: string): Promise<Browser> {
  const args = ['--disable-gpu', '--disable-dev-shm-usage', `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`];
  return chromium.launch({ executablePath: program, args, chromiumSandbox: false, timeout: START_LIMIT_MS });
}

/** A page of a browser of its own. */
export interface Page {
  /** Speaks to the browser by the protocol of its developer tools. */
  readonly send: CDPSession['send'];
  /** Runs the body of an async function in the page, whatever its policy, and answers what it returns. */
  run<T>(body: string, ...values: readonly unknown[]): Promise<T>;
  goTo(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a browser with one page. @param program its file */
export async function openChromium(program: string): Promise<Page> {
  const browser = await startChromium(program);
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  return {
    send: session.send.bind(session),
    run: (body, ...values) => page.evaluate(`(async (...values) => { ${body} })(...${JSON.stringify(values)})`),
    goTo: async (url) => {
      await page.goto(url);
    },
    close: () => browser.close(),
  };
}
