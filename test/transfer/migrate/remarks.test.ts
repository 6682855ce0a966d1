import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrateHere } from './in-process.ts';
import { freshFolder, hasReference, migrate, oldConfig, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;

describe.skipIf(!hasReference)('what an operator is told of a database that is moved', { timeout: LONG_MS }, () => {
  test('copies and reservations that differ, tenants of nothing, and by name every row that is left behind', async () => {
    const source = referenceDatabase();
    source.sql(`
      UPDATE emailpassword_user_to_tenant SET email = 'copy@elsewhere.test' WHERE (app_id, user_id) IN (
        SELECT c.app_id, c.user_id FROM emailpassword_user_to_tenant c JOIN all_auth_recipe_users USING (app_id, tenant_id, user_id)
        WHERE app_id = 'public' AND tenant_id = 'public' ORDER BY c.user_id LIMIT 1);
      DELETE FROM primary_user_tenants WHERE app_id = 'moved';
      UPDATE emailpassword_users SET password_hash = 'rot13' WHERE (app_id, user_id) IN (
        SELECT app_id, user_id FROM emailpassword_users WHERE app_id = 'public' ORDER BY user_id LIMIT 1);
      INSERT INTO tenant_configs (connection_uri_domain, app_id, tenant_id) VALUES ('', 'never', 'made');
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
        VALUES ('public', 'public', 'over', 'x', 'h', 1, 1, false);
    `);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const ended = await migrate(source.url, to, oldConfig(folder), '--finish', '--yes');
    expect(ended).toMatchObject(FINISHED);
    expect(ended.stdout).toMatch(/^1 rows of emailpassword_user_to_tenant differ from emailpassword_users, /m);
    expect(ended.stdout).toMatch(/^\d+ rows of primary_user_tenants are missing or too many; /m);
    expect(ended.stdout).toMatch(/^The tenant never\/made is left behind: /m);
    const left = readFileSync(join(to, 'migrate-left.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(left).toContainEqual(
      expect.objectContaining({ table: 'session_info', app: 'public', tenant: 'public', id: 'over', why: 'expired' }),
    );
    expect(left.filter((line) => 'why' in line && String(line.why).startsWith('its password hash is of no kind'))).toHaveLength(1);
    expect(ended.stdout).toContain(`migrate-left.ndjson names the ${left.length} rows that are left behind`);
  });

  test('the same after a first pass that was interrupted, and again in every report that follows', async () => {
    const source = referenceDatabase();
    source.sql(`
      DELETE FROM primary_user_tenants WHERE app_id = 'moved';
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
        SELECT 'public', 'public', md5('s' || i)::uuid::text, 'somebody', md5('r' || i), 9000000000000, 1, false FROM generate_series(1, 6000) i`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    // Interrupted when all but the last group of tables is moved.
    const interruption = new AbortController();
    let seconds = 0;
    const screen = {
      isTerminal: true,
      width: () => 80,
      write: (text: string) => text.includes('sessions') && interruption.abort(),
      now: () => 1000 * seconds++,
    };
    await expect(migrateHere(source, to, config, { screen, signal: interruption.signal })).rejects.toThrow('nterrupted');
    const resumed = await migrate(source.url, to, config);
    expect([resumed.code, resumed.stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+ rows of primary_user_tenants are missing or too many; /m),
    ]);
    const ended = await migrate(source.url, to, config, '--finish', '--yes');
    expect(ended).toMatchObject(FINISHED);
    expect(ended.stdout).toMatch(/^At the first pass: \d+ rows of primary_user_tenants are missing or too many; /m);
  });

  test('keys that are none are lost, and the others are published', async () => {
    const source = referenceDatabase();
    source.sql(`INSERT INTO jwt_signing_keys VALUES ('public', 's-broken', 'bm9uZQ==|bm9uZQ==', 'RS256', 1)`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const refused = await migrate(source.url, to, config, '--finish', '--yes');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the value of the key s-broken is no pair of RSA keys') });
    expect(await migrate(source.url, to, config, '--finish', '--yes', '--accept-losses', join(to, 'migrate-losses.ndjson'))).toMatchObject(
      FINISHED,
    );
  });
});
