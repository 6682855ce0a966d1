import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { newMarker } from '../../src/store/postgres/commit.ts';
import { connect, type Connection } from '../../src/store/postgres/connection.ts';
import { placeOf, serversOf } from '../../src/store/postgres/servers.ts';
import { SETTINGS } from '../../src/store/postgres/settings.ts';
import { statements } from '../../src/store/postgres/statements.ts';
import { prepareTables } from '../../src/store/postgres/table.ts';

const url = inject('postgresUrl') ?? '';
const OPTIONS = { password: undefined, connections: 1, prepared: true, timeoutMs: 5_000, schema: 'none' };

async function open(address: string, settings = {}): Promise<Connection> {
  const connection = await connect({ ...OPTIONS, url: address, settings });
  onTestFinished(() => connection.end());
  return connection;
}

async function shown(connection: Connection, name: string): Promise<unknown> {
  const [row] = await connection.run({ text: `SHOW ${name}`, values: [] });
  return row?.[name];
}

describe('a URL', () => {
  test('may name several servers', () => {
    const urls = serversOf('postgres://u:p%40w@one:5432,[::1]:5433/d?sslmode=require').map((server) => server.url);
    expect(urls).toEqual([
      'postgres://u:p%40w@one:5432/d?sslmode=require&uselibpqcompat=true',
      'postgres://u:p%40w@[::1]:5433/d?sslmode=require&uselibpqcompat=true',
    ]);
  });

  test.each([
    ['postgres://u:secret@one:5432,two/d?x=1', 'one:5432,two/d'],
    ['postgres://u:secret@one/d', 'one/d'],
    ['postgres://u:sec/ret@one/d', '(postgres_url)'],
    ['postgres://u:1234/secret@one/d', '(postgres_url)'],
    ['postgres://u:sec,ret/secret@one/d', '(postgres_url)'],
    ['secret', '(postgres_url)'],
  ])('%s is told without its password', (address, place) => {
    expect(placeOf(address)).toBe(place);
  });
});

describe.skipIf(url === '')('a session', () => {
  test('keeps our settings whatever the URL says of them, and takes its others', async () => {
    const connection = await open(`${url}?options=${encodeURIComponent('-c lock_timeout=0 -c work_mem=8MB')}`, SETTINGS);
    expect(await shown(connection, 'lock_timeout')).toBe('200ms');
    expect(await shown(connection, 'work_mem')).toBe('8MB');
  });

  test('is with the server that answers and takes writes', async () => {
    const { port } = new URL(url);
    const connection = await open(url.replace(`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`));
    expect(await shown(connection, 'transaction_read_only')).toBe('off');
  });

  test('is not kept where the database takes no writes', async () => {
    const readOnly = `${url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
    await expect(open(readOnly)).rejects.toThrow('read-only');
  });

  test('of many that none answers to, the reasons are told', async () => {
    await expect(open('postgres://u@127.0.0.1:1,127.0.0.1:2/d')).rejects.toThrow(AggregateError);
  });
});

describe.skipIf(url === '')('the marker of a commit', () => {
  test('is settled once: kept, or void for ever', async () => {
    const schema = `markers_${process.pid}`;
    const connection = await open(url);
    await prepareTables(connection, schema);
    const all = statements(schema);
    const [marker, other] = [newMarker(Date.now()), newMarker(Date.now())];
    await connection.run({ text: all.mark, values: [marker] });
    const settled = async (id: Buffer): Promise<unknown> => (await connection.run({ text: all.settle, values: [id] }))[0]?.['is_void'];
    expect(await settled(marker)).toBe(false);
    expect(await settled(other)).toBe(true);
    // Asked again, as where the first answer was lost.
    expect(await settled(other)).toBe(true);
    await expect(connection.run({ text: all.mark, values: [other] })).rejects.toThrow('duplicate key');
  });
});
