import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchword } from '../transfer/program.ts';
import { KEY, withPlaces } from './places.ts';

const { folder, core, onCore, onFolder } = withPlaces();

describe.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('on %s', (_, run) => {
  test('API keys are made, listed and removed', async () => {
    const added = await run(['api-key', 'add', 'backend', '--scope', 'cdi', '--scope', 'read', '--days', '1']);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ww-[0-9a-f]{64}\n$/) });
    expect(await run(['api-key', 'add', 'backend', '--scope', 'cdi'])).toMatchObject({ code: 1 });
    const listed = await run(['api-key', 'list']);
    expect(listed.stdout).toMatch(/^NAME {5}SCOPES {4}CREATED .*\nbackend {2}cdi,read {2}20/);
    expect(listed.stdout).not.toContain(added.stdout.trim());
    const [key] = JSON.parse((await run(['api-key', 'list', '--json'])).stdout).apiKeys;
    expect(key).toMatchObject({ name: 'backend', scopes: ['cdi', 'read'] });
    expect((await run(['api-key', 'remove', 'backend'])).code).toBe(64);
    expect(await run(['api-key', 'remove', 'backend', '--yes'])).toMatchObject({ code: 0, stdout: 'The key backend is removed.\n' });
    expect(await run(['api-key', 'remove', 'backend', '--yes'])).toMatchObject({ code: 3 });
  });

  test('webhooks are made, changed, listed and removed', async () => {
    const added = await run(['webhook', 'add', 'https://example.com/hook', '--kind', 'user.*', '--description', 'CRM']);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^secret +whsec_\S{44}$/m) });
    const id = /^id +(\S+)$/m.exec(added.stdout)?.[1] ?? '';
    expect((await run(['webhook', 'update', id, '--target', 'https://example.com/new'])).stdout).toContain('https://example.com/new');
    expect((await run(['webhook', 'disable', id])).stdout).toMatch(/^state +disabled$/m);
    const listed = await run(['webhook', 'list']);
    expect(listed.stdout).toMatch(new RegExp(`\n${id} +https://example.com/new +user\\.\\* +- +disabled `));
    expect(listed.stdout).not.toContain('whsec_');
    expect(await run(['webhook', 'add', 'http://example.com', '--kind', '*'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('https://'),
    });
    expect((await run(['webhook', 'add', 'https://example.com'])).code).toBe(64);
    expect((await run(['webhook', 'remove', id, '--yes'])).code).toBe(0);
    expect((await run(['webhook', 'remove', id, '--yes'])).code).toBe(3);
  });

  test('signing keys are listed, rotated and retired', async () => {
    const rotated = (await run(['keys', 'rotate'])).stdout.trim();
    expect((await run(['keys', 'list'])).stdout).toMatch(new RegExp(`\n${rotated} +dynamic +(?:coming|signing) `));
    const retired = await run(['keys', 'retire', rotated, '--yes']);
    expect(retired).toMatchObject({ code: 0, stdout: expect.stringContaining('Access tokens that it signed do not verify') });
    expect((await run(['keys', 'retire', rotated, '--yes'])).code).toBe(3);
  });
});

test('the key may stand in a file, but never in a flag', async () => {
  const file = join(folder, 'key');
  writeFileSync(file, `${KEY}\n`);
  expect((await watchword(['keys', 'list', '--url', core().url, '--api-key-file', file])).code).toBe(0);
  expect((await watchword(['keys', 'list', '--url', core().url, '--api-key', KEY])).code).toBe(64);
});

test('a key that is wrong, or not good for it, ends with 77', async () => {
  expect(await onCore(['keys', 'list'], { env: { WATCHWORD_API_KEY: 'another-key-of-letters' } })).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('refuses the API key'),
  });
  const reader = (await onCore(['api-key', 'add', 'reader', '--scope', 'read'])).stdout.trim();
  const asReader = { env: { WATCHWORD_API_KEY: reader } };
  expect((await onCore(['keys', 'list'], asReader)).code).toBe(0);
  expect(await onCore(['keys', 'rotate'], asReader)).toMatchObject({ code: 77, stderr: expect.stringContaining("lacks the scope 'keys'") });
});

test('a key that only reads /metrics is seen to be used', async () => {
  const key = (await onCore(['api-key', 'add', 'prometheus', '--scope', 'read'])).stdout.trim();
  expect((await fetch(`${core().url}/metrics`, { headers: { 'api-key': key } })).status).toBe(200);
  const listed = async () => JSON.parse((await onCore(['api-key', 'list', '--json'])).stdout).apiKeys;
  await expect
    .poll(listed, { timeout: 10_000 })
    .toContainEqual(expect.objectContaining({ name: 'prometheus', lastUsedAt: expect.any(Number) }));
});

test('a folder without a store, and an app that does not exist, are said', async () => {
  expect(await watchword(['keys', 'list', '--data-dir', join(folder, 'none')])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no store in'),
  });
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  expect(await watchword(['keys', 'list', '--data-dir', join(folder, 'loop')]), 'what cannot be looked into').toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ELOOP'),
  });
  expect(await onCore(['keys', 'list', '--app-id', 'none'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('AppId or tenantId not found'),
  });
  for (const id of ['a b', 'a/b', '..', '?x=1', 'ü']) {
    expect(await onCore(['tenant', 'show', id])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${id} can be no app or tenant`),
    });
  }
});
