import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Outbound, type PostOutcome } from '../../src/outbound/outbound.ts';
import { issue, type KeyPair, makeAuthority } from '../postgres/certificates.ts';

const ATTEMPT_MS = 400;

let folder: string;
let pair: KeyPair;
const closing: (() => void)[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchword-outbound-'));
  pair = issue(folder, makeAuthority(folder, 'authority'), 'receiver', 'receiver.example');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const http = (answer: RequestListener): Promise<number> => listen(createHttpServer(answer));

function outbound(parts: Partial<ConstructorParameters<typeof Outbound>[0]> = {}): Outbound {
  const made = new Outbound({ allowPrivate: () => true, attemptMs: ATTEMPT_MS, ...parts });
  closing.push(() => made.close());
  return made;
}

const post = (to: Outbound, url: string, body = '{}'): Promise<PostOutcome> => to.post({ url, headers: { 'x-a': 'b' }, body });

describe('an attempt', () => {
  test('posts headers and body, and answers the status', async () => {
    let seen = '';
    const port = await http((request, response) => {
      request.on('data', (chunk: Buffer) => (seen += `${request.method} ${request.url} ${request.headers['x-a']} ${chunk}`));
      request.on('end', () => response.writeHead(204).end());
    });
    expect(await post(outbound(), `http://127.0.0.1:${port}/a?b=c`, 'grüße')).toEqual({ status: 204 });
    expect(seen).toBe('POST /a?b=c b grüße');
  });

  test('is broken off where the target hangs, also in the middle of its answer', async () => {
    const silent = await http(() => {});
    const slow = await http((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      const timer = setInterval(() => response.write('a'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const mute = await listen(createTcpServer(() => {}));
    for (const url of [`http://127.0.0.1:${silent}`, `http://127.0.0.1:${slow}`, `https://127.0.0.1:${mute}`])
      expect(await post(outbound(), url)).toEqual({ fault: 'no whole answer in time' });
  });

  test('is broken off where nobody says what a name leads to', async () => {
    const to = outbound({ resolve: () => new Promise(() => {}) });
    expect(await post(to, 'https://receiver.example/')).toEqual({ fault: 'no whole answer in time' });
  });

  test('reads 64 KiB of an answer, and ends the connection', async () => {
    let sent = 0;
    let hasClosed = (): void => {};
    const closed = new Promise<void>((done) => (hasClosed = done));
    const port = await http((_request, response) => {
      response.on('close', () => hasClosed());
      const more = (): void => {
        sent += 65_536;
        if (sent < 100e6) response.write(Buffer.alloc(65_536), more);
      };
      more();
    });
    expect(await post(outbound({ attemptMs: 5_000 }), `http://127.0.0.1:${port}`)).toEqual({ status: 200 });
    await closed;
    expect(sent).toBeLessThan(50e6);
  });

  test('does not follow redirects', async () => {
    let asked = 0;
    const port = await http((_request, response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await post(outbound(), `http://127.0.0.1:${port}`)).toEqual({ status: 307 });
    expect(asked).toBe(1);
  });

  test('tells in words without addresses why there is no answer', async () => {
    const gone = await http(() => {});
    for (const close of closing.splice(0)) close();
    const rude = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    const wrong = await listen(createTcpServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n'))));
    const switching = await listen(
      createTcpServer((socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
      ),
    );
    const unknown = outbound({ resolve: async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) });
    const faults = [
      await post(outbound(), `http://127.0.0.1:${gone}`),
      await post(outbound(), `http://127.0.0.1:${rude}`),
      await post(outbound(), `http://127.0.0.1:${wrong}`),
      await post(outbound(), `http://127.0.0.1:${switching}`),
      await post(unknown, 'https://receiver.example/'),
    ];
    expect(faults).toEqual([
      { fault: 'nobody listens there' },
      { fault: 'the connection was broken' },
      { fault: 'the connection failed: HPE_INVALID_CONSTANT' },
      { fault: 'the connection was broken' },
      { fault: 'the name is not known' },
    ]);
  });

  test('uses a connection again, and a new one where the target has closed it meanwhile', async () => {
    const ports = new Set<number | undefined>();
    const server = createHttpServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const port = await listen(server);
    const to = outbound();
    await post(to, `http://127.0.0.1:${port}`);
    expect(await post(to, `http://127.0.0.1:${port}`)).toEqual({ status: 200 });
    expect(ports.size).toBe(1);
    // The second request on a connection is its end.
    const rude = await listen(
      createTcpServer((socket) => {
        let requests = 0;
        socket.on('data', () => {
          requests += 1;
          if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
          else socket.destroy();
        });
      }),
    );
    expect(await post(to, `http://127.0.0.1:${rude}`)).toEqual({ status: 200 });
    expect(await post(to, `http://127.0.0.1:${rude}`)).toEqual({ status: 200 });
  });
});

describe('where it connects to', () => {
  test('only to public addresses; a name is judged by what it leads to at that moment', async () => {
    let asked = 0;
    const port = await http((_request, response) => {
      asked += 1;
      response.end();
    });
    const answers = [['203.0.113.7'], ['127.0.0.1'], ['10.0.0.1', '::1'], ['::ffff:127.0.0.1'], ['64:ff9b::7f00:1'], []];
    const to = outbound({ allowPrivate: () => false, resolve: async () => answers.shift() ?? [] });
    const fault = "the name leads to no public address, and 'webhook_allow_private' is off";
    for (let look = 0; look < 6; look += 1) expect(await post(to, `https://receiver.example:${port}/`)).toEqual({ fault });
    expect(asked).toBe(0);
  });

  test('a literal address is judged at each attempt, too', async () => {
    const port = await http((_request, response) => response.end());
    let isAllowed = true;
    const to = outbound({ allowPrivate: () => isAllowed });
    expect(await post(to, `http://127.0.0.1:${port}`)).toEqual({ status: 200 });
    isAllowed = false;
    expect(await post(to, `https://127.0.0.1:${port}`)).toMatchObject({ fault: expect.stringMatching(/not public/) });
  });

  test('a connection that was kept under a laxer rule is not used again', async () => {
    const port = await http((_request, response) => response.end());
    let isAllowed = true;
    const to = outbound({ allowPrivate: () => isAllowed, resolve: async () => ['127.0.0.1'] });
    expect(await post(to, `http://receiver.example:${port}`)).toEqual({ status: 200 });
    isAllowed = false;
    expect(await post(to, `https://receiver.example:${port}`)).toMatchObject({ fault: expect.stringMatching(/no public address/) });
  });

  test('one look decides: the address that was judged is the one that is connected to', async () => {
    const port = await http((_request, response) => response.end());
    let looks = 0;
    const resolve = async (): Promise<readonly string[]> => {
      looks += 1;
      return ['127.0.0.1'];
    };
    expect(await post(outbound({ resolve }), `http://receiver.example:${port}`)).toEqual({ status: 200 });
    expect(looks).toBe(1);
  });

  test('a proxy of the environment is not asked', async () => {
    let asked = 0;
    const proxy = await http((_request, response) => {
      asked += 1;
      response.end();
    });
    const port = await http((_request, response) => response.writeHead(202).end());
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy']) process.env[name] = `http://127.0.0.1:${proxy}`;
    process.env['NODE_USE_ENV_PROXY'] = '1';
    closing.push(() => {
      for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy', 'NODE_USE_ENV_PROXY']) delete process.env[name];
    });
    expect(await post(outbound(), `http://127.0.0.1:${port}`)).toEqual({ status: 202 });
    expect(asked).toBe(0);
  });
});

describe('certificates', () => {
  test('one that nobody vouches for is refused, whatever the environment says', async () => {
    const files = { cert: readFileSync(pair.cert), key: readFileSync(pair.key) };
    let asked = 0;
    const port = await listen(
      createHttpsServer(files, (_request, response) => {
        asked += 1;
        response.end();
      }),
    );
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    closing.push(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const to = outbound({ resolve: async () => ['127.0.0.1'] });
    expect(await post(to, `https://receiver.example:${port}`)).toEqual({ fault: 'the connection failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(asked).toBe(0);
  });
});
