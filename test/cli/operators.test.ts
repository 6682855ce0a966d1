import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Browser, PASSWORD } from '../recipes/admin/browser.ts';
import { withPlaces } from './places.ts';

const { folder, core, onCore, onFolder } = withPlaces();

describe.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s', (where, run) => {
  const name = where === 'a running core' ? 'ann' : 'bob';
  const email = `${name}@example.com`;
  const file = join(folder, `${name}.password`);

  test('the first operator is made with a password that nobody sees in the list of processes', async () => {
    writeFileSync(file, `${PASSWORD}\n`);
    expect(await run(['operator', 'add', email, '--password-file', file])).toMatchObject({
      code: 0,
      stdout: `${email} is an operator with the role admin.\n`,
    });
    expect((await new Browser(core().port).signIn(email)).body).toMatchObject({ status: 'OK', operator: { role: 'admin' } });
    expect((await run(['operator', 'add', email, '--password-file', file])).stderr).toContain('operator grant');
    expect((await run(['operator', 'add', email])).code).toBe(64);
    writeFileSync(file, 'weak\n');
    expect((await run(['operator', 'add', `x${email}`, '--password-file', file])).stderr).toContain('at least 8 characters');
  });

  test('operators are listed and shown with their sessions', async () => {
    expect((await run(['operator', 'list'])).stdout).toMatch(new RegExp(`\n${email} +admin +20\\S+ \\S+ +no +1\n`));
    expect((await run(['operator', 'show', email])).stdout).toMatch(
      new RegExp(`email +${email}\nrole +admin\n(?:.*\n)*20\\S+ .*127.0.0.1\n$`),
    );
    expect((await run(['operator', 'show', 'nobody@example.com'])).code).toBe(3);
  });

  test('roles are given and taken', async () => {
    expect((await run(['operator', 'grant', email, 'viewer'])).stdout).toBe(`${email} has the role viewer.\n`);
    expect((await run(['operator', 'grant', email, 'root'])).code).toBe(64);
    expect((await run(['operator', 'grant', 'nobody@example.com', 'viewer'])).code).toBe(3);
    await new Browser(core().port).signIn(email);
    expect((await run(['operator', 'sign-out', email])).stdout).toBe(`1 sessions of ${email} ended.\n`);
    expect((await run(['operator', 'remove-totp', email, '--yes'])).stdout).toBe(`${email} needed none.\n`);
    expect((await run(['operator', 'revoke', email, '--yes'])).code).toBe(0);
    expect((await run(['operator', 'revoke', email, '--yes'])).code).toBe(3);
    expect((await new Browser(core().port).signIn(email)).body).toEqual({ status: 'NOT_AN_OPERATOR_ERROR' });
  });
});
