import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { cbor, KINDS } from '../software-authenticator.ts';
import { type GivenUser, hashedUsers, watchword } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-export-'));
const file = join(folder, 'users.ndjson');
const SECRET = 'JBSWY3DPEHPK3PXP';
const METADATA = '{"big":12345678901234567890,"none":null,"deep":{"none":null,"n":1.50},"__proto__":1}';

const emailPassword = (email: string, more: object = {}): object => ({
  recipeId: 'emailpassword',
  email,
  plainTextPassword: `pw ${email}`,
  ...more,
});

/** The public key of a passkey, as exports write it. */
function publicKey(): string {
  const kind = KINDS['-7'];
  const cose = kind?.coseOf(kind.make().publicKey.export({ format: 'jwk' }));
  return cbor(cose).toString('base64url');
}

const PASSKEYS = ['Zmlyc3Q', 'c2Vjb25k'].map((id, at) => ({
  id,
  relyingPartyId: 'example.com',
  publicKey: publicKey(),
  aaguid: '08987058-cadc-4b81-b6e1-30de50dcbe96',
  counter: 2 ** 32 - 1 - at,
  transports: ['internal', 'hybrid'],
  createdAt: 1_600_000_000_000 + at,
  updatedAt: 1_700_000_000_000,
  isBackupEligible: true,
  isBackedUp: at === 0,
}));

const USERS: readonly GivenUser[] = [
  ...hashedUsers(150),
  { loginMethods: [emailPassword('plain@example.com', { isVerified: true, timeJoinedInMSSinceEpoch: 1_500_000_000_000 })] },
  {
    externalUserId: 'external',
    userRoles: [
      { role: 'admin', tenantIds: ['public', 't1'] },
      { role: 'reader', tenantIds: ['public'] },
    ],
    totpDevices: [{ secretKey: SECRET, deviceName: 'phone', period: 60, skew: 2 }],
    loginMethods: [
      // Each at a time of its own: those of one time stand in the order of their ids, which an import makes anew.
      emailPassword('linked@example.com', {
        timeJoinedInMSSinceEpoch: 1_400_000_000_001,
        isPrimary: true,
        isVerified: true,
        tenantIds: ['public', 't1'],
      }),
      { recipeId: 'passwordless', email: 'linked@example.com', phoneNumber: '+4915112345678', timeJoinedInMSSinceEpoch: 1_400_000_000_000 },
      {
        recipeId: 'thirdparty',
        email: 'other@example.com',
        thirdPartyId: 'google',
        thirdPartyUserId: 'g 1',
        timeJoinedInMSSinceEpoch: 1_400_000_000_002,
        isVerified: true,
        tenantIds: ['t1'],
      },
    ],
  },
  { loginMethods: [{ recipeId: 'passwordless', phoneNumber: '+4915112345679', isPrimary: true, tenantIds: ['t1'] }] },
  { loginMethods: [{ recipeId: 'thirdparty', email: 'g@example.com', thirdPartyId: 'github', thirdPartyUserId: '7' }] },
  { isDisabled: true, loginMethods: [emailPassword('disabled@example.com')] },
  {
    loginMethods: [
      {
        recipeId: 'webauthn',
        email: 'passkey@example.com',
        isVerified: true,
        isPrimary: true,
        tenantIds: ['public', 't1'],
        credentials: PASSKEYS,
      },
      { recipeId: 'passwordless', email: 'passkey@example.com', timeJoinedInMSSinceEpoch: 1_400_000_000_003 },
    ],
  },
  { loginMethods: [{ recipeId: 'webauthn', email: 'no-passkey@example.com', credentials: [] }] },
];

/** What an app must have before users can join it. */
async function prepare(client: CdiClient): Promise<void> {
  await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
  for (const role of ['admin', 'reader']) await client.put('/recipe/role', { role, permissions: [] });
}

interface Page {
  readonly users: readonly { readonly id: string }[];
  readonly nextPaginationToken?: string;
}

/** All that the interface tells about the users of an app. */
async function describeApp(client: CdiClient): Promise<readonly object[]> {
  const users: { readonly id: string }[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Page = (await client.get<Page>('/users', { limit: '100', ...(token !== '' && { paginationToken: token }) })).body;
    users.push(...page.users);
    token = page.nextPaginationToken;
  }
  return Promise.all(
    users.map(async (user) => {
      const userId = user.id;
      const roles = await client.get<{ roles: string[] }>('/recipe/user/roles', { userId });
      const rolesInT1 = await client.get<{ roles: string[] }>('/recipe/user/roles', { userId }, { tenant: 't1' });
      const shown = await client.get<{ isDisabled: boolean; passkeys: unknown }>('/manage/v1/user', { userId });
      return {
        user,
        isDisabled: shown.body.isDisabled,
        passkeys: shown.body.passkeys,
        metadata: (await client.get('/recipe/user/metadata', { userId })).text,
        devices: (await client.get<{ devices: unknown }>('/recipe/totp/device/list', { userId })).body.devices,
        roles: [roles.body.roles.toSorted(), rolesInT1.body.roles.toSorted()],
      };
    }),
  );
}

const signIn = async (client: CdiClient, email: string): Promise<string> =>
  (await client.post<{ status: string }>('/recipe/signin', { email, password: `pw ${email}` })).body.status;

let exported: readonly GivenUser[] = [];
let original: readonly object[] = [];

