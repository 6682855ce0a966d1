import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { startCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';
import { findPostgres } from './server.ts';

const url = inject('postgresUrl');

/** Starts a core that cannot; answers what it says. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], {
    env: { STORE_ENGINE: 'postgres', POSTGRES_SCHEMA: `start_${process.pid}`, POSTGRES_TIMEOUT_MS: '2000', ...env },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toContain('secret');
  return stderr;
}

function sql(text: string): void {
  execFileSync(join(findPostgres() ?? '', 'psql'), [url ?? '', '-qc', text], { stdio: 'ignore' });
}

describe.skipIf(url === undefined)('a database that cannot be used: one line, exit code 1, no password', () => {
  const good = url ?? '';

  test.each([
    ['no URL', {}, "'postgres_url' must begin with postgres://"],
    ['a URL of something else', { POSTGRES_URL: 'mysql://h/d' }, "'postgres_url' must begin with postgres://"],
    [
      'nobody there',
      { POSTGRES_URL: 'postgres://u:secret@127.0.0.1:9/d' },
      'the database 127.0.0.1:9/d cannot be used: connect ECONNREFUSED',
    ],
    ['an unknown host', { POSTGRES_URL: 'postgres://u:secret@no-such-host.invalid/d' }, 'cannot be used: getaddrinfo'],
    ['a wrong password', { POSTGRES_URL: good.replace(':secret@', ':other@') }, 'password authentication failed for user "watchword"'],
    ['an unknown database', { POSTGRES_URL: good.replace(/\/postgres$/, '/none') }, 'database "none" does not exist'],
    ['TLS that is refused', { POSTGRES_URL: `${good}?sslmode=require` }, 'The server does not support SSL connections'],
  ])('%s', async (_, env, text) => {
    const said = await refusal(env);
    expect(said).toContain(text);
    expect(said.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  test('a password from a file that is not there', async () => {
    expect(await refusal({ POSTGRES_URL: good, POSTGRES_PASSWORD_FILE: '/no/such/file' })).toContain('ENOENT');
  });

  test('tables of a newer version', async () => {
    sql(
      'CREATE SCHEMA newer; CREATE TABLE newer.version (id int PRIMARY KEY, version int NOT NULL); INSERT INTO newer.version VALUES (1, 99)',
    );
    expect(await refusal({ POSTGRES_URL: good, POSTGRES_SCHEMA: 'newer' })).toContain('written by a newer version (99, this one knows 1)');
  });

  test('a role that may not make the tables, and one that need not', async () => {
    sql("CREATE ROLE guest LOGIN PASSWORD 'secret'");
    const asGuest = good.replace('watchword:secret@', 'guest:secret@');
    expect(await refusal({ POSTGRES_URL: asGuest })).toContain('permission denied');
  });

  test('a database that takes no writes', async () => {
    const readOnly = `${good}?options=-c%20default_transaction_read_only%3Don`;
    expect(await refusal({ POSTGRES_URL: readOnly, POSTGRES_SCHEMA: `read_${process.pid}` })).toContain('read-only');
  });
});

describe.skipIf(url === undefined)('the password of the database', () => {
  test.each([
    ['where the URL has none', (url ?? '').replace(':secret@', '@')],
    ['instead of the one in the URL', (url ?? '').replace(':secret@', ':wrong@')],
  ])('comes from a file %s', async (_, withoutPassword) => {
    const file = join(temporaryFolder(), 'password');
    writeFileSync(file, 'secret\n');
    const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: withoutPassword, POSTGRES_SCHEMA: `file_${process.pid}` };
    const core = await startCore({ env: { ...env, POSTGRES_PASSWORD_FILE: file } });
    expect(await core.stop()).toBe(0);
  });
});
