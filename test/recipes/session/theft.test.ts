import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { type CoreOptions, type RunningCore, startCore } from '../../running-core.ts';
import { create, exists, type Grant, refresh, tryRefresh, verify } from './session-calls.ts';

/** What a stolen refresh token costs, by the option token_theft_revokes. */
const FLOWS = ['5.4', '5.6'] as const;

describe('token theft', () => {
  let core: RunningCore | undefined;
  afterEach(async () => {
    await core?.stop();
    core = undefined;
  });

  async function start(options: CoreOptions): Promise<CdiClient> {
    core = await startCore(options);
    return cdiClient(core.url);
  }

  /** A session whose first refresh token is two generations old, so that using it is theft in every flow. */
  async function robbed(client: CdiClient, userId: string): Promise<{ readonly stale: string; readonly grant: Grant }> {
    const zero = await create(client, userId);
    const one = await refresh(client, zero.refresh);
    const grant = await refresh(client, one.refresh);
    await verify(client, grant.access);
    return { stale: zero.refresh, grant };
  }

  /** Steals from a user with a session in the same and in another tenant, and from a bystander: which of the four sessions are left? */
  async function leftAfterTheft(client: CdiClient, cdi: string): Promise<readonly boolean[]> {
    await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const victim = `victim-${cdi}`;
    const { stale, grant } = await robbed(client, victim);
    const beside = await create(client, victim);
    const elsewhere = await create(client, victim, {}, { tenant: 't1' });
    const bystander = await create(client, `bystander-${cdi}`);
    expect((await tryRefresh(client, stale, {}, { cdi })).body.status).toBe('TOKEN_THEFT_DETECTED');
    return await Promise.all([grant, beside, elsewhere, bystander].map((one) => exists(client, one.handle)));
  }

  test('by default every session of the user goes', async () => {
    const client = await start({});
    for (const cdi of FLOWS) expect(await leftAfterTheft(client, cdi), cdi).toEqual([false, false, false, true]);
  });

  test('with "session" only that session goes', async () => {
    const client = await start({ env: { TOKEN_THEFT_REVOKES: 'session' } });
    for (const cdi of FLOWS) expect(await leftAfterTheft(client, cdi), cdi).toEqual([false, true, true, true]);
  });

  test('with "reference" a legacy theft is only reported', async () => {
    const client = await start({ env: { TOKEN_THEFT_REVOKES: 'reference' } });
    expect(await leftAfterTheft(client, '5.4')).toEqual([true, true, true, true]);
    expect(await leftAfterTheft(client, '5.6')).toEqual([false, true, true, true]);
  });

  test('within the grace rules nothing is theft', async () => {
    const client = await start({});
    const zero = await create(client, 'patient');
    const other = await create(client, 'patient');
    for (let i = 0; i < 5; i += 1) await refresh(client, zero.refresh, {}, { cdi: '5.6' });
    expect(await exists(client, zero.handle)).toBe(true);
    expect(await exists(client, other.handle)).toBe(true);
  });

  test('an app may choose for itself', async () => {
    const base = await start({});
    const made = await base.put('/recipe/multitenancy/app/v2', { appId: 'lenient', coreConfig: { token_theft_revokes: 'session' } });
    expect(made.body).toMatchObject({ status: 'OK' });
    const client = cdiClient(base.url, { app: 'lenient' });
    expect(await leftAfterTheft(client, '5.4')).toEqual([false, true, true, true]);
  });

  test('recent reuse may be reported softly, an old token never', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchword-config-'));
    const file = join(folder, 'config.yaml');
    writeFileSync(file, 'core_config_version: 0\nrecent_token_reuse_behaviour: UNAUTHORISED\ntoken_theft_revokes: reference\n');
    try {
      const client = await start({ flags: ['--config', file] });
      const rotating = { cdi: '5.6' };
      const zero = await create(client, 'soft');
      const one = await refresh(client, zero.refresh, {}, rotating);
      await refresh(client, zero.refresh, {}, rotating);
      expect((await tryRefresh(client, one.refresh, {}, rotating)).body).toEqual({
        status: 'UNAUTHORISED',
        message: 'refresh token reuse detected',
        recentTokenReuseSubtype: 'ORPHANED_BRANCH',
      });
      expect(await exists(client, zero.handle)).toBe(false);
      const { stale } = await robbed(client, 'hard');
      expect((await tryRefresh(client, stale, {}, rotating)).body).toMatchObject({
        status: 'TOKEN_THEFT_DETECTED',
        recentTokenReuseSubtype: 'STALE_LINEAGE',
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
