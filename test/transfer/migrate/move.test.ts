import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import {
  COPIED,
  freshFolder,
  hasReference,
  loadAnew,
  migrate,
  newDatabase,
  oldConfig,
  play,
  referenceDatabase,
  FINISHED,
} from './reference.ts';
import { watchword } from '../program.ts';

const LONG_MS = 180_000;

describe.skipIf(!hasReference)('what a core answered before it was moved, one answers on the new store', { timeout: LONG_MS }, () => {
  test('a whole move to a folder', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    const to = join(folder, 'data');
    const { code, stdout, stderr } = await migrate(url, to, oldConfig(folder), '--finish', '--yes');
    expect({ code, stderr }).toEqual(FINISHED);
    expect(stdout).toMatch(/^session_info +public\/public +44 +1 expired$/m);
    expect(stdout + stderr).not.toContain('secret');
    expect(await play(to, join(to, 'config.yaml'))).toEqual([]);
    // What has no home here is kept, and said.
    const kept = readFileSync(join(to, 'migrate-rest.ndjson'), 'utf8').trim().split('\n');
    expect(kept.map((line) => (JSON.parse(line) as { table: string }).table)).toEqual(
      expect.arrayContaining(['oauth_clients', 'oauth_sessions']),
    );
    const checked = await watchword(['doctor', '--check-store', '--data-dir', to]);
    expect([checked.code, checked.stdout]).toEqual([0, '']);
  });

  test('a whole move to another database', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    const target = newDatabase();
    const config = join(folder, 'new.yaml');
    const { code, stderr } = await migrate(
      url,
      target.url,
      oldConfig(folder),
      '--finish',
      '--yes',
      '--config-out',
      config,
      '--rest',
      join(folder, 'rest'),
      '--left',
      join(folder, 'left'),
    );
    expect({ code, stderr }).toEqual(FINISHED);
    const { password } = new URL(inject('postgresUrl') ?? '');
    const text = readFileSync(config, 'utf8');
    expect(text).toContain('store_engine: postgres');
    expect(text).not.toContain(password);
    const env = { POSTGRES_URL: target.url, STORE_ENGINE: 'postgres' };
    expect(await play(folder, config, env)).toEqual([]);
  });

  test('passes while the old core serves, and a last one', async () => {
    const source = referenceDatabase();
    // The old core had other sessions, users and names then.
    source.sql(`
      DELETE FROM session_info WHERE session_handle < '8';
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
        SELECT 'public', 'public', md5('s' || i)::uuid::text, 'somebody', md5('r' || i), 9000000000000, 1, false FROM generate_series(1, 500) i;
      UPDATE session_info SET refresh_token_hash_2 = 'other' WHERE session_handle LIKE 'c%';
      DELETE FROM app_id_to_user_id WHERE user_id < '5' AND app_id <> 'half';
      INSERT INTO app_id_to_user_id (app_id, user_id, recipe_id, primary_or_recipe_user_id, is_linked_or_is_a_primary_user)
        SELECT 'public', md5('u' || i)::uuid::text, 'emailpassword', md5('u' || i)::uuid::text, false FROM generate_series(1, 300) i;
      INSERT INTO emailpassword_users (app_id, user_id, email, password_hash, time_joined)
        SELECT 'public', md5('u' || i)::uuid::text, 'u' || i || '@example.com', 'none', i FROM generate_series(1, 300) i;
      INSERT INTO all_auth_recipe_users (app_id, tenant_id, user_id, primary_or_recipe_user_id, recipe_id, time_joined, primary_or_recipe_user_time_joined)
        SELECT 'public', 'public', md5('u' || i)::uuid::text, md5('u' || i)::uuid::text, 'emailpassword', i, i FROM generate_series(1, 300) i;
      UPDATE user_metadata SET user_metadata = '{"before":true}';
      DELETE FROM user_roles;
      DELETE FROM userid_mapping WHERE app_id = 'shop';
      UPDATE userid_mapping SET external_user_id = 'x' || external_user_id;
      UPDATE tenant_configs SET core_config = '{}', passwordless_enabled = false WHERE app_id = 'dual';
      INSERT INTO tenant_configs (connection_uri_domain, app_id, tenant_id) VALUES ('', 'gone', 'public'), ('', 'gone', 't');
      INSERT INTO apps VALUES ('gone', 1);
      INSERT INTO tenants VALUES ('gone', 'public', 1), ('gone', 't', 1);
      INSERT INTO user_metadata VALUES ('gone', 'x', '{}');
      DELETE FROM tenant_first_factors;
    `);
    // Two users have each other's email, and a group has other members.
    source.sql(`
      WITH two AS (SELECT user_id, email, row_number() OVER (ORDER BY user_id) AS n FROM emailpassword_users WHERE app_id = 'moved' LIMIT 2)
        UPDATE emailpassword_users u SET email = other.email FROM two JOIN two AS other ON other.n <> two.n
        WHERE u.app_id = 'moved' AND u.user_id = two.user_id;
      UPDATE app_id_to_user_id SET primary_or_recipe_user_id = user_id WHERE is_linked_or_is_a_primary_user AND app_id = 'public';
    `);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    expect(await migrate(source.url, to, config)).toMatchObject(COPIED);
    const refused = await watchword(['start', '--data-dir', to, '--port', '0']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('holds an unfinished move')]);
    loadAnew(source);
    expect(await migrate(source.url, to, config)).toMatchObject(COPIED);
    expect(await migrate(source.url, to, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await play(to, join(to, 'config.yaml'))).toEqual([]);
  });

  test('killed again and again', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const args = ['migrate', '--from', url, '--to', to, '--config', config];
    let killed = 0;
    for (let ms = 300; ms < 1_500; ms += 100) {
      const at = performance.now() + ms;
      const { code } = await watchword(args, { end: { when: () => performance.now() > at, signal: 'SIGKILL' } });
      killed += Number(code === null);
    }
    expect(killed).toBeGreaterThan(2);
    expect(await migrate(url, to, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await play(to, join(to, 'config.yaml'))).toEqual([]);
  });

  test('a domain in a database of its own, other names, and another schema', async () => {
    const [source, other] = [referenceDatabase(), referenceDatabase()];
    const eu = JSON.stringify({ postgresql_connection_uri: `${other.url}?currentSchema=eu_schema` });
    source.sql(`
      DROP SCHEMA eu_schema CASCADE;
      UPDATE tenant_configs SET core_config = '${eu}' WHERE connection_uri_domain <> '' AND tenant_id = 'public';
      ALTER TABLE session_info RENAME TO my_sessions;
      ALTER SCHEMA public RENAME TO auth;
    `);
    source.sql(`DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'auth' AND tablename <> 'my_sessions' LOOP
        EXECUTE format('ALTER TABLE auth.%I RENAME TO %I', t, 'st_' || t);
      END LOOP; END $$`);
    // The other storage keeps its names, which the reference would refuse; a move does not mind.
    other.sql('ALTER TABLE eu_schema.session_info RENAME TO my_sessions');
    other.sql(`DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'eu_schema' AND tablename <> 'my_sessions' LOOP
        EXECUTE format('ALTER TABLE eu_schema.%I RENAME TO %I', t, 'st_' || t);
      END LOOP; END $$`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    mkdirSync(to);
    const names = {
      postgresql_table_schema: 'Auth',
      postgresql_table_names_prefix: 'st',
      postgresql_session_info_table_name: 'my_sessions',
    };
    const { code, stderr } = await migrate(source.url, to, oldConfig(folder, names), '--finish', '--yes');
    expect([code, stderr.split('\n')[0]]).toEqual([0, expect.stringContaining('mean nothing here: postgresql_table_schema')]);
    const printing = ['tenant eu.example.com/public', 'the tenants of each app'];
    const differing = await play(to, join(to, 'config.yaml'));
    expect(differing.filter((name) => !printing.includes(name))).toEqual([]);
  });
});
