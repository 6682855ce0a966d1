import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { hashedUsers, readRejects, watchword } from './program.ts';

/** A whole app goes from one core to an empty one: what the second one exports is what it was given. */

const folder = mkdtempSync(join(tmpdir(), 'watchword-app-'));
const file = join(folder, 'app.ndjson');
const PASSWORD = 'correct horse 1';
/** Cores as they are by default, whatever engine this run is on. */
const EMBEDDED = { STORE_ENGINE: 'lmdb', BULK_IMPORT_DELAY_MS: '0' };

const google = (clientId: string): object => ({
  thirdPartyId: 'google',
  name: 'Google',
  clients: [{ clientType: 'web', clientId, clientSecret: `secret of ${clientId}`, scope: ['email'] }],
});

/** An app with something of everything that is carried. */
async function fill(client: CdiClient): Promise<void> {
  const done = async (reply: Promise<{ readonly status: number; readonly text: string }>): Promise<void> => {
    const { status, text } = await reply;
    expect([status, text]).toEqual([200, expect.stringContaining('"status":"OK"')]);
  };
  const tenantPath = '/recipe/multitenancy/tenant/v2';
  await done(client.put('/recipe/role', { role: 'admin', permissions: ['write', 'read'] }));
  await done(client.put('/recipe/role', { role: 'nobody yet', permissions: [] }));
  await done(client.put(tenantPath, { tenantId: 'plain' }));
  await done(client.put(tenantPath, { tenantId: 'closed', firstFactors: [] }));
  const OLD = { cdi: '4.0' };
  await done(client.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'old', emailPasswordEnabled: true }, OLD));
  await done(client.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'between', thirdPartyEnabled: true }, { cdi: '5.0' }));
  await done(
    client.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'older', passwordlessEnabled: true, thirdPartyEnabled: true }, OLD),
  );
  await done(
    client.put(tenantPath, {
      tenantId: 't1',
      firstFactors: ['emailpassword', 'thirdparty'],
      requiredSecondaryFactors: ['totp'],
      coreConfig: { password_reset_token_lifetime: 7_200_000 },
    }),
  );
  await done(client.put('/recipe/multitenancy/config/thirdparty', { config: google('public'), skipValidation: true }));
  for (const config of [google('of t1'), { thirdPartyId: 'github', clients: [{ clientId: 'hub', additionalConfig: { a: [1, null] } }] }])
    await done(client.call('PUT', '/recipe/multitenancy/config/thirdparty', { config, skipValidation: true }, { tenant: 't1' }));
  const loginMethods = [
    {
      recipeId: 'emailpassword',
      email: 'ann@example.com',
      plainTextPassword: PASSWORD,
      isVerified: true,
      isPrimary: true,
      tenantIds: ['public', 't1'],
      timeJoinedInMSSinceEpoch: 1_500_000_000_000,
    },
    { recipeId: 'thirdparty', email: 'ann@example.com', thirdPartyId: 'google', thirdPartyUserId: '1', tenantIds: ['t1'] },
  ];
  const userRoles = [{ role: 'admin', tenantIds: ['public', 't1'] }];
  const userMetadata = { plan: 'pro', none: null, at: [1, { deep: '\u2028', none: null }] };
  await done(client.post('/bulk-import/import', { externalUserId: 'ann', userRoles, userMetadata, loginMethods }));
  await done(client.put('/recipe/user/metadata', '{"userId":"ann","metadataUpdate":{"big":9007199254740993}}'));
  const { body } = await client.get<{ users: readonly { loginMethods: readonly { recipeId: string; recipeUserId: string }[] }[] }>(
    '/users/by-accountinfo',
    { thirdPartyId: 'google', thirdPartyUserId: '1', doUnionOfAccountInfo: 'false' },
    { tenant: 't1' },
  );
  const superTokensUserId = body.users[0]?.loginMethods.find(({ recipeId }) => recipeId === 'thirdparty')?.recipeUserId;
  const mapping = { superTokensUserId, externalUserId: 'ann at google', externalUserIdInfo: 'her second id' };
  await done(client.post('/recipe/userid/map', mapping));
  await done(
    client.put('/recipe/userid/external-user-id-info', { userId: 'ann', userIdType: 'EXTERNAL', externalUserIdInfo: 'her first' }),
  );
  for (const user of hashedUsers(120)) await done(client.post('/bulk-import/import', user));
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');

