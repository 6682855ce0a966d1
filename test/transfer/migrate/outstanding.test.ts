import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { recordsIn } from './records-in.ts';
import { freshFolder, hasReference, migrate, oldConfig, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** An entry of the import queue. */
const entry = (number: number, status: string, primary: string): string => {
  const method = { tenantIds: ['public'], recipeId: 'emailpassword', email: `q${number}@queue.test`, superTokensUserId: idOf(number) };
  const raw = JSON.stringify({ id: idOf(number), loginMethods: [method] });
  return `INSERT INTO bulk_import_users (app_id, id, primary_user_id, raw_data, status, created_at, updated_at)
    VALUES ('queue', '${idOf(number)}', ${primary}, '${raw}', '${status}', 1, 1);`;
};

const user = (id: string): string => `
  INSERT INTO app_id_to_user_id (app_id, user_id, recipe_id, primary_or_recipe_user_id) VALUES ('queue', '${id}', 'emailpassword', '${id}');
  INSERT INTO emailpassword_users VALUES ('queue', '${id}', '${id}@queue.test', 'x', 1);
  INSERT INTO all_auth_recipe_users VALUES ('queue', 'public', '${id}', '${id}', false, 'emailpassword', 1, 1);`;

describe.skipIf(!hasReference)('what waits in the old core', { timeout: LONG_MS }, () => {
  test('entries of the import queue that are users already are done, whatever they name; all others wait on', async () => {
    const source = referenceDatabase();
    source.sql(`${user(idOf(1))} ${user(idOf(9))} ${entry(1, 'PROCESSING', 'NULL')} ${entry(2, 'PROCESSING', `'${idOf(9)}'`)}
      ${entry(3, 'PROCESSING', 'NULL')} ${entry(4, 'NEW', 'NULL')}`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const waiting = async (): Promise<readonly unknown[]> =>
      ((await recordsIn(to))['bulk_imports'] ?? [])
        .map((record) => `${Reflect.get(Object(record), 'id')} ${Reflect.get(Object(record), 'status')}`)
        .filter((text) => text.startsWith('00000000'));
    const first = await migrate(source.url, to, config);
    expect(first.stdout).toMatch(/^bulk_import_users +queue +\d+ +1 imported already$/m);
    expect(await waiting()).toEqual([`${idOf(2)} NEW`, `${idOf(3)} NEW`, `${idOf(4)} NEW`]);
    // Another one becomes a user, which its entry does not show.
    source.sql(user(idOf(3)));
    expect(await migrate(source.url, to, config, '--finish', '--yes')).toMatchObject(FINISHED);
    expect(await waiting()).toEqual([`${idOf(2)} NEW`, `${idOf(4)} NEW`]);
  });

  test('passkey options that are alive can be answered, and expired ones are left behind', async () => {
    const source = referenceDatabase();
    const [registering, signingIn] = [idOf(1), idOf(2)];
    source.sql(`INSERT INTO webauthn_generated_options
        (app_id, tenant_id, id, challenge, email, rp_id, rp_name, origin, created_at, expires_at, user_presence_required, user_verification) VALUES
      ('public', 't1', '${registering}', 'Y2hhbGxlbmdl', 'new@passkey.test', 'example.com', 'Example', 'https://example.com', 8999999000000, 9000000000000, true, 'required'),
      ('public', 'public', '${signingIn}', 'b3RoZXI', NULL, 'example.com', 'Example', 'https://example.com', 8999999000000, 9000000000000, false, 'discouraged')`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const ended = await migrate(source.url, to, oldConfig(folder), '--finish', '--yes');
    expect(ended).toMatchObject(FINISHED);
    expect(ended.stdout).toMatch(/^webauthn_generated_options +public\/t1 +1 +1 expired$/m);
    const options = (await recordsIn(to))['webauthn_options'] ?? [];
    expect(options).toHaveLength(2);
    expect(options).toContainEqual(expect.objectContaining({ id: registering, algorithms: expect.arrayContaining([-7, -8, -257]) }));
    expect(options).toContainEqual(expect.objectContaining({ id: signingIn, email: null, algorithms: [] }));
    const core = await startCore({ dataDir: to });
    try {
      const answer = await fetch(`${core.url}/t1/recipe/webauthn/options?webauthnGeneratedOptionsId=${registering}`, {
        headers: { 'cdi-version': '5.4' },
      });
      expect(await answer.json()).toEqual({
        status: 'OK',
        webauthnGeneratedOptionsId: registering,
        relyingPartyId: 'example.com',
        relyingPartyName: 'Example',
        challenge: 'Y2hhbGxlbmdl',
        timeout: 1_000_000,
        origin: 'https://example.com',
        email: 'new@passkey.test',
        createdAt: 8_999_999_000_000,
        expiresAt: 9_000_000_000_000,
        userVerification: 'required',
        userPresence: true,
      });
    } finally {
      await core.stop();
    }
  });

  test('SAML clients whose redirect URIs are refused here are moved, and named', async () => {
    const source = referenceDatabase();
    const client = (id: string, uris: string, initial: string): string => `INSERT INTO saml_clients
      SELECT app_id, tenant_id, '${id}', NULL, sso_login_url, '${uris}', '${initial}', '${id}', idp_signing_certificate, false, false, 1, 1
      FROM saml_clients WHERE client_id = 'saml-1';`;
    source.sql(`${client('native', '["https://app.fix.test/cb","myapp://cb"]', 'myapp://cb')}
      ${client('plain', '["https://app.fix.test/cb"]', 'http://app.fix.test/cb')} ${client('broken', 'https://app.fix.test', 'https://app.fix.test')}`);
    const folder = freshFolder();
    const to = join(folder, 'data');
    const config = oldConfig(folder);
    const refused = await migrate(source.url, to, config, '--finish', '--yes');
    expect(refused.stderr).toMatch(/1 rows? cannot be moved, such as .*its redirect_uris are no JSON list of texts/);
    source.sql(`DELETE FROM saml_clients WHERE client_id = 'broken'`);
    const ended = await migrate(source.url, to, config, '--finish', '--yes');
    expect(ended).toMatchObject(FINISHED);
    expect(ended.stdout).toMatch(
      /2 SAML clients have redirect URIs that are refused .*\["public\/public\/native","public\/public\/plain"\]$/m,
    );
    const clients = (await recordsIn(to))['saml_clients'];
    expect(clients).toContainEqual(
      expect.objectContaining({
        clientId: 'native',
        redirectUris: ['https://app.fix.test/cb', 'myapp://cb'],
        defaultRedirectUri: 'myapp://cb',
      }),
    );
    const left = readFileSync(join(to, 'migrate-left.ndjson'), 'utf8');
    expect(left).toMatch(/"id":"native","why":"redirect URIs that are refused when it is written anew: myapp:\/\/cb"/);
    expect(left).toMatch(/"id":"plain","why":"redirect URIs that are refused when it is written anew: http:\/\/app.fix.test\/cb"/);
    expect(left).not.toContain('"id":"saml-1"');
  });
});
