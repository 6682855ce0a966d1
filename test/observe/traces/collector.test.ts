import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { collectorHeaders, collectorUrl } from '../../../src/config/collector.ts';
import type { Log } from '../../../src/observe/log.ts';
import { Collector } from '../../../src/observe/traces/collector.ts';
import { Poster } from '../../../src/observe/traces/post.ts';
import { openReceiver, type Receiver, TAKEN } from './receiver.ts';

/* The collector that answers badly, or not at all: what is lost are spans, and the log says so once. */

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function receiver(port?: number): Promise<Receiver> {
  const opened = await openReceiver(port);
  closing.push(() => opened.close());
  return opened;
}

const lines: string[] = [];
const write = (fields: object | string, text?: string): void => void lines.push(`${JSON.stringify(fields)} ${text}`);
const log: Log = { debug: write, info: write, warn: write, error: write };

function collectorAt(uri: string, headers = {}): Collector {
  lines.length = 0;
  const url = collectorUrl(uri);
  if (!url) throw new Error(`no URL of a collector: ${uri}`);
  const collector = new Collector({ url, headers }, log);
  closing.push(() => collector.close(0));
  return collector;
}

/** Spans that hold nothing: an empty message. */
const spans = (count: number) => ({ count, bytes: new Uint8Array() });

/** A server that answers each connection with bytes, or with silence. */
async function rawServer(answer: string | undefined): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer !== undefined && socket.write(answer));
    closing.push(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

const URI_FAULTS = [
  'localhost:4318',
  'grpc://host:4317',
  'http://user:pass@host:4318',
  'http://key@host',
  'http://host/?api-key=1',
  'http://host/#a',
  '',
];

test.each(URI_FAULTS)('%s is no URI of a collector', (uri) => expect(collectorUrl(uri)).toBeUndefined());

test.each([
  ['http://host:4318', 'http://host:4318/v1/traces'],
  ['https://host/otlp/', 'https://host/otlp/v1/traces'],
])('spans for %s go to %s', (uri, url) => expect(collectorUrl(uri)?.href).toBe(url));

test('headers have the form that OpenTelemetry gives them', () => {
  expect(collectorHeaders('Authorization=Basic%20a%3D, x-key = b=c')).toEqual({ authorization: 'Basic a=', 'x-key': 'b=c' });
  for (const wrong of ['a', '=b', 'a b=c', 'a=%0d%0ab', 'a=%', 'a=b,']) expect(collectorHeaders(wrong)).toBeUndefined();
});

test('spans are posted with the headers, one batch after the other', async () => {
  const { url, received } = await receiver();
  const collector = collectorAt(url, { authorization: 'secret' });
  for (let batch = 0; batch < 3; batch += 1) collector.add(spans(2));
  await vi.waitFor(() => expect(collector.counts).toEqual({ sent: 6, lost: 0 }));
  expect(received.map(({ path }) => path)).toEqual(Array.from({ length: 3 }, () => '/v1/traces'));
  expect(received[0]?.headers).toMatchObject({ authorization: 'secret', 'content-type': 'application/x-protobuf' });
  expect(lines).toEqual([]);
});

test('a collector that is away is tried again, and what waits is sent; the log has two lines', async () => {
  const first = await receiver();
  await first.close();
  const collector = collectorAt(`${first.url}/a-key`);
  collector.add(spans(1));
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  collector.add(spans(1));
  await receiver(first.port);
  await vi.waitFor(() => expect(collector.counts).toEqual({ sent: 2, lost: 0 }), 10_000);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('ECONNREFUSED');
  expect(lines[1]).toContain('takes traces again');
  expect(lines.join()).not.toContain('a-key');
});

test('what waits is bounded', async () => {
  const port = await rawServer(undefined);
  const collector = collectorAt(`http://127.0.0.1:${port}`);
  for (let batch = 0; batch < 100; batch += 1) collector.add(spans(100));
  expect(collector.counts).toEqual({ sent: 0, lost: 100 * 100 - 8100 });
});

test.each([400, 401, 404, 500])('spans that are refused with %i are lost, and the next are sent', async (status) => {
  const opened = await receiver();
  opened.answer((response) => response.writeHead(status).end('{"nonsense":'));
  const collector = collectorAt(opened.url);
  collector.add(spans(1));
  await vi.waitFor(() => expect(collector.counts).toEqual({ sent: 0, lost: 1 }));
  expect(lines).toHaveLength(1);
  opened.answer(TAKEN);
  collector.add(spans(1));
  await vi.waitFor(() => expect(collector.counts).toEqual({ sent: 1, lost: 1 }));
  expect(lines).toHaveLength(2);
});

test.each([429, 502, 503, 504])('spans that are put off with %i are sent again', async (status) => {
  const opened = await receiver();
  opened.answer((response) => response.writeHead(status).end());
  const collector = collectorAt(opened.url);
  collector.add(spans(1));
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  opened.answer(TAKEN);
  await vi.waitFor(() => expect(collector.counts).toEqual({ sent: 1, lost: 0 }), 10_000);
});

test.each([
  ['nonsense', 'this is no HTTP\r\n\r\n', { failure: expect.stringMatching(/^HPE_/) }],
  ['nothing', undefined, { failure: 'ETIMEDOUT' }],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-', { failure: 'ETIMEDOUT' }],
  ['a body that never ends', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nslow', { status: 200 }],
  ['a body that is too long', `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(200_000)}`, { status: 200 }],
  ['nonsense in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\xff\xff\xff\xff', { status: 200 }],
])('a collector that answers %s holds nobody up', async (_, answer, posted) => {
  const port = await rawServer(answer);
  const poster = new Poster(new URL(`http://127.0.0.1:${port}/v1/traces`), {}, 300);
  closing.push(() => poster.close());
  expect(await poster.post(new Uint8Array(10))).toEqual(posted);
});

test('a stop waits for a collector that hangs no longer than it may', async () => {
  const port = await rawServer(undefined);
  const collector = collectorAt(`http://127.0.0.1:${port}`);
  collector.add(spans(1));
  await collector.close(50);
  expect(collector.counts).toEqual({ sent: 0, lost: 0 });
});
