import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { watchword } from '../program.ts';
import { freshFolder, hasReference, migrate, newDatabase, oldConfig, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;

describe.skipIf(!hasReference)('a move that cannot be: one line, exit code 1, and nothing half done', { timeout: LONG_MS }, () => {
  /** Tries to move; answers the one line. */
  async function refusal(url: string, to?: string): Promise<string> {
    const folder = freshFolder();
    const target = to ?? join(folder, 'data');
    const { code, stdout, stderr } = await migrate(url, target, oldConfig(folder), '--finish', '--yes');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain('secret');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    if (to === undefined) expect(existsSync(target)).toBe(false);
    return stderr;
  }

  test('databases that are none of SuperTokens, are empty, too old, or of nobody knows what', async () => {
    const empty = newDatabase();
    expect(await refusal(empty.url)).toMatch(/There is no table in 127.0.0.1:\d+\/moved_\w+\/public, schema public/);
    empty.sql('CREATE TABLE customers (id int)');
    expect(await refusal(empty.url)).toContain('is no SuperTokens database');
    empty.sql('CREATE TABLE session_info (session_handle text); CREATE TABLE key_value (name text)');
    expect(await refusal(empty.url)).toContain('before 6.0: start core 6.0 or a later one on it once');
    const strange = referenceDatabase();
    strange.sql('ALTER TABLE app_id_to_user_id RENAME COLUMN recipe_id TO recipe');
    expect(await refusal(strange.url)).toContain('no core that is known here: app_id_to_user_id.recipe_id is missing');
  });

  test('addresses where nothing answers, or others may not read', async () => {
    expect(await refusal('postgres://u:secret@127.0.0.1:9/d')).toContain('the database 127.0.0.1:9/d cannot be read: connect ECONNREFUSED');
    const { url, sql } = referenceDatabase();
    const role = `reader_${process.pid}`;
    sql(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA public, eu_schema TO ${role};
         GRANT SELECT ON ALL TABLES IN SCHEMA public, eu_schema TO ${role}; REVOKE SELECT ON public.session_info FROM ${role}`);
    const asReader = url.replace(/\/\/[^@]+@/, `//${role}:secret@`);
    expect(await refusal(asReader)).toContain(`The role ${role} may not read the table "public"."session_info"`);
    sql(`GRANT SELECT ON public.session_info TO ${role}`);
    const folder = freshFolder();
    const config = oldConfig(folder);
    // The password may come from elsewhere, where no list of processes shows it.
    const without = url.replace(/\/\/[^@]+@/, `//${role}@`);
    const args = ['migrate', '--from', without, '--to', join(folder, 'data'), '--config', config, '--finish', '--yes'];
    expect(await watchword(args, { env: { PGPASSWORD: 'secret' } })).toMatchObject(FINISHED);
    sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test('a target that holds something', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    await (await startCore({ dataDir: folder })).stop();
    expect(await refusal(url, folder)).toContain('The target is not empty: it holds ');
    const to = join(folder, 'new');
    mkdirSync(to);
    expect(await migrate(url, to, oldConfig(folder))).toMatchObject({ code: 0 });
    expect(await refusal(referenceDatabase().url, to)).toContain('holds an unfinished move from');
    expect(await migrate(url, to, oldConfig(folder), '--finish', '--yes')).toMatchObject({ code: 0 });
    expect(await refusal(url, to)).toContain('The target is not empty');
    expect(readdirSync(to)).not.toContain('migrate-losses.ndjson');
  });

  test('command lines that say too little or too much', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    const config = oldConfig(folder);
    for (const [flags, text] of [
      [['--config', config], 'Name the database of the old core with --from'],
      [['--from', url, '--config', config, '--finish', '--follow'], 'Say one of --rehearse, --follow and --finish'],
      [['--from', url, '--config', config, '--finish'], 'Add --yes to go on'],
      [['--from', 'mysql://h/d', '--config', config], 'must begin with postgres://'],
    ] as const)
      expect((await watchword(['migrate', '--to', join(folder, 'data'), ...flags])).stderr).toContain(text);
  });

  test('an old core that still writes', async () => {
    const source = referenceDatabase();
    source.sql(`INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
      SELECT 'public', 'public', md5('s' || i)::uuid::text, 'somebody', md5('r' || i), 9000000000000, 1, false FROM generate_series(1, 20000) i`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const moving = migrate(source.url, to, config, '--finish', '--yes');
    const over = new AbortController();
    const ended = moving.finally(() => over.abort());
    for (let n = 0; !over.signal.aborted; n++) {
      source.sql(`UPDATE user_last_active SET last_active_time = last_active_time + ${n} WHERE app_id = 'public'`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Somebody has changed last active times in ') });
    expect(await migrate(source.url, to, config, '--finish', '--yes')).toMatchObject({ code: 0 });
  });
});
