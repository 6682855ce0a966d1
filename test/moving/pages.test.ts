import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';

/** The script of each page turns a made-up export of its system into users who sign in with the passwords they had. */

const SIGNER_KEY = 'gRhC3eDeQOdyEn4bMd9c6kxguWVmcIVq/SKa0JDPFeM6TcEevkaW56sIWfx88OHbJKnCXdWscZx0l2WbCJ1wbg==';
const EXPORTS = join(PROJECT_ROOT, 'test', 'moving', 'exports');
const PASSWORD = 'testPass123';
const PHONE = '+4915112345678';

/** What an export holds, by the id that each user had. */
interface Moved {
  readonly files: readonly string[];
  readonly users: number;
  /** Ids and passwords by email. */
  readonly passwords: Readonly<Record<string, readonly [id: string, password: string]>>;
  /** Emails of those who sign in by reset. */
  readonly resets: readonly string[];
  /** Emails of those who may not sign in although they know the password. */
  readonly disabled: readonly string[];
  /** Who has the Google account 109712345678901234567, as is known by id. */
  readonly google: string;
  readonly phone?: string;
  /** Metadata of the user with the Google account. */
  readonly metadata: object;
  /** Its roles. */
  readonly roles?: readonly string[];
}

const PAGES: Readonly<Record<string, Moved>> = {
  auth0: {
    files: ['auth0-users.ndjson', 'auth0-hashes.ndjson'],
    users: 4,
    passwords: { 'ann@example.com': ['auth0|5f7c8ec7c33c6c004bbafe82', PASSWORD] },
    resets: ['cat@example.com'],
    disabled: ['ben@example.com'],
    google: 'auth0|5f7c8ec7c33c6c004bbafe82',
    phone: 'sms|5f7c8ec7c33c6c004bbafe85',
    metadata: { plan: 'pro', app_metadata: { tier: 2 } },
  },
  firebase: {
    files: ['firebase-users.json'],
    users: 4,
    passwords: { 'ann@example.com': ['aB3dE5gH7jK9mN1pQ3sT5uV7wX9z', PASSWORD] },
    resets: ['cat@example.com'],
    disabled: ['ben@example.com'],
    google: 'aB3dE5gH7jK9mN1pQ3sT5uV7wX9z',
    phone: 'dB3dE5gH7jK9mN1pQ3sT5uV7wX9z',
    metadata: { displayName: 'Ann', claims: { admin: true } },
  },
  keycloak: {
    files: ['keycloak-realm.json'],
    users: 5,
    passwords: {
      'ann@example.com': ['5c3a1f0e-0000-4000-8000-000000000001', PASSWORD],
      'dan@example.com': ['5c3a1f0e-0000-4000-8000-000000000004', PASSWORD],
      // A published example.
      'admin@example.com': ['5c3a1f0e-0000-4000-8000-000000000005', 'admin'],
    },
    resets: ['cat@example.com'],
    disabled: ['ben@example.com'],
    google: '5c3a1f0e-0000-4000-8000-000000000001',
    metadata: {
      username: 'ann',
      firstName: 'Ann',
      lastName: 'Example',
      attributes: { locale: ['de'] },
    },
    roles: ['admin', 'default-roles-my-realm'],
  },
  supabase: {
    files: ['supabase-users.ndjson'],
    users: 4,
    passwords: { 'ann@example.com': ['7d3a1f0e-0000-4000-8000-000000000001', PASSWORD] },
    resets: ['cat@example.com'],
    disabled: ['ben@example.com'],
    google: '7d3a1f0e-0000-4000-8000-000000000001',
    phone: '7d3a1f0e-0000-4000-8000-000000000004',
    metadata: { full_name: 'Ann', app_metadata: { provider: 'email', providers: ['email'] } },
  },
  'better-auth': {
    files: ['better-auth-users.ndjson'],
    users: 2,
    passwords: { 'ann@example.com': ['k3JhG5fD7sA9qW1eR3tY5uI7oP9aSdFg', PASSWORD] },
    resets: ['cat@example.com'],
    disabled: [],
    google: 'k3JhG5fD7sA9qW1eR3tY5uI7oP9aSdFg',
    metadata: { name: 'Ann' },
  },
  cognito: {
    files: ['cognito-users.json'],
    users: 4,
    passwords: {},
    resets: ['cat@example.com'],
    disabled: ['ben@example.com'],
    google: '9e3a1f0e-0000-4000-8000-000000000002',
    phone: '9e3a1f0e-0000-4000-8000-000000000004',
    metadata: { username: 'google_109712345678901234567' },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'watchword-moving-'));
