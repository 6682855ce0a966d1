import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { KEY, withPlaces } from './places.ts';

const { folder, core, onCore, onFolder } = withPlaces();

describe.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s', (where, run) => {
  const id = where === 'a running core' ? 'one' : 'two';

  test('apps and tenants are made, changed, listed and removed', async () => {
    expect(await run(['app', 'put', id, '--set', 'access_token_validity=600'])).toMatchObject({
      code: 0,
      stdout: `The app ${id} is made.\n`,
    });
    expect((await run(['app', 'put', id, '--set', 'access_token_validity='])).stdout).toBe(`The app ${id} is changed.\n`);
    expect(await run(['app', 'put', id, '--set', 'access_token_validity=0600']), 'digits that are no JSON').toMatchObject({ code: 0 });
    expect((await run(['app', 'put', id, '--set', 'access_token_validity='])).code).toBe(0);
    const inApp = ['--app-id', id];
    const put = ['tenant', 'put', 't1', '--first-factor', 'emailpassword', '--set', 'totp_max_attempts=3', ...inApp];
    expect((await run(put)).stdout).toBe('The tenant t1 is made.\n');
    expect((await run(['app', 'list'])).stdout).toMatch(new RegExp(`^APP {5}TENANTS {2}OWN OPTIONS\n(?:.*\n)*${id} +2 +-\n`));
    expect((await run(['tenant', 'list', ...inApp])).stdout).toMatch(/\nt1 +emailpassword +- +- +totp_max_attempts\n/);
    expect((await run(['app', 'remove', id])).stderr).toContain('Add --yes to go on.');
    expect((await run(['app', 'remove', id, '--yes'])).stderr).toContain('Please delete all tenants except the public tenant');
    expect((await run(['tenant', 'remove', 't1', '--yes', ...inApp])).stdout).toBe('The tenant t1 is removed.\n');
    expect((await run(['tenant', 'remove', 't1', '--yes', ...inApp])).code).toBe(3);
    expect((await run(['app', 'remove', id, '--yes'])).code).toBe(0);
  });

  test('what is sent may come from a file', async () => {
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ requiredSecondaryFactors: ['totp'] }));
    expect((await run(['tenant', 'put', id, '--file', file])).code).toBe(0);
    expect((await run(['tenant', 'list'])).stdout).toMatch(new RegExp(`\n${id} +none +totp +`));
    writeFileSync(file, '{');
    expect(await run(['tenant', 'put', id, '--file', file])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--file cannot be read'),
    });
    expect((await run(['tenant', 'put', id, '--set', 'nothing'])).code).toBe(64);
    expect(await run(['tenant', 'put', id, '--set', 'no_such=1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Invalid config key'),
    });
  });

  test('secrets of tenants are neither shown nor taken from a flag', async () => {
    const key = 'ww-secret-of-an-app-0123456789';
    expect(await run(['app', 'put', `s${id}`, '--set', `api_keys=${key}`])).toMatchObject({
      code: 64,
      stderr: expect.not.stringContaining(key),
    });
    const file = join(folder, `s${id}.json`);
    writeFileSync(file, JSON.stringify({ coreConfig: { api_keys: key, totp_max_attempts: 4 } }));
    expect((await run(['app', 'put', `s${id}`, '--file', file])).code).toBe(0);
    const provider = { config: { thirdPartyId: 'google', clients: [{ clientId: 'c', clientSecret: 'hush-hush' }] } };
    await cdiClient(core().url).put('/recipe/multitenancy/config/thirdparty', provider, { headers: { 'api-key': KEY } });
    const lists = [await run(['app', 'list', '--json']), await run(['tenant', 'list', '--json'])];
    for (const { stdout } of lists) {
      expect(stdout).not.toMatch(new RegExp(`${key}|hush-hush`));
      expect(stdout).toContain('"google"');
    }
    const [apps] = lists.map(({ stdout }) => JSON.parse(stdout) as { appId: string; tenants: { coreConfig: object }[] }[]);
    expect(apps?.find(({ appId }) => appId === `s${id}`)?.tenants[0]?.coreConfig).toEqual({ api_keys: '(set)', totp_max_attempts: 4 });
    expect((await run(['app', 'put', `s${id}`, '--set', 'api_keys='])).code, 'what takes one away is none').toBe(0);
  });

  test('roles are made, given, shown, taken away and removed', async () => {
    const role = `role-${id}`;
    expect((await run(['role', 'put', role, 'read', 'write'])).stdout).toBe(`The role ${role} is made.\n`);
    expect((await run(['role', 'list'])).stdout.split('\n')).toContain(role);
    expect((await run(['role', 'assign', role, 'somebody'])).stdout).toBe(`somebody has the role ${role}.\n`);
    expect(JSON.parse((await run(['role', 'show', role, '--json'])).stdout)).toEqual({
      permissions: ['read', 'write'],
      users: ['somebody'],
    });
    expect((await run(['role', 'unassign', role, 'somebody'])).stdout).toBe(`somebody has no longer the role ${role}.\n`);
    expect((await run(['role', 'assign', 'none', 'somebody'])).code).toBe(3);
    expect((await run(['role', 'remove', role, '--yes'])).code).toBe(0);
    expect((await run(['role', 'remove', role, '--yes'])).code).toBe(3);
  });
});

test('what others wrote cannot drive the terminal', async () => {
  await onCore(['role', 'put', 'safe', 'a\u001b[31mred']);
  expect((await onCore(['role', 'show', 'safe'])).stdout).toContain('a?[31mred');
});
