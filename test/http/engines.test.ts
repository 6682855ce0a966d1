import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BodyLeave, BodyPlace, Handler, Listening } from '../../src/http/engine.ts';
import { loadEngine } from '../../src/http/load-engine.ts';
import { probePort } from '../../src/http/probe-port.ts';
import { textReply } from '../../src/http/reply.ts';
import { decodeBody, type HttpRequest } from '../../src/http/request.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';

const LIMIT = 64 * 1024;
const realTimeout = setTimeout;
const later = (ms: number): Promise<void> => new Promise((resolve) => realTimeout(resolve, ms));
/** What is waited for comes at once; a machine under load may take as long as this. */
const PATIENCE_MS = 20_000;

/** Resolves as soon as the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !condition(); await later(2))
    if (Date.now() > end) throw new Error(`waited in vain: ${condition}`);
}

/** Answers by path: V8 keeps the first as Latin-1, the second as UTF-16. */
const TEXTS: Readonly<Record<string, string>> = { '/latin-1': 'schlüssel', '/utf-16': 'schlüssel €' };

/** Answers with what it got: method, path, query, bytes of the body (`bad` where they are no text). */
class Echo implements Handler {
  readonly got: string[] = [];

  readonly hotPaths: readonly string[] = ['/hot'];
  readonly smallBodyBytes = 1024;

  readonly takesChunks: boolean = true;

  /** Bodies whose place was not given back yet. */
  readonly places = new Set<object>();

  admitBody({ path }: Pick<HttpRequest, 'path'> = { path: '/' }): BodyLeave {
    if (path === '/forbidden') return textReply(401, 'no');
    const place: BodyPlace = { limit: LIMIT, isRead: true, hold: () => true, release: () => this.places.delete(place) };
    this.places.add(place);
    return place;
  }

  readonly addressHeader = 'x-user-address';

  handle(request: HttpRequest): ReturnType<Handler['handle']> {
    const { method, path, query, head } = request;
    const body = decodeBody(request.body);
    const line = `${method} ${path}?${query} ${head.cdiVersion ?? 'none'} ${body === undefined ? 'bad' : Buffer.byteLength(body)}`;
    this.got.push(line);
    if (path === '/peer') return textReply(200, request.peer());
    if (path === '/user-address') return textReply(200, String(head.endUserAddress));
    const text = TEXTS[path];
    if (text !== undefined) return textReply(200, text);
    if (path === '/large') return textReply(200, 'x'.repeat(4_000_000));
    if (path === '/busy') return textReply(503, 'busy', [['Retry-After', '1']]);
    return path.startsWith('/slow') ? later(150).then(() => textReply(200, line)) : textReply(200, line);
  }
}

interface Talk {
  readonly text: string;
  readonly isClosed: boolean;
}

/** After the last answer that was waited for, this long for whatever nobody waits for. */
const QUIET_MS = 200;
const PAUSE_MS = 30;
/** For `talk`: to wait until the server closes the connection, however many answers come. */
const END = Number.POSITIVE_INFINITY;

/** Sends pieces with pauses and answers all that came back until the server closed, or, behind so many answers, nothing more came. */
function talk(port: number, pieces: readonly (string | Buffer)[], answers = 1): Promise<Talk> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let text = '';
    let timer = setTimeout(() => done(false), PATIENCE_MS);
    const done = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (statuses({ text }).length < answers) return;
      clearTimeout(timer);
      timer = setTimeout(() => done(false), QUIET_MS);
    });
    socket.on('error', () => {});
    socket.on('close', () => done(true));
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        await later(PAUSE_MS);
      }
    });
  });
}