beforeAll(async () => {
  const dataDir = join(folder, 'from');
  const core = await startCore({ dataDir });
  const client = cdiClient(core.url);
  await prepare(client);
  for (const user of USERS) expect((await client.post('/bulk-import/import', user)).status).toBe(200);
  await client.put('/recipe/user/metadata', `{"userId":"external","metadataUpdate":${METADATA}}`);
  original = await describeApp(client);
  // A core that serves the folder is no obstacle.
  const ended = await watchword(['export', file, '--data-dir', dataDir]);
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  expect(ended.stderr).toContain(`${USERS.length} users written in `);
  await core.stop();
  exported = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): GivenUser => JSON.parse(line) as GivenUser)
    .filter((line) => 'loginMethods' in line);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an export', () => {
  test('is for its owner only, and goes to standard output unless a file is named', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const streamed = await watchword(['export', '--data-dir', join(folder, 'from'), '--quiet']);
    expect(streamed).toEqual({ code: 0, stdout: readFileSync(file, 'utf8'), stderr: '' });
  });

  test('names every user by the id that callers know', () => {
    expect(exported).toHaveLength(USERS.length);
    expect(exported.find(({ externalUserId }) => externalUserId === 'external')).toMatchObject({
      userRoles: [
        { role: 'admin', tenantIds: ['public', 't1'] },
        { role: 'reader', tenantIds: ['public'] },
      ],
      totpDevices: [{ secretKey: SECRET, period: 60, skew: 2, deviceName: 'phone' }],
    });
    expect(exported.every(({ externalUserId }) => typeof externalUserId === 'string')).toBe(true);
  });

  test('imported into an empty folder with the ids kept gives the same users, to the last byte', { timeout: 60_000 }, async () => {
    const dataDir = join(folder, 'into');
    const core: RunningCore = await startCore({ dataDir });
    const client = cdiClient(core.url);
    await prepare(client);
    const state = join(folder, 'into.state');
    const ended = await watchword(['import', file, '--data-dir', dataDir, '--keep-ids', '--state', state]);
    expect(ended).toMatchObject({ code: 0 });
    const sorted = (text: string): string[] => text.trimEnd().split('\n').toSorted();
    const again = await watchword(['export', '--data-dir', dataDir]);
    expect(sorted(again.stdout)).toEqual(sorted(readFileSync(file, 'utf8')));
    const imported = await describeApp(client);
    // When a device was made is not part of a user.
    const timeless = (text: unknown): unknown => JSON.parse(JSON.stringify(text).replaceAll(/"createdAt":\d+/g, '"createdAt":0'));
    expect(timeless(imported)).toEqual(timeless(original));
    for (const email of ['plain@example.com', 'linked@example.com']) expect(await signIn(client, email)).toBe('OK');
    expect(await signIn(client, 'disabled@example.com')).toBe('WRONG_CREDENTIALS_ERROR');
    await core.stop();
  });

  test('sent to another core gives users with the same ids, login methods, roles, metadata and devices', { timeout: 60_000 }, async () => {
    const core = await startCore({ env: { BULK_IMPORT_DELAY_MS: '0' } });
    const client = cdiClient(core.url);
    await prepare(client);
    const ended = await watchword(['import', file, '--url', core.url, '--state', join(folder, 'sent.state')]);
    expect(ended).toMatchObject({ code: 0 });
    const sent = await describeApp(client);
    // Linked login methods get new ids of their own.
    const comparable = (all: readonly object[]): unknown[] =>
      all.map((one) => JSON.stringify(one).replaceAll(/"(?:createdAt|recipeUserId)":(?:\d+|"[^"]*")/g, '""')).toSorted();
    expect(comparable(sent)).toEqual(comparable(original));
    expect(await signIn(client, 'linked@example.com')).toBe('OK');
    await core.stop();
  });

  test('says once what it leaves out', { timeout: 60_000 }, async () => {
    const dataDir = join(folder, 'losses');
    const core = await startCore({ dataDir });
    const client = cdiClient(core.url);
    await prepare(client);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { body } = await client.post<{ user: { id: string } }>('/recipe/signup', { email: `u${at}@example.com`, password: 'password' });
      ids.push(body.user.id);
    }
    const [alone = '', withDevice = ''] = ids;
    await client.post('/recipe/multitenancy/tenant/user/remove', { recipeUserId: alone });
    await client.post('/recipe/totp/device', { userId: withDevice, deviceName: 'new', skew: 1, period: 30 });
    await client.call('PUT', '/recipe/user/role', { userId: withDevice, role: 'admin' }, { tenant: 't1' });
    const ended = await watchword(['export', '--data-dir', dataDir, '--quiet']);
    await core.stop();
    expect(ended.stdout.split('\n').filter((line) => line.includes('loginMethods'))).toHaveLength(2);
    expect(ended.stderr.trimEnd().split('\n').toSorted()).toEqual([
      'Left out (1): TOTP devices are not verified yet.',
      'Left out (1): login methods are in no tenant.',
      'Left out (1): roles are given in tenants that the user is not in.',
      'Left out (1): users have no login method left that could be imported.',
    ]);
  });

  test('of a folder without a store, or of an app that is not there, makes nothing', async () => {
    const nowhere = join(folder, 'nowhere');
    expect(await watchword(['export', '--data-dir', nowhere])).toMatchObject({
      code: 1,
      stderr: `watchword export: There is no store in ${nowhere}.\n`,
    });
    const target = join(folder, 'none.ndjson');
    const noApp = await watchword(['export', target, '--data-dir', join(folder, 'from'), '--app-id', 'none']);
    expect(noApp).toMatchObject({ code: 1, stderr: `watchword export: There is no app none in ${join(folder, 'from')}.\n` });
    expect(() => statSync(target)).toThrow('ENOENT');
    const nameless = await watchword(['export']);
    expect(nameless).toMatchObject({ code: 64, stderr: expect.stringContaining('Say where from: either --url or --data-dir') });
  });
});
