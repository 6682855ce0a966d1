import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsIn } from './records-in.ts';
import { freshFolder, hasReference, migrate, oldConfig, type Reference, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 180_000;

const user = (from: number, to: number): string => `
  INSERT INTO app_id_to_user_id (app_id, user_id, recipe_id, primary_or_recipe_user_id)
    SELECT 'public', md5('u' || i)::uuid::text, 'emailpassword', md5('u' || i)::uuid::text FROM generate_series(${from}, ${to}) i;
  INSERT INTO emailpassword_users (app_id, user_id, email, password_hash, time_joined)
    SELECT 'public', md5('u' || i)::uuid::text, 'u' || i || '@changes.test', 'h' || i, i FROM generate_series(${from}, ${to}) i;
  INSERT INTO all_auth_recipe_users (app_id, tenant_id, user_id, primary_or_recipe_user_id, recipe_id, time_joined, primary_or_recipe_user_time_joined)
    SELECT 'public', 'public', md5('u' || i)::uuid::text, md5('u' || i)::uuid::text, 'emailpassword', i, i FROM generate_series(${from}, ${to}) i;
  INSERT INTO user_metadata SELECT 'public', md5('u' || i)::uuid::text, '{"n":' || i || '}' FROM generate_series(${from}, ${to}) i;
  INSERT INTO userid_mapping (app_id, supertokens_user_id, external_user_id)
    SELECT 'public', md5('u' || i)::uuid::text, 'external-' || i FROM generate_series(${from}, ${to}) i WHERE i % 3 = 0;
  INSERT INTO emailverification_verified_emails SELECT 'public', md5('u' || i)::uuid::text, 'u' || i || '@changes.test' FROM generate_series(${from}, ${to}) i;
  INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
    SELECT 'public', 'public', md5('s' || i)::uuid::text, md5('u' || i)::uuid::text, md5('r' || i), 9000000000000, 1, false FROM generate_series(${from}, ${to}) i;`;

const idOf = (number: number): string => `md5('u${number}')::uuid::text`;

/** One of everything that an old core does to rows; each leaves the number of rows, or the sum of some, or neither as it was. */
const CHANGES: readonly string[] = [
  // Foreign keys remove what hangs on a user.
  `DELETE FROM app_id_to_user_id WHERE user_id IN (${idOf(1)}, ${idOf(2)}, ${idOf(3)})`,
  `DELETE FROM all_auth_recipe_users WHERE user_id = ${idOf(10)}`,
  `DELETE FROM emailverification_verified_emails WHERE user_id = ${idOf(11)}`,
  `DELETE FROM user_metadata WHERE user_id = ${idOf(12)}`,
  `DELETE FROM userid_mapping WHERE supertokens_user_id = ${idOf(15)}`,
  `DELETE FROM session_info WHERE session_handle IN (SELECT md5('s' || i)::uuid::text FROM generate_series(20, 40) i)`,
  `DELETE FROM user_roles WHERE role = (SELECT min(role) FROM user_roles)`,
  // As many go as come.
  user(3001, 3003),
  `UPDATE emailpassword_users SET password_hash = (CASE user_id WHEN ${idOf(50)} THEN 'h51' ELSE 'h50' END) WHERE user_id IN (${idOf(50)}, ${idOf(51)})`,
  `UPDATE session_info SET refresh_token_hash_2 = md5('rotated' || session_handle) WHERE session_handle < '08'`,
  `UPDATE session_info SET session_handle = 'odd ' || session_handle WHERE session_handle = md5('s60')::uuid::text`,
  `INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
     VALUES ('public', 't1', '00000000-0000-4000-8000-000000000000_t1', 'x', 'h', 9000000000000, 1, true)`,
  `UPDATE userid_mapping SET external_user_id = 'renamed' WHERE supertokens_user_id = ${idOf(18)}`,
  `UPDATE app_id_to_user_id SET is_linked_or_is_a_primary_user = true WHERE user_id = ${idOf(70)}`,
  `UPDATE app_id_to_user_id SET is_linked_or_is_a_primary_user = true, primary_or_recipe_user_id = ${idOf(70)} WHERE user_id = ${idOf(71)}`,
  // Written anew, though nothing changed.
  'VACUUM FULL session_info',
  'CLUSTER emailpassword_users USING emailpassword_users_pkey',
];

function withUsers(): Reference {
  const source = referenceDatabase();
  source.sql(user(1, 3000));
  return source;
}

describe.skipIf(!hasReference)('the last pass', { timeout: LONG_MS }, () => {
  test('leaves a store as a whole move does, whatever was written since the pass before', async () => {
    const source = withUsers();
    const folder = freshFolder();
    const [passes, whole] = [join(folder, 'passes'), join(folder, 'whole')];
    const config = oldConfig(folder);
    expect(await migrate(source.url, passes, config)).toMatchObject({ code: 0 });
    for (const change of CHANGES) source.sql(change);
    expect(await migrate(source.url, passes, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await migrate(source.url, whole, config, '--finish', '--yes')).toMatchObject(FINISHED);
    const expectedRecords = await recordsIn(whole);
    expect(expectedRecords['sessions']?.length).toBeGreaterThan(2900);
    expect(await recordsIn(passes)).toEqual(expectedRecords);
  });

  test('compares everything where rows cannot tell: on another server, or without the right to ask', async () => {
    const source = withUsers();
    const role = `asker_${process.pid}`;
    source.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA public, eu_schema TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA public, eu_schema TO ${role}; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`);
    const asRole = source.url.replace(/\/\/[^@]+@/, `//${role}:secret@`);
    const folder = freshFolder();
    const [passes, whole] = [join(folder, 'passes'), join(folder, 'whole')];
    const config = oldConfig(folder);
    expect(await migrate(asRole, passes, config)).toMatchObject({ code: 0 });
    for (const change of CHANGES) source.sql(change);
    expect(await migrate(asRole, passes, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await migrate(asRole, whole, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await recordsIn(passes)).toEqual(await recordsIn(whole));
    source.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}; GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC`);
  });
});
