import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { freshFolder, hasReference, migrate, oldConfig, play, rawReferenceDatabase, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;

interface LossLine {
  readonly table: string;
  readonly app: string;
  readonly id: string;
  readonly reason: string;
  readonly remedy: string;
}

const lossesIn = (file: string): readonly LossLine[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LossLine);

const A = '00000000-0000-4000-8000-00000000000a';
const B = '00000000-0000-4000-8000-00000000000b';
const C = '00000000-0000-4000-8000-00000000000c';

const user = (id: string, email: string): string => `
  INSERT INTO app_id_to_user_id (app_id, user_id, recipe_id, primary_or_recipe_user_id) VALUES ('public', '${id}', 'emailpassword', '${id}');
  INSERT INTO emailpassword_users VALUES ('public', '${id}', '${email}', 'x', 1);
  INSERT INTO all_auth_recipe_users VALUES ('public', 'public', '${id}', '${id}', false, 'emailpassword', 1, 1);`;

describe.skipIf(!hasReference)('rows that break an invariant', { timeout: LONG_MS }, () => {
  test('are told with what helps, keep a move from its end, and are never moved in part', async () => {
    const source = referenceDatabase();
    source.sql(`
      ${user(A, 'twice@dirty.test')} ${user(B, 'twice@dirty.test')} ${user(C, 'c@dirty.test')}
      UPDATE app_id_to_user_id SET recipe_id = 'smoke-signals' WHERE user_id = '${C}';
      ALTER TABLE emailpassword_users DROP CONSTRAINT emailpassword_users_user_id_fkey;
      INSERT INTO emailpassword_users VALUES ('public', '00000000-0000-4000-8000-0000000000ff', 'orphan@dirty.test', 'x', 1);
      INSERT INTO user_metadata VALUES ('public', 'broken', '[1]');
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, session_data, expires_at, created_at_time, use_static_key)
        VALUES ('public', 'public', 'deep', 'x', 'h', repeat('{"a":', 200) || '1' || repeat('}', 200), 9000000000000, 1, false);
    `);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const refused = await migrate(source.url, to, config, '--finish', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr.trim().split('\n')).toEqual([expect.stringMatching(/^watchword migrate: 5 rows cannot be moved, such as /)]);
    const file = join(to, 'migrate-losses.ndjson');
    const losses = lossesIn(file);
    expect(losses.map(({ table, id, reason }) => [table, id, reason])).toEqual(
      expect.arrayContaining([
        ['app_id_to_user_id', C, 'its recipe_id is of no recipe'],
        ['emailpassword_users', '00000000-0000-4000-8000-0000000000ff', 'it has no row in app_id_to_user_id'],
        ['user_metadata', 'broken', 'it is no JSON object that is taken here'],
        ['session_info', 'deep', 'its data or claims are no JSON object that is taken here'],
        ['app_id_to_user_id', expect.stringMatching(/00a$|00b$/), expect.stringContaining('another one has its email')],
      ]),
    );
    expect(losses.every(({ remedy }) => remedy !== '')).toBe(true);

    // What is mended in the old database is moved by the next pass.
    source.sql(`UPDATE user_metadata SET user_metadata = '{"mended":1}' WHERE user_id = 'broken'`);
    const again = await migrate(source.url, to, config, '--finish', '--yes');
    expect(again.stderr).toMatch(/4 rows cannot be moved/);
    expect(await migrate(source.url, to, config, '--finish', '--yes', '--accept-losses', file)).toMatchObject(FINISHED);
    const core = await startCore({ dataDir: to });
    try {
      const answer = await fetch(`${core.url}/users/by-accountinfo?doUnionOfAccountInfo=false&email=twice@dirty.test`, {
        headers: { 'cdi-version': '5.4' },
      });
      expect(((await answer.json()) as { users: unknown[] }).users).toHaveLength(1);
      const lost = await fetch(`${core.url}/user/id?userId=${C}`, { headers: { 'cdi-version': '5.4' } });
      expect(await lost.json()).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    } finally {
      await core.stop();
    }
  });

  test('rows that nobody can reach, expired ones and ghosts are left behind, and counted', async () => {
    const source = referenceDatabase();
    source.sql(`
      INSERT INTO apps VALUES ('nobody', 1);
      INSERT INTO tenants VALUES ('nobody', 'public', 1);
      INSERT INTO user_metadata VALUES ('nobody', 'x', '{}');
      INSERT INTO user_roles VALUES ('public', 'public', 'somebody', 'no-such-role');
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
        VALUES ('public', 'public', 'x_t1', 'x', 'h', 9000000000000, 1, false);
      CREATE TABLE later_feature (app_id text);
      ALTER TABLE roles ADD COLUMN colour text;
    `);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const { code, stdout } = await migrate(source.url, to, oldConfig(folder), '--finish', '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^user_metadata +nobody +0 +1 unreachable$/m);
    expect(stdout).toMatch(/^user_roles +public\/public +5 +1 no such role$/m);
    expect(stdout).toMatch(/^session_info +public\/public +44 +1 expired, 1 handle of another tenant$/m);
    expect(stdout).toContain('is not moved: the table later_feature, the column roles.colour');
    expect(await play(to, join(to, 'config.yaml'), {}, '--only', 'roles')).toEqual([]);
  });

  test('rows whose bytes are no text are lost one by one, and their neighbours are moved', async () => {
    const source = rawReferenceDatabase();
    source.sql(`
      INSERT INTO user_metadata VALUES ('public', 'latin', E'{"name":"Andr\\xe9"}'), ('public', 'utf8', E'{"name":"Andr\\xc3\\xa9"}');
      INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
        VALUES ('public', 'public', 'raw-session', E'\\xff', 'h', 9000000000000, 1, false);
    `);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const file = join(to, 'migrate-losses.ndjson');
    expect((await migrate(source.url, to, config, '--finish', '--yes')).stderr).toMatch(/^watchword migrate: 2 rows cannot be moved/m);
    expect(lossesIn(file).map(({ table, id, reason }) => [table, id, reason])).toEqual([
      ['user_metadata', 'latin', 'a text of it is no UTF-8'],
      ['session_info', 'raw-session', 'a text of it is no UTF-8'],
    ]);
    expect(await migrate(source.url, to, config, '--finish', '--yes', '--accept-losses', file)).toMatchObject(FINISHED);
    const core = await startCore({ dataDir: to });
    try {
      const answer = await fetch(`${core.url}/recipe/user/metadata?userId=utf8`, { headers: { 'cdi-version': '5.4' } });
      expect(await answer.json()).toEqual({ status: 'OK', metadata: { name: 'Andr\u00e9' } });
    } finally {
      await core.stop();
    }
  });
});
