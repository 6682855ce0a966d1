import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';
import { type Ended, watchword } from '../transfer/program.ts';

/** What commands say to something that is not the core they expect. */

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const made = createServer(listener).listen(0, '127.0.0.1');
  server = made;
  await once(made, 'listening');
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

async function asked(status: number, text: string, words: readonly string[] = ['keys', 'list']): Promise<Ended> {
  const url = await serve((_, response) => response.writeHead(status).end(text));
  return watchword([...words, '--url', url]);
}

test.each(['', '<html>', 'null', '1', '"x"', '[]', '{}', '{"status":1}'])(
  'an answer of a stranger, %j, is said to be one',
  async (text) => {
    const { code, stderr } = await asked(200, text);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^watchword keys list: What answers as .* is no Watchword core\n$/)]);
  },
);

test.each([404, 405])('a core that answers %i does not know what newer or older ones do', async (status) => {
  const { code, stderr } = await asked(status, 'Not found');
  expect([code, stderr]).toEqual([1, expect.stringContaining('it is older or newer than this command, which is version 0.1.0')]);
});

test('what a core answers works on no terminal', async () => {
  const { stderr } = await asked(500, 'a\u001b[2Jb\u009bc\u202ed\r\ne');
  expect(stderr).toMatch(/answers 500: a\?\[2Jb\?c\?d\?\ne\n$/);
  const names = { status: 'OK', roles: ['a\u001b[2Jb\u009bc\u202ed\r\ne'] };
  expect((await asked(200, JSON.stringify(names), ['role', 'list'])).stdout).toBe('a?[2Jb?c?d??e\n');
  const { stdout } = await asked(200, JSON.stringify(names), ['role', 'list', '--json']);
  expect(stdout).toMatch(/^[ -~\n]*$/);
  expect(JSON.parse(stdout)).toEqual(names.roles);
});

test.each(['SIGINT', 'SIGTERM'] as const)('the first %s ends a command that waits for its core', async (signal) => {
  let isAsked = (): void => {};
  const request = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const url = await serve(() => isAsked());
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'dist/src/cli.js'), 'keys', 'list', '--url', url], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await request;
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
});
