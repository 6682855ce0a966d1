import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMeta } from '../../src/store/lmdb/pages.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';

const MARK = 'a text by which its record is found';
const SOUND = /^[\d,]+ records and [\d,]+ index entries were checked in \d+ s: nothing was found\.\n$/;

async function post(core: RunningCore, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', 'cdi-version': '5.1' };
  const response = await fetch(core.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

async function put(core: RunningCore, path: string, body: object): Promise<void> {
  const response = await fetch(core.url + path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'cdi-version': '5.1' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

/** Something of most kinds that a core stores. */
async function fill(core: RunningCore): Promise<void> {
  for (let n = 0; n < 5; n++) await post(core, '/recipe/signup', { email: `u${n}@example.com`, password: 'correct horse battery' });
  await post(core, '/recipe/session', { userId: 'u', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false });
  await put(core, '/recipe/role', { role: 'admin', permissions: ['all'] });
  await put(core, '/recipe/user/role', { userId: 'u', role: 'admin' });
  await put(core, '/recipe/user/metadata', { userId: 'u', metadataUpdate: { text: MARK } });
  await post(core, '/recipe/signinup/code', { email: 'code@example.com' });
}

function copyOf(path: string): string {
  const copy = join(temporaryFolder(), 'data');
  mkdirSync(copy);
  copyFileSync(join(path, 'data.mdb'), join(copy, 'data.mdb'));
  return copy;
}

/** Flips one bit of a text wherever it stands in the file. */
function flip(path: string, text: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const doctor = (path: string): ReturnType<typeof watchword> => watchword(['doctor', '--check-store', '--data-dir', path]);

test('watchword doctor --check-store finds nothing in a sound store, and names what is damaged', { timeout: 120_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const core = await startCore({ dataDir });
  await fill(core);
  const beside = await doctor(dataDir);
  expect(beside).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(SOUND) });
  await core.stop();
  expect(await doctor(dataDir)).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(SOUND) });

  const flipped = copyOf(dataDir);
  flip(join(flipped, 'data.mdb'), MARK);
  const found = await doctor(flipped);
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(/^collection user_?[mM]etadata: the record [0-9a-f]{16} is damaged\n$/);
  expect(found.stderr).toContain(': 1 finding.\n');
  // A core answers what it cannot know with a fault, which is named in its log, and serves the rest.
  const served = await startCore({ dataDir: flipped, faultsExpected: true });
  expect((await fetch(`${served.url}/recipe/user/metadata?userId=u`)).status).toBe(500);
  expect((await fetch(`${served.url}/recipe/user/metadata?userId=nobody`)).status).toBe(200);
  expect(served.output()).toContain(found.stdout.trim());
  expect(served.output()).not.toContain(MARK.slice(1));
  await served.stop();

  const torn = copyOf(dataDir);
  const file = openSync(join(torn, 'data.mdb'), 'r+');
  const root = Number(readMeta(file)?.trees[1]?.root);
  writeSync(file, Buffer.of(0xff, 0xff), 0, 2, root * 4096 + 20);
  closeSync(file);
  const { code, stdout, stderr } = await doctor(torn);
  expect({ code, stdout }).toEqual({ code: 1, stdout: `page ${root} has a wrong number of nodes\n` });
  expect(stderr).toBe('Pages of the database are damaged, so that its records were not looked at: 1 finding.\n');
});

test('watchword doctor says what it wants, and that there is nothing to check', async () => {
  const path = join(temporaryFolder(), 'nothing');
  expect(await doctor(path)).toEqual({ code: 1, stdout: '', stderr: `watchword doctor: There is no store in ${path}\n` });
  expect((await watchword(['doctor', '--help'])).stdout).toContain('Usage: watchword doctor [options]');
});
