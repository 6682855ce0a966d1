import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionLost, CoreClient } from '../../src/transfer/core-client.ts';

let server: Server;
let port = 0;
const seen: Pick<IncomingMessage, 'url' | 'headers' | 'method'>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers, method: request.method });
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
    } else response.writeHead(503, { 'retry-after': '7' }).end('later');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('asks below the base path and the app, with key and connection URI domain', async () => {
  const address = { url: new URL(`http://127.0.0.1:${port}/base/`), apiKey: 'key', appId: 'a1', host: 'customer.example.com' };
  const client = new CoreClient(address);
  const answer = await client.call('POST', '/bulk-import/users?x=1', Buffer.from('{}'));
  client.close();
  expect(answer).toEqual({ status: 503, retryAfter: 7, text: 'later' });
  expect(seen.at(-1)).toMatchObject({
    method: 'POST',
    url: '/base/appid-a1/bulk-import/users?x=1',
    headers: { 'api-key': 'key', host: 'customer.example.com', 'content-length': '2' },
  });
});

test('an answer that is cut off is no answer', async () => {
  const client = new CoreClient({ url: new URL(`http://127.0.0.1:${port}`), apiKey: undefined, appId: undefined, host: undefined });
  await expect(client.call('GET', '/cut')).rejects.toThrow(ConnectionLost);
  client.close();
  expect(seen.at(-1)?.headers).not.toHaveProperty('api-key');
});
