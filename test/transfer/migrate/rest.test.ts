import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchword } from '../program.ts';
import { freshFolder } from './reference.ts';

const STORAGE = 'db.example:5432/supertokens/public';

describe('migrate --rest without --from', () => {
  test('tells what was kept aside, and that nothing reads it yet', async () => {
    const file = join(freshFolder(), 'rest.ndjson');
    const lines = [
      { storage: STORAGE, table: 'oauth_clients', row: { app_id: 'shop', client_id: 'b', client_secret: 'hidden' } },
      { storage: STORAGE, table: 'oauth_clients', row: { app_id: 'public', client_id: 'a', client_secret: null } },
      { storage: STORAGE, table: 'oauth_sessions', row: { gid: 'g', external_refresh_token: 'hidden' } },
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { code, stdout, stderr } = await watchword(['migrate', '--rest', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      `oauth_clients of ${STORAGE}: 2 rows`,
      `oauth_sessions of ${STORAGE}: 1 row`,
      'OAuth client public/a',
      'OAuth client shop/b',
      'Nothing was moved: this version serves no OAuth. A version that does reads this file with the same option, together with --to.',
    ]);
    expect(stdout).not.toContain('hidden');
    const json = await watchword(['migrate', '--rest', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ clients: ['public/a', 'shop/b'], rows: [{ rows: 2 }, { rows: 1 }] });
  });

  test.each([
    ['is not there', undefined, /^watchword migrate: The file of --rest cannot be read: ENOENT/],
    ['is something else', '{"table":"users"}\n', /^watchword migrate: line 1 of .* is not what a move keeps aside$/m],
    [
      'was cut off',
      '{"storage":"s","table":"oauth_clients","row":{"cli',
      /^watchword migrate: line 1 of .* is not what a move keeps aside$/m,
    ],
  ])('a file that %s is one line', async (_what, content, said) => {
    const file = join(freshFolder(), 'rest.ndjson');
    if (content !== undefined) writeFileSync(file, content);
    const { code, stdout, stderr } = await watchword(['migrate', '--rest', file]);
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    expect(stderr).toMatch(said);
  });
});
