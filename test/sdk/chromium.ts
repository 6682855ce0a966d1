import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import connect from 'chrome-remote-interface';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const START_LIMIT_MS = 60_000;
const LISTENING = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//;

/** Where a browser is; undefined where none is installed. */
export const CHROMIUM: string | undefined = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
  .find((file) => existsSync(file));

/** A page of a browser without a window. */
export interface Page {
  send(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Runs the body of an async function in the page, and answers what it returns as JSON. */
  run<T>(body: string, ...values: readonly unknown[]): Promise<T>;
  goTo(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a browser with a profile of its own. @param program its file */
export async function openChromium(program: string): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'watchword-chromium-'));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--remote-debugging-port=0',
  ];
  const child = spawn(program, [...flags, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const client = await connect({ host: '127.0.0.1', port: await portOf(child), local: true });
  return {
    send: (method, params) => client.send(method, params),
    run: async (body, ...values) => {
      const expression = `(async (...values) => { ${body} })(...${JSON.stringify(values)})`;
      const { result, exceptionDetails } = await client.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { readonly value: never }).value;
    },
    goTo: async (url) => {
      await client.send('Page.navigate', { url });
    },
    close: async () => {
      await client.close();
      child.kill('SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}

/** The debugging port, which the browser chooses and tells. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    let said = '';
    const limit = setTimeout(() => fail(new Error(`the browser did not start: ${said}`)), START_LIMIT_MS);
    child.once('exit', () => fail(new Error(`the browser ended: ${said}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const port = LISTENING.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      done(Number(port));
    });
  });
}
