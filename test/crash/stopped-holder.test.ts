import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { create, verify } from '../recipes/session/session-calls.ts';

const HOLDER = fileURLToPath(new URL('../store/lmdb/lock-holder.mjs', import.meta.url));
/** What waits for the lock is withdrawn after ten seconds. */
const PATIENCE = { timeout: 30_000, interval: 100 };

describe('a process that is stopped while it holds the write lock', () => {
  let core: RunningCore;
  let client: CdiClient;
  let holder: ChildProcess;
  beforeAll(async () => {
    core = await startCore({ faultsExpected: true });
    client = cdiClient(core.url);
  });
  afterAll(async () => {
    holder?.kill('SIGKILL');
    await core?.stop();
  });

  const signUp = (email: string) => client.post('/recipe/signup', { email, password: 'correct horse battery' });
  const emails = Array.from({ length: 14 }, (_, at) => `refused-${at}@example.com`);
  const exists = async (email: string): Promise<boolean> =>
    ((await client.get('/users/by-accountinfo', { email, doUnionOfAccountInfo: 'false' })).body['users'] as unknown[]).length > 0;
  const ready = async () => (await client.get('/readyz')).text;

  test('others say that they write nothing, keep nothing of it, read on, and go on when it does', { timeout: 90_000 }, async () => {
    const session = await create(client, 'reader');
    holder = fork(HOLDER, [core.dataDir], { execArgv: [] });
    await once(holder, 'message');
    holder.kill('SIGSTOP');

    const users = [{ loginMethods: [{ recipeId: 'thirdparty', email: 'a@example.com', thirdPartyId: 'x', thirdPartyUserId: 'y' }] }];
    const refused = Promise.all([...emails.map(signUp), client.post('/bulk-import/users', { users })]);
    await vi.waitFor(async () => expect(await ready()).toBe('not ready: the store takes no writes\n'), PATIENCE);
    for (const { status, headers, text } of await refused) {
      expect({ status, retryAfter: headers.get('retry-after') }, text).toEqual({ status: 503, retryAfter: '5' });
      expect(text).toContain('not kept');
    }
    // By now nobody is kept waiting any more.
    expect((await signUp('refused-at-once@example.com')).status).toBe(503);
    expect((await verify(client, session.access, { checkDatabase: true })).status).toBe('OK');
    expect((await client.get('/livez')).status).toBe(200);

    holder.kill('SIGCONT');
    await once(holder, 'exit');
    await vi.waitFor(async () => expect(await ready()).toBe('ready\n'), PATIENCE);
    for (const email of [...emails, 'refused-at-once@example.com']) expect(await exists(email)).toBe(false);
    expect((await client.get('/bulk-import/users')).body['users']).toEqual([]);
    for (const email of emails) expect((await signUp(email)).body['status']).toBe('OK');
    expect(core.output()).toContain('the store takes no writes');
    // Each thread looks once a second.
    await vi.waitFor(() => expect(core.output()).toContain('the store takes writes again'), PATIENCE);
    expect(core.output()).not.toContain('a request met a fault');
  });
});
