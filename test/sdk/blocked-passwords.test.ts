import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildBlocklist } from '../../src/blocklist/build.ts';
import { startCore } from '../running-core.ts';
import { pageOf, scriptOf, startPageApp } from './tutorial-app.ts';

/* What docs/passwords.md has an application say of a password that the core refuses, in the application of the tutorial. */

const BLOCKED = 'Summer2026';

test('the end user is told, and may choose another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-told-'));
  const file = join(folder, 'passwords.blocklist');
  writeFileSync(join(folder, 'words.txt'), BLOCKED);
  const lists = [join(folder, 'words.txt')];
  await buildBlocklist({ file, lists, words: true, minCount: 1, falsePositives: 1e-6, progress: () => {} });
  const core = await startCore({ env: { PASSWORD_BLOCKLIST: file } });
  const tutorial = scriptOf(pageOf('tutorial.md'));
  expect(tutorial).toContain('EmailPassword.init()');
  const script = tutorial
    .replace('EmailPassword.init()', 'emailPassword')
    .replace('supertokens.init({', `${scriptOf(pageOf('passwords.md'))}\nsupertokens.init({`);
  const app = await startPageApp(folder, script, core.url, 'the shop is open');
  try {
    const signUp = async (password: string): Promise<unknown> => {
      const formFields = [
        { id: 'email', value: 'ann@example.com' },
        { id: 'password', value: password },
      ];
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${app.url}/auth/signup`, { method: 'POST', headers, body: JSON.stringify({ formFields }) })).json();
    };
    expect(await signUp(BLOCKED)).toEqual({ status: 'GENERAL_ERROR', message: 'This password is too common' });
    expect(await signUp(`${BLOCKED}!`)).toMatchObject({ status: 'OK' });
  } finally {
    app.stop();
    await core.stop();
    rmSync(folder, { recursive: true });
  }
});