const head = (request: string, ...lines: string[]): string => [`${request} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
const post = (path: string, body: string | Buffer, ...lines: string[]): Buffer =>
  Buffer.concat([Buffer.from(head(`POST ${path}`, `Content-Length: ${Buffer.byteLength(body)}`, ...lines)), Buffer.from(body)]);
const bodies = ({ text }: Talk): string[] =>
  text
    .split('\r\n\r\n')
    .slice(1)
    .map((part) => part.split('\n')[0] ?? '');
const statuses = ({ text }: Pick<Talk, 'text'>): string[] => [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => match[1] ?? '');

describe.each(LOADABLE_ENGINES)('engine %s', (name) => {
  const echo = new Echo();
  let listening: Listening;
  let port = 0;

  beforeAll(async () => {
    const engine = await loadEngine(name, () => {});
    listening = await engine.listen('127.0.0.1', 0, echo);
    ({ port } = listening);
  });

  afterAll(async () => {
    await until(() => listening.inFlight() === 0);
    expect(echo.places.size).toBe(0);
    await listening.close(1000);
  });

  test.each<[title: string, pieces: (string | Buffer)[], body: string]>([
    ['a GET', [head('GET /a%20b?x=%31&y')], 'GET /a%20b?x=%31&y none 0'],
    ['a header in any case', [head('GET /', 'CDI-VERSION: 5.4')], 'GET /? 5.4 0'],
    ['an empty header counts as sent', [head('GET /', 'cdi-version:')], 'GET /?  0'],
    ['a POST', [post('/p', '{"a":1}')], 'POST /p? none 7'],
    ['a POST without a body', [head('POST /p', 'Content-Length: 0')], 'POST /p? none 0'],
    ['a POST without a length', [head('POST /p')], 'POST /p? none 0'],
    ['a body on DELETE', [head('DELETE /p', 'Content-Length: 2'), 'ab'], 'DELETE /p? none 2'],
    ['a head and a body in pieces', ['POST /p HTTP/1.1\r\nHo', 'st: x\r\nContent-Length: 6\r\n\r\nab', 'c', 'def'], 'POST /p? none 6'],
    ['a large body', [post('/p', 'x'.repeat(LIMIT))], `POST /p? none ${LIMIT}`],
    ['UTF-8 cut in the middle', [post('/p', 'é').subarray(0, -1), post('/p', 'é').subarray(-1)], 'POST /p? none 2'],
    ['a replacement character that was meant', [post('/p', '\ufffd')], 'POST /p? none 3'],
    ['bytes that are no UTF-8', [post('/p', Buffer.from([0x22, 0xff, 0x22]))], 'POST /p? none bad'],
    ['an encoded surrogate', [post('/p', Buffer.from([0xed, 0xa0, 0x80]))], 'POST /p? none bad'],
    ['an answer that takes time', [head('GET /slow')], 'GET /slow? none 0'],
    ['a head of 15 KiB', [head('GET /', `x: ${'y'.repeat(15_000)}`)], 'GET /? none 0'],
    ['the peer', [head('GET /peer')], '127.0.0.1'],
    ["the end user's address", [head('GET /user-address', 'X-User-Address: 192.0.2.1', 'X-User-Address: 192.0.2.2')], '192.0.2.1'],
    ["no end user's address", [head('GET /user-address', 'X-Address: 192.0.2.1')], 'undefined'],
  ])('takes %s', async (_, pieces, body) => {
    const answer = await talk(port, pieces);
    expect(statuses(answer)).toEqual(['200']);
    expect(bodies(answer)).toEqual([body]);
    expect(answer.isClosed).toBe(false);
  });

  test.each(Object.entries(TEXTS))('writes UTF-8 whatever the text is kept as: %s', async (path, written) => {
    const { text } = await talk(port, [head(`GET ${path}`)]);
    const bytes = Buffer.from(`${written}\n`);
    expect(text).toContain(`Content-Length: ${bytes.length}\r\n`);
    expect(text.endsWith(bytes.toString('latin1'))).toBe(true);
  });

  test('writes the head the contract asks for', async () => {
    const { text } = await talk(port, [head('GET /busy')]);
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(text).toMatch(/\r\nContent-Type: text\/html;charset=UTF-8\r\n/);
    expect(text).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(text).toMatch(/\r\nContent-Length: 5\r\n/);
    expect(text).not.toMatch(/\r\n(Server|Access-Control[^:]*|Set-Cookie|WWW-Authenticate|X-Powered-By):/i);
  });

  test('HEAD has no body', async () => {
    const { text } = await talk(port, [head('HEAD /x')]);
    expect(text).toMatch(/Content-Length: \d+\r\n/);
    expect(text.trimEnd().split('\r\n\r\n')).toHaveLength(1);
  });

  test('the connection of a HEAD goes on', async () => {
    const answer = await talk(port, [head('HEAD /x'), head('HEAD /x'), head('GET /y')], 3);
    expect(statuses(answer)).toEqual(['200', '200', '200']);
    expect(answer.text).toMatch(/\r\n\r\nGET \/y\? none 0\s*$/);
    expect(answer.isClosed).toBe(false);
  });

  test('the connection of a HEAD ends where it is asked to', async () => {
    const answer = await talk(port, [head('HEAD /x', 'Connection: close')], END);
    expect(statuses(answer)).toEqual(['200']);
    expect(answer.isClosed).toBe(true);
  });

  test('pipelined requests are answered in order', async () => {
    const answer = await talk(port, [Buffer.concat([Buffer.from(head('GET /1')), post('/2', 'ab'), Buffer.from(head('GET /3'))])], 3);
    expect(bodies(answer).map((body) => body.split('?')[0])).toEqual(['GET /1', 'POST /2', 'GET /3']);
    expect(statuses(answer)).toEqual(['200', '200', '200']);
  });

  test.each<[title: string, pieces: (string | Buffer)[], status: string]>([
    ['two lengths', [head('POST /bad', 'Content-Length: 2', 'Content-Length: 3'), 'abc'], '400'],
    ['two equal lengths', [head('POST /bad', 'Content-Length: 2', 'Content-Length: 2'), 'ab'], '400'],
    ['a length that is no number', [head('POST /bad', 'Content-Length: 2x'), 'ab'], '400'],
    ['a negative length', [head('POST /bad', 'Content-Length: -2'), 'ab'], '400'],
    ['a length and chunks', [head('POST /bad', 'Content-Length: 2', 'Transfer-Encoding: chunked'), '2\r\nab\r\n0\r\n\r\n'], '400'],
    ['a broken chunk', [head('POST /bad', 'Transfer-Encoding: chunked'), 'zz\r\nab\r\n'], '400'],
    ['no host', ['GET /bad HTTP/1.1\r\nX: y\r\n\r\n'], '400'],
    ['two hosts', [head('GET /bad', 'Host: other')], '400'],
    ['no HTTP', ['EHLO example.com\r\n\r\n'], '400'],
    ['a head of 20 KiB', [head('GET /bad', `x: ${'y'.repeat(20_000)}`)], '431'],
    ['a head of 20 KiB in pieces', [`GET /bad HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(9_000)}`, 'y'.repeat(11_000), '\r\n\r\n'], '431'],
    ['a body a little too large', [post('/bad', 'x'.repeat(LIMIT + 1))], '413'],
    ['a body declared far too large', [head('POST /bad', `Content-Length: ${50 * LIMIT}`), 'x'.repeat(1000)], '413'],
    [
      'endless chunks',
      [head('POST /bad', 'Transfer-Encoding: chunked'), ...Array.from({ length: 6 }, () => `8000\r\n${'x'.repeat(0x8000)}\r\n`)],
      '413',
    ],
  ])('refuses %s', async (_, pieces, status) => {
    const before = echo.got.length;
    const answer = await talk(port, pieces);
    // A connection that is closed without an answer is a refusal too, where the rest of the request was still on its way.
    if (statuses(answer).length > 0) expect(statuses(answer)[0]).toEqual(status === '400' ? expect.stringMatching(/^(400|505)$/) : status);
    else expect(answer.isClosed).toBe(true);
    expect(echo.got.slice(before)).toEqual([]);
  });

  test.each([
    ['two lengths', ['Content-Length: 0', 'Content-Length: 40']],
    ['a coding that is not ours', ['Transfer-Encoding: xchunked']],
    ['two codings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ['a list of codings', ['Transfer-Encoding: chunked, chunked']],
  ])('what follows %s is no request', async (_, headers) => {
    const before = echo.got.length;
    const answer = await talk(
      port,
      [`${head('POST /bad', ...headers)}${headers.length === 1 ? '0\r\n\r\n' : ''}${head('GET /smuggled')}`],
      END,
    );
    expect(echo.got.slice(before)).toEqual([]);
    expect(answer.isClosed).toBe(true);
  });

  test('a body a little too large gets its answer, and the connection can be used no more or goes on cleanly', async () => {
    const answer = await talk(port, [post('/bad', 'x'.repeat(LIMIT + 1))]);
    expect(statuses(answer)).toEqual(['413']);
    expect(bodies(answer)).toEqual(['Request body is too large']);
  });

  test('whoever may not send a body is told at once; what is left of it is let pass, and the connection goes on', async () => {
    const body = 'x'.repeat(LIMIT);
    const before = echo.got.length;
    const answer = await talk(port, [head('POST /forbidden', `Content-Length: ${LIMIT}`), body.slice(1), `y${head('GET /next')}`], 2);
    expect(statuses(answer)).toEqual(['401', '200']);
    expect(answer.isClosed).toBe(false);
    expect(echo.got.slice(before)).toEqual(['GET /next? none 0']);
  });

  test('a body that does not arrive is given up', async () => {
    const before = echo.got.length;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const socket = connect({ port, host: '127.0.0.1' });
      let text = '';
      socket.on('data', (data) => {
        text += data.toString('latin1');
      });
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.write(`${head('POST /slow-sender', 'Content-Length: 10')}abc`);
      await until(() => listening.inFlight() === 1);
      await later(50);
      vi.advanceTimersByTime(29_000);
      await later(50);
      expect([listening.inFlight(), echo.places.size]).toEqual([1, 1]);
      vi.advanceTimersByTime(2_000);
      await closed;
      expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    } finally {
      vi.useRealTimers();
    }
    await until(() => listening.inFlight() === 0);
    expect(echo.places.size).toBe(0);
    expect(echo.got.slice(before)).toEqual([]);
  });

  test('clients that go away harm nobody', async () => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 40; i++) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {});
      socket.write(i % 2 === 0 ? head('GET /slow') : head('POST /half', 'Content-Length: 10') + 'abc');
      sockets.push(socket);
    }
    // Those that sent half a request are waited for; of the others some may have been answered.
    await until(() => listening.inFlight() >= sockets.length / 2);
    for (const [i, socket] of sockets.entries()) {
      if (i % 4 < 2) socket.resetAndDestroy();
      else socket.destroy();
    }
    await until(() => listening.inFlight() === 0);
    expect(echo.places.size).toBe(0);
    expect(statuses(await talk(port, [head('GET /alive')]))).toEqual(['200']);
  });

  test('a reader that reads nothing for a while gets its whole answer', async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.pause();
    socket.write(head('GET /large'));
    await later(300);
    let size = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        size += data.length;
        if (size > 4_000_000) resolve();
      });
    });
    socket.resume();
    await all;
    socket.destroy();
    expect(size).toBeGreaterThan(4_000_000);
  });

  test('a second listener shares the port where the engine says so', async () => {
    const engine = await loadEngine(name, () => {});
    expect(engine.sharesPort).toBe(name === 'uws' || (engine.sharesPort && process.platform === 'linux'));
    const second = engine.listen('127.0.0.1', port, echo);
    if (!engine.sharesPort) {
      await expect(second).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
      return;
    }
    await (await second).close(0);
    expect(statuses(await talk(port, [head('GET /still')]))).toEqual(['200']);
  });

  test('closing lets requests in flight finish and refuses new connections', async () => {
    const own = await (await loadEngine(name, () => {})).listen('127.0.0.1', 0, new Echo());
    const running = talk(own.port, [head('GET /slow')], END);
    await until(() => own.inFlight() === 1);
    await own.close(2000);
    const answer = await running;
    expect(statuses(answer)).toEqual(['200']);
    expect(answer.isClosed).toBe(true);
    expect((await talk(own.port, [head('GET /late')])).text).toBe('');
  });

  test('closing does not wait for ever', async () => {
    const own = await (await loadEngine(name, () => {})).listen('127.0.0.1', 0, {
      admitBody: () => new Echo().admitBody(),
      hotPaths: [],
      takesChunks: true,
      smallBodyBytes: 1024,
      handle: () => new Promise(() => {}),
    });
    const hanging = talk(own.port, [head('GET /hang')], END);
    await until(() => own.inFlight() === 1);
    // Nothing but the grace ends this: the answer never comes.
    await own.close(100);
    expect(await hanging).toEqual({ text: '', isClosed: true });
  });
});

describe('choosing', () => {
  test('auto is uWebSockets.js where it loads, and else node:http with one warning', async () => {
    const warnings: string[] = [];
    const isNative = LOADABLE_ENGINES.includes('uws');
    expect((await loadEngine('auto', (line) => warnings.push(line))).name).toBe(isNative ? 'uws' : 'node');
    expect(warnings).toHaveLength(isNative ? 0 : 1);
  });

  test('a taken port is found by the probe', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(probePort('127.0.0.1', port)).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => taken.close(resolve));
    await probePort('127.0.0.1', port);
    await probePort('127.0.0.1', 0);
  });
});
