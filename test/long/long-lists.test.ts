import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedLists } from '../http/seed-lists.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { type RunningCore, startCore } from '../running-core.ts';

/*
 * Lists without pages beside other requests, on one HTTP thread. What was measured is printed; the limits leave room for a machine that others use, and are
 * far below what such lists cost when they are made in one go (0.6 s without a turn, 1.4 GB).
 */

const SESSIONS = 100_000;
const HOLDERS = Array.from({ length: 200_000 }, () => randomUUID());
const LONGEST_MS = 500;
const MIB = 1_048_576;
const MOST_MEMORY = 64 * MIB;

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

const dataDir = mkdtempSync(join(tmpdir(), 'watchword-lists-'));
let handles: readonly string[];
beforeAll(async () => {
  handles = await seedLists(dataDir, { sessions: SESSIONS, holders: HOLDERS });
}, 300_000);
afterAll(() => rmSync(dataDir, { recursive: true }));

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  let core: RunningCore;
  let token: string;

  beforeAll(async () => {
    core = await startCore({ dataDir, env: { HTTP_ENGINE: engine, HTTP_THREADS: '1' } });
    const body = { userId: 'somebody', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
    token = (await (await post('/recipe/session', body)).json()).accessToken.token;
    for (let n = 0; n < 2_000; n++) await verify();
  });
  afterAll(() => core.stop());

  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${core.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  async function verify(): Promise<number> {
    const before = performance.now();
    const answer = await post('/recipe/session/verify', {
      accessToken: token,
      enableAntiCsrf: false,
      doAntiCsrfCheck: false,
      checkDatabase: false,
    });
    expect((await answer.json()).status).toBe('OK');
    return performance.now() - before;
  }

  /** What the process has beyond the pages of the store, which the kernel takes back when it needs them. */
  const memory = (): number => {
    const status = readFileSync(`/proc/${core.pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  };

  test.each([
    ['sessions of a user', '/recipe/session/user?userId=many', 'sessionHandles', () => handles],
    ['users of a role', '/recipe/role/users?role=many', 'users', () => HOLDERS],
  ] as const)('%s', { timeout: 120_000 }, async (name, path, member, wanted) => {
    const quiet: number[] = [];
    for (let n = 0; n < 500; n++) quiet.push(await verify());
    const before = memory();
    const times: number[] = [];
    const list = { isOver: false };
    let most = 0;
    const beside = (async () => {
      while (!list.isOver) {
        times.push(await verify());
        if (times.length % 20 === 0) most = Math.max(most, memory());
      }
    })();
    const began = performance.now();
    const answer = await fetch(`${core.url}${path}`);
    const parts: Uint8Array[] = [];
    for await (const part of answer.body ?? []) parts.push(part);
    const took = performance.now() - began;
    list.isOver = true;
    await beside;
    const longest = Math.max(...times);
    const grown = most - before;
    console.log(
      `${name}: ${took.toFixed(0)} ms; verify beside it p99 ${p99(times).toFixed(1)} ms, longest ${longest.toFixed(1)} (quiet ${p99(quiet).toFixed(1)}), memory + ${(grown / MIB).toFixed(0)} MiB`,
    );
    expect(new Set(JSON.parse(Buffer.concat(parts).toString())[member])).toEqual(new Set(wanted()));
    expect(longest).toBeLessThan(LONGEST_MS);
    expect(grown).toBeLessThan(MOST_MEMORY);
  });
});
