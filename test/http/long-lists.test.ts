import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { seedLists } from './seed-lists.ts';

/** Lists without pages of a core beside clients that write, leave, and read slowly. */

const PATIENCE_MS = 20_000;
/** Long ids, so that few of them are more than the system takes for a client that does not read. */
const HOLDERS = Array.from({ length: 40_000 }, (_, n) => `${String(n).padStart(6, '0')}-${'x'.repeat(240)}`);
const PATH = '/recipe/role/users?role=many';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await condition()); await later(50))
    if (Date.now() > end) throw new Error(`waited in vain: ${condition}`);
}

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-lists-'));
  let core: RunningCore;
  beforeAll(async () => {
    await seedLists(dataDir, { sessions: 2_000, holders: HOLDERS });
    core = await startCore({ dataDir, env: { HTTP_ENGINE: engine, HTTP_THREADS: '1' } });
  });
  afterAll(async () => {
    await core.stop();
    rmSync(dataDir, { recursive: true });
  });

  const send = (method: string, path: string, body: object): Promise<Response> =>
    fetch(`${core.url}${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const give = (userId: string): Promise<Response> => send('PUT', '/recipe/user/role', { userId, role: 'many' });
  const take = (userId: string): Promise<Response> => send('POST', '/recipe/user/role/remove', { userId, role: 'many' });

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${core.url}/metrics`)).text();
    return Number(new RegExp(`^watchword_store_${name} (.*)$`, 'm').exec(text)?.[1]);
  }

  /** A client that reads the beginning of the list and then nothing. */
  async function beginList(): Promise<{ goOn(): Promise<string>; leave(): void }> {
    const socket = connect({ port: core.port, host: '127.0.0.1' });
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await new Promise((begun) => socket.once('readable', begun));
    const goOn = async (): Promise<string> => {
      const parts: Buffer[] = [];
      for await (const part of socket) parts.push(part);
      return Buffer.concat(parts).toString('latin1');
    };
    return { goOn, leave: () => void socket.destroy() };
  }

  const unchunked = (text: string): string => {
    let rest = text.slice(text.indexOf('\r\n\r\n') + 4);
    let whole = '';
    for (;;) {
      const at = rest.indexOf('\r\n');
      const size = Number.parseInt(rest.slice(0, at), 16);
      if (size === 0) return whole;
      whole += rest.slice(at + 2, at + 2 + size);
      rest = rest.slice(at + 4 + size);
    }
  };

  test('a list is what it was when it began, whatever is written meanwhile', { timeout: 60_000 }, async () => {
    const client = await beginList();
    // Behind what may have been read already: page by page, without a snapshot, all of them would show.
    for (let n = 20_000; n < 40_000; n += 500) {
      await give(`${String(n).padStart(6, '0')}-later`);
      await take(HOLDERS[n + 1] ?? '');
    }
    const { users } = JSON.parse(unchunked(await client.goOn()));
    expect(users.length).toBe(HOLDERS.length);
    expect(new Set(users)).toEqual(new Set(HOLDERS));
    const now = (await (await fetch(`${core.url}${PATH}`)).json()).users;
    expect(now.filter((id: string) => id.endsWith('-later'))).toHaveLength(40);
    expect(now).not.toContain(HOLDERS[20_001]);
  });

  test('a client that leaves in the middle lets the snapshot go at once', { timeout: 60_000 }, async () => {
    const client = await beginList();
    for (let n = 0; n < 30; n++) await give(`another-${n}`);
    await until(async () => (await metric('oldest_reader_commits')) >= 25);
    client.leave();
    await give('one-more');
    await until(async () => (await metric('oldest_reader_commits')) < 5);
  });

  test('a HEAD of it has no body and no length', async () => {
    const answer = await fetch(`${core.url}${PATH}`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, null, '']);
  });

  test('short ones have their length, and a role that is unknown is told as ever', async () => {
    expect(await (await fetch(`${core.url}/recipe/role/users?role=none`)).json()).toEqual({ status: 'UNKNOWN_ROLE_ERROR' });
    const short = await fetch(`${core.url}/recipe/roles`);
    const text = await short.text();
    expect([short.headers.get('content-length'), text]).toEqual([String(text.length), '{"status":"OK","roles":["many"]}\n']);
  });

  test('the handles of very many sessions, and of those that a call revokes', { timeout: 60_000 }, async () => {
    const path = '/recipe/session/user?userId=many';
    const { sessionHandles } = await (await fetch(`${core.url}${path}`)).json();
    expect(new Set(sessionHandles).size).toBe(2_000);
    const removed = await send('POST', '/recipe/session/remove', { userId: 'many' });
    const { sessionHandlesRevoked } = await removed.json();
    expect(new Set(sessionHandlesRevoked)).toEqual(new Set(sessionHandles));
    expect(await (await fetch(`${core.url}${path}`)).json()).toEqual({ status: 'OK', sessionHandles: [] });
  });
});