/** What must be the same after a queue gave new internal ids to all login methods. */
const withoutIds = (text: string): readonly string[] =>
  linesOf(text)
    .map((line) => line.replaceAll(/,"superTokensUserId":"[^"]*"/g, ''))
    .toSorted();

/** All tenants in each of the forms in which a core shows them. */
const tenantsOf = (client: CdiClient): Promise<readonly string[]> =>
  Promise.all(
    ['list?4.0', 'list?5.0', 'list?5.4', 'list/v2?5.4'].map(async (form) => {
      const [path, cdi = ''] = form.split('?');
      return (await client.get(`/recipe/multitenancy/tenant/${path}`, undefined, { cdi })).text;
    }),
  );

let core: RunningCore;
beforeAll(async () => {
  core = await startCore({ dataDir: join(folder, 'from'), env: EMBEDDED });
  await fill(cdiClient(core.url));
  expect(await watchword(['export', file, '--data-dir', core.dataDir, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
}, 60_000);
afterAll(async () => {
  await core?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('an export', () => {
  test('begins with roles and tenants, secrets of providers among them', () => {
    const lines = linesOf(readFileSync(file, 'utf8')).map((line): object => JSON.parse(line) as object);
    expect(lines).toHaveLength(2 + 7 + 121);
    expect(lines.slice(0, 9)).toMatchObject([
      { role: 'admin', permissions: ['read', 'write'] },
      { role: 'nobody yet', permissions: [] },
      { tenant: { tenantId: 'between', emailPassword: { enabled: false }, thirdParty: { enabled: true } } },
      { tenant: { tenantId: 'closed', emailPassword: { enabled: false }, thirdParty: { enabled: false, providers: [] }, coreConfig: {} } },
      { tenant: { tenantId: 'old', emailPassword: { enabled: true }, passwordless: { enabled: false } } },
      { tenant: { tenantId: 'older', emailPassword: { enabled: false }, passwordless: { enabled: true } } },
      { tenant: { tenantId: 'plain' } },
      { tenant: { tenantId: 'public', thirdParty: { providers: [google('public')] } } },
      {
        tenant: {
          tenantId: 't1',
          firstFactors: ['emailpassword', 'thirdparty'],
          requiredSecondaryFactors: ['totp'],
          thirdParty: { providers: [{ thirdPartyId: 'github' }, google('of t1')] },
          coreConfig: { password_reset_token_lifetime: 7_200_000 },
        },
      },
    ]);
  });

  test('over the network is the same', async () => {
    const { code, stdout } = await watchword(['export', '--url', core.url, '--quiet']);
    expect(code).toBe(0);
    expect(linesOf(stdout).map((line): unknown => JSON.parse(line))).toEqual(
      linesOf(readFileSync(file, 'utf8')).map((line): unknown => JSON.parse(line)),
    );
    // Numbers that JavaScript cannot hold too.
    expect(stdout).toContain('"big":9007199254740993');
  });

  test('over the network needs a key that opens everything', async () => {
    const client = cdiClient(core.url);
    const make = async (name: string, scopes: readonly string[], key?: string): Promise<string> => {
      const headers = key === undefined ? {} : { 'api-key': key };
      const { body } = await client.call<{ key: string }>('POST', '/manage/v1/api-keys', { name, scopes }, { headers });
      return body.key;
    };
    const all = await make('all', ['all']);
    const cdi = await make('cdi', ['cdi', 'read', 'users', 'keys'], all);
    const run = (key: string) => watchword(['export', '--url', core.url, '--quiet'], { env: { WATCHWORD_API_KEY: key } });
    const refused = await run(cdi);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/refuses the export with 403.*lacks the scope 'all'/)]);
    expect((await run(all)).code).toBe(0);
    for (const name of ['cdi', 'all']) await client.call('POST', '/manage/v1/api-keys/remove', { name }, { headers: { 'api-key': all } });
  });
});

describe('imported into an empty store and exported again it is what it was', () => {
  test('in a folder, to the last byte', async () => {
    const dataDir = join(folder, 'into');
    const import_ = ['import', file, '--data-dir', dataDir, '--keep-ids', '--state', join(folder, 'into.state'), '--quiet'];
    expect(await watchword(import_)).toEqual({ code: 0, stdout: '', stderr: '' });
    const { code, stdout } = await watchword(['export', '--data-dir', dataDir, '--quiet']);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(file, 'utf8'));
  });

  const url = inject('postgresUrl');
  const ENGINES = {
    'the embedded store': EMBEDDED,
    ...(url !== undefined && {
      'a database': {
        ...EMBEDDED,
        STORE_ENGINE: 'postgres',
        POSTGRES_URL: url,
        POSTGRES_SCHEMA: `whole_app_${randomUUID().slice(0, 8)}`,
        POSTGRES_CONNECTIONS: '16',
      },
    }),
  };

  test.each(Object.entries(ENGINES))('over the network, into %s', { timeout: 60_000 }, async (name, env) => {
    const other = await startCore({ env });
    const state = join(folder, `${name}.state`);
    const rejects = join(folder, `${name}.rejects`);
    const ended = await watchword(['import', file, '--url', other.url, '--state', state, '--rejects', rejects, '--quiet']);
    expect([ended, readRejects(rejects)]).toEqual([{ code: 0, stdout: '', stderr: '' }, []]);
    const again = await watchword(['export', '--url', other.url, '--quiet']);
    expect(withoutIds(again.stdout)).toEqual(withoutIds(readFileSync(file, 'utf8')));
    expect(await tenantsOf(cdiClient(other.url))).toEqual(await tenantsOf(cdiClient(core.url)));
    const signedIn = await cdiClient(other.url).post('/recipe/signin', { email: 'ann@example.com', password: PASSWORD });
    expect(signedIn.body).toMatchObject({ status: 'OK', user: { id: 'ann' } });
    const mapped = { userId: 'ann at google', userIdType: 'EXTERNAL' };
    expect((await cdiClient(other.url).get('/recipe/userid/map', mapped)).body).toMatchObject({ externalUserIdInfo: 'her second id' });
    await other.stop();
  });
});

describe('lines that are no users', () => {
  const write = (name: string, lines: readonly object[]): string => {
    const path = join(folder, name);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };
  const USER = { loginMethods: [{ recipeId: 'passwordless', email: 'solo@example.com', tenantIds: ['new'] }] };

  test('that the app refuses are rejects, and the rest goes on', async () => {
    const path = write('refused.ndjson', [
      { tenant: { tenantId: 'not_good!' } },
      { tenant: { tenantId: 'new', coreConfig: { no_such_option: 1 } } },
      { tenant: { tenantId: 'new', firstFactors: ['otp-email'] } },
      USER,
      { role: 'late', permissions: 'none' },
    ]);
    const ended = await watchword(['import', path, '--data-dir', join(folder, 'refused'), '--quiet']);
    const rejects = readRejects(`${path}.rejects.ndjson`);
    expect([ended.code, rejects.map(({ line }) => line)]).toEqual([2, [1, 2, 5]]);
    expect(rejects.map(({ errors }) => errors.join())).toEqual([
      expect.stringContaining('tenantId'),
      expect.stringContaining('no_such_option'),
      expect.stringContaining('permissions'),
    ]);
    const corrected = write(
      'corrected.ndjson',
      rejects.map((reject) => JSON.parse(JSON.stringify(reject).replace('not_good!', 'good').replace('"none"', '[]')) as object),
    );
    const again = await watchword(['import', corrected, '--data-dir', join(folder, 'refused'), '--quiet']);
    expect([again.code, readRejects(`${corrected}.rejects.ndjson`)]).toMatchObject([
      2,
      [{ line: 2, user: { tenant: { tenantId: 'new' } } }],
    ]);
    const { stdout } = await watchword(['export', '--data-dir', join(folder, 'refused'), '--quiet']);
    expect(stdout).toContain('{"role":"late","permissions":[]}\n{"tenant":{"tenantId":"good",');
  });

  test('are passed over with --users-only', async () => {
    const path = write('users-only.ndjson', [{ tenant: { tenantId: 'new' } }, { role: 'admin' }, USER]);
    const ended = await watchword(['import', path, '--data-dir', join(folder, 'users-only'), '--users-only', '--quiet']);
    expect([ended.code, readRejects(`${path}.rejects.ndjson`)]).toMatchObject([
      2,
      [{ line: 3, errors: [expect.stringContaining('tenantId: new'), expect.any(String)] }],
    ]);
  });
});
