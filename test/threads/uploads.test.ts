import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';

const KEY = 'k'.repeat(20);
const MIB = 1 << 20;
let core: RunningCore;

beforeAll(async () => {
  core = await startCore({ env: { API_KEYS: KEY, BULK_MIGRATION_CRON_ENABLED: 'false' } });
}, 40_000);
afterAll(() => core.stop());

async function upload(body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const headers = { 'api-key': KEY, 'content-type': 'application/json' };
  const response = await fetch(`${core.url}/bulk-import/users`, { method: 'POST', body, headers });
  return `${response.status} ${(await response.text()).trim()}`;
}

/** Begins a request and answers what comes back to its head alone. */
function begin(...headers: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(core.port, '127.0.0.1', () => {
      socket.write(['POST /bulk-import/users HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n'));
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

test('10,000 users of two kilobytes each, beyond what other bodies may have', async () => {
  const users = Array.from({ length: 10_000 }, (_, n) => ({
    userMetadata: { n, filler: 'x'.repeat(2000) },
    loginMethods: [{ recipeId: 'passwordless', email: `u${n}@example.com` }],
  }));
  const answer = await upload(JSON.stringify({ users }));
  expect(answer.slice(0, 60)).toMatch(/^200 \{"status":"OK","users":\[/);
  const listed = await fetch(`${core.url}/bulk-import/users?limit=500`, { headers: { 'api-key': KEY } });
  const page = (await listed.json()) as { users: { userMetadata: { n: number }; createdAt: number }[] };
  expect(page.users).toHaveLength(500);
  expect(page.users[0]?.createdAt).toBeGreaterThanOrEqual(page.users[499]?.createdAt ?? Number.NaN);
}, 60_000);

test('what is no JSON, or no UTF-8', async () => {
  expect(await upload('{"users": [')).toBe('400 Invalid Json Input');
  expect(await upload('[]')).toBe('400 Invalid Json Input');
  expect(await upload('')).toBe('400 Invalid Json Input');
  expect(await upload(new Uint8Array([...Buffer.from('{"users":["'), 0xff, ...Buffer.from('"]}')]))).toBe('400 Invalid Json Input');
}, 30_000);

test('a body of more than 64 MiB', async () => {
  expect(await upload(new Uint8Array(64 * MIB + 1))).toBe('413 Request body is too large');
}, 60_000);

test('a body that would become too many objects for the memory of a thread', async () => {
  const filler = '{},'.repeat(20_000_000);
  expect(await upload(`{"users":[{"userMetadata":{"a":[${filler}{}]},"loginMethods":[]}]}`)).toBe('413 Request body is too large');
  expect(await upload(`{"users":[${filler}{}]}`)).toBe('413 Request body is too large');
  expect(await upload('{"users":[]}')).toBe('200 {"status":"OK"}');
}, 60_000);

test('whoever has no key learns so before the body is sent', async () => {
  expect(await begin(`Content-Length: ${60 * MIB}`)).toMatch(/^HTTP\/1\.1 401 [^]*Invalid API key/);
  // Chunks are not taken from anybody by uWebSockets.js.
  expect(await begin('Transfer-Encoding: chunked')).toMatch(/^HTTP\/1\.1 (401|411) /);
  expect(await begin(`Api-Key: ${KEY}`, `Content-Length: ${200 * MIB}`)).toMatch(/^HTTP\/1\.1 413 /);
}, 30_000);
