import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { cbor, KINDS } from '../software-authenticator.ts';
import { KEY, withPlaces } from './places.ts';

const { folder, core, onCore, onFolder } = withPlaces();
const PASSWORD = 'a good password 1';
const headers = { 'api-key': KEY };

describe.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s', (where, run) => {
  const name = where === 'a running core' ? 'ann' : 'bob';
  const email = `${name}@example.com`;
  let id = '';

  test('users are made with a password from a file, or to sign in by code', async () => {
    const file = join(folder, `${name}.password`);
    writeFileSync(file, `${PASSWORD}\n`);
    const made = await run(['user', 'create', '--email', email, '--password-file', file]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    id = made.stdout.trim();
    expect(await run(['user', 'create', '--email', email, '--password-file', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is a user with ${email} already`),
    });
    const coded = await run(['user', 'create', '--email', `code-${email}`]);
    expect(coded.code).toBe(0);
    expect((await run(['user', 'create', '--email', `code-${email}`])).stderr).toContain('There is a user already');
    expect((await run(['user', 'create'])).code).toBe(64);
  });

  test('they are found by how an email begins, and shown with all that is known', async () => {
    expect((await run(['user', 'find', name])).stdout).toMatch(new RegExp(`\n${id} +${email} +- +- +public +20`));
    expect(JSON.parse((await run(['user', 'find', '--id', id.slice(0, 8), '--json'])).stdout)).toMatchObject([{ id }]);
    expect((await run(['user', 'find', 'nobody-has-this'])).stdout).toMatch(/^USER .*\n$/);
    expect((await run(['user', 'show', id])).stdout).toMatch(
      new RegExp(`^user +${id}\n(?:.*\n)*disabled +no\n(?:.*\n)*${id} +emailpassword +${email} +no `),
    );
    expect((await run(['user', 'show', 'nobody'])).code).toBe(3);
  });

  test('emails are verified, and links to reset a password made', async () => {
    expect((await run(['user', 'verify-email', id])).stdout).toBe(`${email} is verified.\n`);
    expect((await run(['user', 'verify-email', id])).stdout).toBe(`${email} was verified before.\n`);
    expect((await run(['user', 'verify-email', id, '--email', 'other@example.com'])).stderr).toContain(
      'The user has no email other@example.com',
    );
    const link = new URL((await run(['user', 'reset-link', id, '--base', 'https://app.example/reset?x=1'])).stdout.trim());
    const consumed = await cdiClient(core().url).post<{ status: string }>(
      '/recipe/user/password/reset/token/consume',
      { method: 'token', token: link.searchParams.get('token') },
      { headers },
    );
    expect(consumed.body.status).toBe('OK');
    expect(link.searchParams.get('x')).toBe('1');
  });

  test('their sessions are listed, shown and ended', async () => {
    const client = cdiClient(core().url);
    const begin = async (): Promise<string> => {
      const sent = { userId: id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
      return (await client.post<{ session: { handle: string } }>('/recipe/session', sent, { headers })).body.session.handle;
    };
    const [one, other] = [await begin(), await begin()];
    const listed = (await run(['user', 'sessions', id])).stdout;
    for (const handle of [one, other]) expect(listed).toContain(`\n${handle}  ${id}  public `);
    expect((await run(['session', 'show', one])).stdout).toMatch(new RegExp(`\nuser +${id}\n`));
    expect((await run(['session', 'revoke', one])).code).toBe(64);
    expect((await run(['session', 'revoke', one, '--yes'])).stdout).toBe(`${one} has ended.\n`);
    expect((await run(['session', 'revoke', one, '--yes'])).code).toBe(3);
    expect((await run(['session', 'show', one])).code).toBe(3);
    expect((await run(['user', 'sign-out', id, '--yes'])).code).toBe(0);
    expect((await run(['user', 'sessions', id, '--json'])).stdout).toBe('[]\n');
  });

  test('they are disabled, enabled, unlocked and removed', async () => {
    const signIn = async (): Promise<string> =>
      (await cdiClient(core().url).post<{ status: string }>('/recipe/signin', { email, password: PASSWORD }, { headers })).body.status;
    expect(await signIn()).toBe('OK');
    expect((await run(['user', 'disable', id, '--yes'])).stdout).toBe(`${id} is disabled.\n`);
    expect(await signIn()).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await run(['user', 'enable', id])).code).toBe(0);
    expect(await signIn()).toBe('OK');
    expect((await run(['user', 'unlock', id])).stdout).toBe(`${id} is unlocked.\n`);
    expect((await run(['user', 'remove', id])).stderr).toContain('Add --yes to go on.');
    expect((await run(['user', 'remove', id, '--yes'])).code).toBe(0);
    expect((await run(['user', 'remove', id, '--yes'])).code).toBe(3);
  });
});

test('a whole list comes page after page', async () => {
  const file = join(folder, 'many.ndjson');
  const hash = '$2a$04$AAAAAAAAAAAAAAAAAAAAAOmqDOmqDOmqDOmqDOmqDOmqDOmqDOmqD';
  const user = (at: number) => ({
    loginMethods: [{ recipeId: 'emailpassword', email: `page${at}@example.com`, passwordHash: hash, hashingAlgorithm: 'bcrypt' }],
  });
  writeFileSync(file, Array.from({ length: 1100 }, (_, at) => `${JSON.stringify(user(at))}\n`).join(''));
  expect((await onFolder(['import', file])).code).toBe(0);
  expect(JSON.parse((await onCore(['user', 'find', 'page', '--json'])).stdout)).toHaveLength(100);
  expect(JSON.parse((await onCore(['user', 'find', 'page', '--limit', '700', '--json'])).stdout)).toHaveLength(700);
  expect(JSON.parse((await onCore(['user', 'find', 'page', '--all', '--json'])).stdout)).toHaveLength(1100);
});

test.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s a user is found by a passkey, and shown with it', async (_, run) => {
  const id = `passkey-of-${run === onCore ? 'core' : 'folders'}`;
  const file = join(folder, `${id}.ndjson`);
  const kind = KINDS['-7'];
  const publicKey = cbor(kind?.coseOf(kind.make().publicKey.export({ format: 'jwk' }))).toString('base64url');
  const credentials = [{ id, relyingPartyId: 'example.com', publicKey, counter: 41, isBackedUp: true, createdAt: 0, updatedAt: 1000 }];
  writeFileSync(file, JSON.stringify({ loginMethods: [{ recipeId: 'webauthn', email: `${id}@example.com`, credentials }] }));
  expect((await onFolder(['import', file])).code).toBe(0);
  const [found] = JSON.parse((await run(['user', 'find', '--passkey', id, '--json'])).stdout) as { id: string }[];
  expect((await run(['user', 'find', '--passkey', 'nobodys', '--json'])).stdout).toBe('[]\n');
  expect((await run(['user', 'show', String(found?.id)])).stdout).toMatch(
    new RegExp(
      `\nPASSKEY +LOGIN METHOD +RELYING PARTY +COUNTER +BACKED UP +MADE +LAST USED\n${id} +${found?.id} +example.com +41 +yes +1970`,
    ),
  );
});
