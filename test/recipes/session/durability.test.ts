import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { startCore } from '../../running-core.ts';
import { create, exists, type Grant, refresh, tryRefresh, verify } from './session-calls.ts';

/** Writes as fast as answers come until the core is gone; keeps what was answered. */
async function writeUntilGone(client: CdiClient, lane: number, acknowledged: Grant[]): Promise<void> {
  for (let i = 0; ; i += 1) {
    try {
      const grant = await create(client, `durable-${lane}-${i}`);
      acknowledged.push(i % 3 === 0 ? await refresh(client, grant.refresh, {}, { cdi: '5.6' }) : grant);
    } catch {
      return;
    }
  }
}

test('a core that is killed forgets nothing it answered', { timeout: 180_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-kill-'));
  try {
    const acknowledged: Grant[] = [];
    const users: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const core = await startCore({ dataDir });
      const client = cdiClient(core.url);
      const lanes = Array.from({ length: 8 }, (_, lane) => writeUntilGone(client, round * 100 + lane, acknowledged));
      const email = `kept-${round}@example.com`;
      const signedUp = await client.post('/recipe/signup', { email, password: 'correct-horse-1' });
      if (signedUp.body['status'] === 'OK') users.push(email);
      // Not before there was something to lose, and then at a moment that means nothing to it.
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan((round + 1) * 20), { timeout: 60_000, interval: 5 });
      await new Promise((done) => setTimeout(done, 200 + round * 130));
      await core.kill();
      await Promise.all(lanes);
    }
    expect(users).toHaveLength(3);

    const core = await startCore({ dataDir });
    try {
      const client = cdiClient(core.url);
      const sample = acknowledged.filter((_, at) => at % Math.ceil(acknowledged.length / 300) === 0 || at >= acknowledged.length - 50);
      for (const grant of sample) {
        expect(await exists(client, grant.handle)).toBe(true);
        expect((await verify(client, grant.access, { checkDatabase: true })).status).toBe('OK');
      }
      for (const grant of sample.slice(-20)) expect((await tryRefresh(client, grant.refresh, {}, { cdi: '5.6' })).body.status).toBe('OK');
      for (const email of users) {
        const signedIn = await client.post('/recipe/signin', { email, password: 'correct-horse-1' });
        expect(signedIn.body['status']).toBe('OK');
      }
    } finally {
      await core.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
