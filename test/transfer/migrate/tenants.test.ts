import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { migrateHere } from './in-process.ts';
import { recordsIn } from './records-in.ts';
import { freshFolder, hasReference, migrate, oldConfig, type Reference, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;
const USER = '00000000-0000-4000-8000-00000000000d';

const session = (app: string, tenant: string, handle: string): string => `
  INSERT INTO session_info (app_id, tenant_id, session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
    VALUES ('${app}', '${tenant}', '${handle}', '${USER}', 'h', 9000000000000, 1, false);`;

/** A clock that does something when it is asked for the time. */
function clockThat(act: (asked: number) => void): () => number {
  let asked = 0;
  return () => {
    asked += 1;
    act(asked);
    return Date.now();
  };
}

const idsOf = (records: readonly unknown[] | undefined, member: string): readonly unknown[] =>
  (records ?? []).map((record) => Reflect.get(Object(record), member));

describe.skipIf(!hasReference)('tenants that change while they are moved', { timeout: LONG_MS }, () => {
  test('a pass that one was made and one was removed during is repeated, and says so', async () => {
    const source = referenceDatabase();
    const folder = freshFolder();
    const to = join(folder, 'data');
    // The clock is looked at when the instant that is read has been chosen, and before tenants are read.
    const now = clockThat((asked) => {
      if (asked !== 1) return;
      source.sql(`
        INSERT INTO tenant_configs (connection_uri_domain, app_id, tenant_id, core_config) VALUES ('', 'public', 'late', '{}');
        INSERT INTO tenants VALUES ('public', 'late', 1);
        ${session('public', 'late', '00000000-0000-4000-8000-000000000000_late')}
        DELETE FROM tenant_configs WHERE app_id = 'public' AND tenant_id = 't1';
        DELETE FROM tenants WHERE app_id = 'public' AND tenant_id = 't1'`);
    });
    const report = await migrateHere(source, to, oldConfig(folder), { now });
    expect(report.remarks).toContain('Tenants changed during the pass, which was repeated (1)');
    const records = await recordsIn(to);
    expect(idsOf(records['tenants'], 'tenantId')).toContain('late');
    expect(idsOf(records['tenants'], 'tenantId')).not.toContain('t1');
    const handles = idsOf(records['sessions'], 'handle').map(String);
    expect(handles.filter((handle) => handle.endsWith('_late'))).toHaveLength(1);
    expect(handles.filter((handle) => handle.endsWith('_t1'))).toEqual([]);
  });

  test('an old core that changes them after the last pass is told of, and the move is finished once it is stopped', async () => {
    const source = referenceDatabase();
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    // Asked for the second time when the pass is over.
    const now = clockThat((asked) => {
      if (asked === 2) source.sql(`UPDATE tenant_configs SET passwordless_enabled = false WHERE app_id = 'public' AND tenant_id = 't2'`);
    });
    await expect(migrateHere(source, to, config, { finish: true, now })).rejects.toThrow(
      'Somebody has changed tenants meanwhile: stop the old core, all of its instances, and finish again',
    );
    expect(await migrate(source.url, to, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect((await recordsIn(to))['tenants']).toContainEqual(
      expect.objectContaining({ appId: 'public', tenantId: 't2', passwordlessEnabled: false }),
    );
  });
});

/** A database with nothing but a tenant of an app that is at home elsewhere. */
function ofOneTenant(): Reference {
  const own = referenceDatabase();
  own.sql(`
    TRUNCATE apps, tenant_configs CASCADE;
    INSERT INTO apps VALUES ('shop', 1);
    INSERT INTO tenants VALUES ('shop', 'public', 1), ('shop', 'own', 1);
    INSERT INTO app_id_to_user_id (app_id, user_id, recipe_id, primary_or_recipe_user_id) VALUES ('shop', '${USER}', 'emailpassword', '${USER}');
    INSERT INTO emailpassword_users VALUES ('shop', '${USER}', 'own@shop.test', 'x', 7);
    INSERT INTO all_auth_recipe_users VALUES ('shop', 'own', '${USER}', '${USER}', false, 'emailpassword', 7, 7);
    INSERT INTO roles VALUES ('shop', 'own-role');
    INSERT INTO user_roles VALUES ('shop', 'own', '${USER}', 'own-role');
    INSERT INTO user_metadata VALUES ('shop', '${USER}', '{"of":"own"}'), ('shop', 'both', '{"of":"own"}');
    INSERT INTO user_last_active VALUES ('shop', '${USER}', 5);
    ${session('shop', 'own', '00000000-0000-4000-8000-000000000000_own')}`);
  return own;
}

describe.skipIf(!hasReference)('a tenant in a database of its own', { timeout: LONG_MS }, () => {
  test('joins its app, whose own rows count where both have one', async () => {
    const [source, own] = [referenceDatabase(), ofOneTenant()];
    source.sql(`
      INSERT INTO tenant_configs (connection_uri_domain, app_id, tenant_id, email_password_enabled, core_config)
        VALUES ('', 'shop', 'own', true, '${JSON.stringify({ postgresql_connection_uri: own.url })}');
      INSERT INTO user_metadata VALUES ('shop', 'both', '{"of":"home"}')`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const ended = await migrate(source.url, to, oldConfig(folder), '--finish', '--yes');
    expect(ended).toMatchObject(FINISHED);
    expect(ended.stdout).toMatch(/^user_metadata +shop +\d+ +1 in the database of its app too$/m);
    expect(ended.stdout).toMatch(/^user_last_active +shop +\d+ +1 of an app that is at home elsewhere$/m);
    const core = await startCore({ dataDir: to });
    try {
      const ask = async (path: string): Promise<unknown> =>
        (await fetch(`${core.url}/appid-shop/${path}`, { headers: { 'cdi-version': '5.4' } })).json();
      expect(await ask(`user/id?userId=${USER}`)).toMatchObject({
        user: { tenantIds: ['own'], emails: ['own@shop.test'], loginMethods: [{ timeJoined: 7 }] },
      });
      expect(await ask(`own/recipe/user/roles?userId=${USER}`)).toMatchObject({ roles: ['own-role'] });
      expect(await ask(`recipe/user/metadata?userId=${USER}`)).toMatchObject({ metadata: { of: 'own' } });
      expect(await ask('recipe/user/metadata?userId=both')).toMatchObject({ metadata: { of: 'home' } });
      expect(await ask('own/recipe/session?sessionHandle=00000000-0000-4000-8000-000000000000_own')).toMatchObject({ userId: USER });
    } finally {
      await core.stop();
    }
  });
});
