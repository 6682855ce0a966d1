import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';
import { issue, type KeyPair, makeAuthority } from './certificates.ts';
import { findPostgres, type PostgresServer, user, startPostgres } from './server.ts';

const bin = findPostgres();
const HBA = `hostssl all by_certificate 127.0.0.1/32 cert
hostssl all all 127.0.0.1/32 scram-sha-256
`;

describe.skipIf(bin === undefined)('TLS to the database', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-tls-'));
  let server: PostgresServer;
  let [authority, stranger, client, other]: (KeyPair | undefined)[] = [];

  beforeAll(async () => {
    authority = makeAuthority(folder, 'authority');
    stranger = makeAuthority(folder, 'stranger');
    client = issue(folder, authority, 'by_certificate');
    other = issue(folder, authority, 'somebody_else');
    const own = issue(folder, authority, 'server', 'localhost');
    const hba = join(folder, 'hba.conf');
    writeFileSync(hba, HBA);
    const { uid, gid } = user();
    // The server takes a key from nobody but its own user.
    if (uid !== undefined && gid !== undefined) for (const path of [folder, own.key]) chownSync(path, uid, gid);
    chmodSync(own.key, 0o600);
    const files = { ssl_cert_file: own.cert, ssl_key_file: own.key, ssl_ca_file: authority.cert, hba_file: hba };
    server = await startPostgres(bin ?? '', { settings: { ssl: 'on', ...files } });
    await query('CREATE ROLE by_certificate LOGIN SUPERUSER');
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function query(text: string): Promise<readonly unknown[]> {
    const admin = new Client(`${server.url}?sslmode=no-verify`);
    await admin.connect();
    try {
      return (await admin.query<Record<string, unknown>>(text)).rows;
    } finally {
      await admin.end();
    }
  }

  /** The environment of a core. @param host name or address in the URL @param user with the password, if it has one */
  const envOf = (
    host: string,
    parameters: Readonly<Record<string, string | undefined>>,
    user = 'watchword:secret',
  ): Record<string, string> => {
    const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const url = `postgres://${user}@${host}:${server.port}/postgres?${new URLSearchParams(given).toString()}`;
    return { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_TIMEOUT_MS: '5000' };
  };

  const full = (trusted: KeyPair | undefined): Record<string, string | undefined> => ({
    sslmode: 'verify-full',
    sslrootcert: trusted?.cert,
  });
  const withClient = (pair: KeyPair | undefined) => ({ ...full(authority), sslcert: pair?.cert, sslkey: pair?.key });

  test.each([
    ['verify-full with the authority and the name of the server', () => envOf('localhost', full(authority))],
    ['verify-ca, whatever the name', () => envOf('127.0.0.1', { sslmode: 'verify-ca', sslrootcert: authority?.cert })],
    ['require, whoever it is', () => envOf('127.0.0.1', { sslmode: 'require' })],
    ['a client certificate instead of a password', () => envOf('localhost', withClient(client), 'by_certificate')],
  ])('%s: starts, and every connection is encrypted', async (_, env) => {
    const core = await startCore({ env: env() });
    const sessions = await query("SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'watchword%'");
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.filter((row) => JSON.stringify(row) !== '{"ssl":true}')).toEqual([]);
    expect(await core.stop()).toBe(0);
  });

  test.each([
    ['another name than that of the certificate', () => envOf('127.0.0.1', full(authority)), "IP: 127.0.0.1 is not in the cert's list"],
    ['another authority', () => envOf('localhost', full(stranger)), 'self-signed certificate in certificate chain'],
    [
      'no authority but those of the system',
      () => envOf('localhost', { sslmode: 'verify-full' }),
      'self-signed certificate in certificate chain',
    ],
    ['verify-ca without an authority', () => envOf('localhost', { sslmode: 'verify-ca' }), 'sslrootcert'],
    ['no TLS where the server asks for it', () => envOf('localhost', {}), 'no encryption'],
    [
      'a client certificate that is missing',
      () => envOf('localhost', full(authority), 'by_certificate'),
      'requires a valid client certificate',
    ],
    [
      'that of another role',
      () => envOf('localhost', withClient(other), 'by_certificate'),
      'certificate authentication failed for user "by_certificate"',
    ],
    [
      'a key file that is not there',
      () => envOf('localhost', { ...withClient(client), sslkey: '/no/such.key' }, 'by_certificate'),
      'ENOENT',
    ],
    [
      'a file of authorities that is not there',
      () => envOf('localhost', { sslmode: 'verify-full', sslrootcert: '/no/such.pem' }),
      'ENOENT',
    ],
    [
      'a file that holds no certificate',
      () => envOf('localhost', { ...full(authority), sslrootcert: join(folder, 'hba.conf') }),
      'certificate',
    ],
  ])('%s: one line, exit code 1, no password', async (_, env, text) => {
    const { code, stdout, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env: env() });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Watchword cannot start: the database (?:localhost|127\.0\.0\.1):\d+\/postgres cannot be used: [^\n]+\n$/);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('secret');
  });
});