let core: RunningCore;
beforeAll(async () => {
  core = await startCore({
    env: { BULK_IMPORT_DELAY_MS: '0', BCRYPT_LOG_ROUNDS: '4', FIREBASE_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY },
  });
});
afterAll(async () => {
  await core?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script that stands on a page over an export; answers the file of users. */
function convert(page: string, files: readonly string[]): string {
  const text = readFileSync(join(PROJECT_ROOT, 'docs', 'moving', `${page}.md`), 'utf8');
  const [, script = ''] = /```js\n([^]*?)```/.exec(text) ?? [];
  const [, shown = ''] = /node convert\.mjs (.*?) > users\.ndjson\nwatchword import users\.ndjson/.exec(text) ?? [];
  expect(shown.split(' ')).toEqual(files);
  const path = join(folder, `${page}.mjs`);
  writeFileSync(path, script);
  const given = files.map((name) => join(EXPORTS, name));
  const users = join(folder, `${page}.ndjson`);
  writeFileSync(users, execFileSync(process.execPath, [path, ...given], { encoding: 'utf8' }));
  return users;
}

test('there is a page for every system, and each is tried', () => {
  const pages = readdirSync(join(PROJECT_ROOT, 'docs', 'moving')).map((name) => name.replace(/\.md$/, ''));
  expect(pages.filter((name) => name !== 'README').toSorted()).toEqual(Object.keys(PAGES).toSorted());
});

interface Answer {
  readonly status: string;
  readonly user: { readonly id: string };
  readonly users: readonly { readonly id: string }[];
  readonly metadata: object;
  readonly token: string;
}

const signIn = async (client: CdiClient, email: string, password: string): Promise<Answer> =>
  (await client.post<Answer>('/recipe/signin', { email, password })).body;

/** A password reset as an SDK does it. */
async function reset(client: CdiClient, email: string, password: string): Promise<void> {
  const [user] = (await client.get<Answer>('/users/by-accountinfo', { email, doUnionOfAccountInfo: 'false' })).body.users;
  const userId = user?.id ?? '';
  const { token } = (await client.post<Answer>('/recipe/user/password/reset/token', { userId, email })).body;
  expect((await client.post<Answer>('/recipe/user/password/reset/token/consume', { method: 'token', token })).body.status).toBe('OK');
  await client.put('/recipe/user', { recipeUserId: userId, password });
}

test.each(Object.entries(PAGES))('%s', async (page, moved) => {
  await cdiClient(core.url).put('/recipe/multitenancy/app/v2', {
    appId: page,
    coreConfig: { firebase_password_hashing_signer_key: SIGNER_KEY },
  });
  const client = cdiClient(core.url, { app: page });
  const users = convert(page, moved.files);
  const { code, stderr } = await watchword(['import', users, '--url', core.url, '--app-id', page, '--quiet']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await client.get<{ count: number }>('/users/count')).body.count).toBe(moved.users);
  for (const [email, [id, password]] of Object.entries(moved.passwords)) {
    expect(await signIn(client, email, `${password}x`)).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
    expect(await signIn(client, email, password)).toMatchObject({ status: 'OK', user: { id } });
  }
  for (const email of moved.disabled) expect((await signIn(client, email, PASSWORD)).status).toBe('WRONG_CREDENTIALS_ERROR');
  for (const email of moved.resets) {
    expect((await signIn(client, email, PASSWORD)).status).toBe('WRONG_CREDENTIALS_ERROR');
    await reset(client, email, 'newPass123');
    expect((await signIn(client, email, 'newPass123')).status).toBe('OK');
  }
  const google = { doUnionOfAccountInfo: 'false', thirdPartyId: 'google', thirdPartyUserId: '109712345678901234567' };
  expect((await client.get<Answer>('/users/by-accountinfo', google)).body.users).toMatchObject([{ id: moved.google }]);
  expect((await client.get<Answer>('/recipe/user/metadata', { userId: moved.google })).body.metadata).toEqual(moved.metadata);
  const { roles } = (await client.get<{ roles: readonly string[] }>('/recipe/user/roles', { userId: moved.google })).body;
  expect(roles.toSorted()).toEqual(moved.roles ?? []);
  const byPhone = (await client.get<Answer>('/users/by-accountinfo', { phoneNumber: PHONE, doUnionOfAccountInfo: 'false' })).body.users;
  expect(byPhone.map(({ id }) => id)).toEqual(moved.phone === undefined ? [] : [moved.phone]);
});
