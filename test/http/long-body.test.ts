import { connect, type Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BodyLeave, Handler, Listening } from '../../src/http/engine.ts';
import { loadEngine } from '../../src/http/load-engine.ts';
import { type BodyPieces, gatherText } from '../../src/http/long-body.ts';
import { type LongReply, type Reply, textReply } from '../../src/http/reply.ts';
import { Sending } from '../../src/http/send-pieces.ts';
import { listAnswer } from '../../src/recipes/list-answer.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';

/** Bodies that are made while they are sent: how they are put together, and what both engines do with them. */

const PATIENCE_MS = 20_000;
const PIECE = Buffer.alloc(65_536, 'x');

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !condition(); await later(5))
    if (Date.now() > end) throw new Error(`waited in vain: ${condition}`);
}

/** So many pieces, the last of which may fail. */
class Pieces implements BodyPieces {
  left: number;
  readonly fails: boolean;
  ended = 0;
  constructor(left: number, fails = false) {
    this.left = left;
    this.fails = fails;
  }
  async next(): Promise<Uint8Array | undefined> {
    await later(0);
    if (this.ended > 0 || this.left === 0) return undefined;
    this.left -= 1;
    if (this.left === 0 && this.fails) throw new Error('in the middle');
    return PIECE;
  }
  async end(): Promise<void> {
    this.ended += 1;
  }
}

describe('a list', () => {
  const textOf = async (answer: ReturnType<typeof listAnswer>): Promise<string> => {
    if (!('jsonPieces' in answer)) throw new Error('not a list');
    const text = await gatherText(answer.jsonPieces);
    if (typeof text !== 'string') throw new Error('too long');
    return text;
  };
  async function* paged<T>(...pages: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
    yield* pages;
  }

  test('is the same text however it falls into pages', async () => {
    expect(await textOf(listAnswer('names', paged<string>([]), String))).toBe('{"status":"OK","names":[]}\n');
    for (const pages of [paged(['a', '"', '\u2028']), paged(['a'], [], ['"'], ['\u2028']), paged([], ['a', '"'], ['\u2028'], [])])
      expect(await textOf(listAnswer('names', pages, String))).toBe('{"status":"OK","names":["a","\\"","\\u2028"]}\n');
  });

  test('of groups within groups too', async () => {
    const levels = [
      { id: ({ a }: { a: string }) => a, member: 'a', list: 'bs' },
      { id: ({ b }: { b: string }) => b, member: 'b', list: 'cs' },
    ];
    const items = ['x1p', 'x1q', 'x2p', 'y2p', 'y2q'].map(([a = '', b = '', c = '']) => ({ a, b, c }));
    const wanted = [
      {
        a: 'x',
        bs: [
          { b: '1', cs: ['p', 'q'] },
          { b: '2', cs: ['p'] },
        ],
      },
      { a: 'y', bs: [{ b: '2', cs: ['p', 'q'] }] },
    ];
    for (const size of [1, 2, 5]) {
      const pages = Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
      expect(JSON.parse(await textOf(listAnswer('as', paged(...pages), ({ c }) => c, levels)))).toEqual({ status: 'OK', as: wanted });
    }
    expect(await textOf(listAnswer('as', paged<(typeof items)[0]>([]), ({ c }) => c, levels))).toBe('{"status":"OK","as":[]}\n');
  });

  test('of any length gives other requests their turn', async () => {
    let isOver = false;
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    async function* busy(): AsyncGenerator<string> {
      for (let piece = 0; piece < 20; piece++) {
        for (const end = performance.now() + 2; performance.now() < end; );
        yield 'x';
      }
    }
    await gatherText(busy());
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe('a body on its way', () => {
  afterEach(() => void vi.useRealTimers());

  test('a client that does not take it is left, and what it is read from is let go', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ended: string[] = [];
    const pieces = { next: async () => PIECE, end: async () => void ended.push('pieces') };
    const sending = new Sending(pieces, { write: () => false, finish: () => ended.push('finish'), cut: () => ended.push('cut') });
    const running = sending.run();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    await running;
    expect(ended).toEqual(['cut', 'pieces']);
  });

  test('so is one that takes a little now and then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ended: string[] = [];
    const pieces = { next: async () => Buffer.alloc(1024), end: async () => void ended.push('pieces') };
    const sending = new Sending(pieces, { write: () => false, finish: () => ended.push('finish'), cut: () => ended.push('cut') });
    const running = sending.run();
    for (let second = 0; second < 29; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      sending.drained();
    }
    expect(ended).toEqual([]);
    for (let second = 0; second < 5; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      sending.drained();
    }
    await running;
    expect(ended).toEqual(['cut', 'pieces']);
  });
});

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  const opened: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  async function serve(pieces: BodyPieces): Promise<Listening> {
    const handler: Handler = {
      hotPaths: [],
      smallBodyBytes: 1024,
      takesChunks: true,
      admitBody: (): BodyLeave => textReply(401, 'no'),
      handle: async ({ path }): Promise<Reply | LongReply> =>
        path === '/long' ? { status: 200, contentType: 'text/plain', pieces } : textReply(200, 'short'),
    };
    const listening = await (await loadEngine(engine, () => {})).listen('127.0.0.1', 0, handler);
    opened.push(() => listening.close(0));
    return listening;
  }

  /** A client that counts what it gets, and keeps the text without the long rows of `x`. */
  async function ask(
    port: number,
    text: string,
  ): Promise<{ socket: Socket; bytes: () => number; closed: () => boolean; text: () => string }> {
    const socket = connect({ port, host: '127.0.0.1' });
    opened.push(() => void socket.destroy());
    let bytes = 0;
    let closed = false;
    let kept = '';
    socket.on('data', (part: Buffer) => {
      bytes += part.length;
      kept = `${kept.slice(0, 300)}${kept.slice(300).slice(-300)}${part.toString('latin1').replaceAll(/x{10,}/g, 'xx')}`;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => (closed = true));
    socket.write(text);
    return { socket, bytes: () => bytes, closed: () => closed, text: () => kept };
  }
  const get = (path: string, method = 'GET'): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const END = '\r\n0\r\n\r\n';

  test('it comes in chunks and whole, and the connection goes on', async () => {
    const { port } = await serve(new Pieces(300));
    const answer = await fetch(`http://127.0.0.1:${port}/long`);
    expect(answer.headers.get('content-length')).toBeNull();
    expect((await answer.arrayBuffer()).byteLength).toBe(300 * PIECE.length);
    const again = await serve(new Pieces(3));
    const client = await ask(again.port, get('/long'));
    await until(() => client.text().endsWith(END));
    client.socket.write(get('/short'));
    await until(() => client.text().endsWith('short\n'));
    expect(again.inFlight()).toBe(0);
  });

  test('a HEAD is told no length, makes nothing, and the connection goes on', async () => {
    const pieces = new Pieces(3);
    const { port } = await serve(pieces);
    const client = await ask(port, get('/long', 'HEAD'));
    await until(() => client.text().endsWith('\r\n\r\n'));
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(client.text()).not.toMatch(/content-length/i);
    expect({ left: pieces.left, isEnded: pieces.ended > 0 }).toEqual({ left: 3, isEnded: true });
    client.socket.write(get('/short'));
    await until(() => client.text().endsWith('short\n'));
  });

  test('a slow client holds it back, and gets all of it in the end', async () => {
    const pieces = new Pieces(500);
    const { port } = await serve(pieces);
    const client = await ask(port, get('/long'));
    await until(() => client.bytes() > 0);
    client.socket.pause();
    for (let left = -1; left !== pieces.left; await later(500)) left = pieces.left;
    expect(pieces.left).toBeGreaterThan(200);
    client.socket.resume();
    await until(() => client.text().endsWith(END));
    expect(pieces.left).toBe(0);
  });

  test('a request behind it is answered in its turn, or the connection ends before it', async () => {
    const { port } = await serve(new Pieces(300));
    const client = await ask(port, get('/long'));
    await until(() => client.bytes() > 0);
    client.socket.pause();
    client.socket.write(get('/short'));
    await later(300);
    client.socket.resume();
    await until(() => client.closed() || client.text().endsWith('short\n'));
    // The native engine closes a connection on which more comes before an answer is out (docs/decisions/0019); what was sent of that one has no end.
    if (engine === 'uws' && client.closed()) expect(client.text()).not.toContain(END);
    else expect(client.text()).toContain(`${END}HTTP/1.1 200 OK`);
  });

  test('a client that leaves ends it at once', async () => {
    const pieces = new Pieces(100_000);
    const listening = await serve(pieces);
    for (const isPaused of [false, true]) {
      pieces.ended = 0;
      const client = await ask(listening.port, get('/long'));
      await until(() => client.bytes() > 0);
      if (isPaused) client.socket.pause();
      await later(100);
      client.socket.destroy();
      await until(() => pieces.ended > 0 && listening.inFlight() === 0);
    }
    expect(pieces.left).toBeGreaterThan(0);
  });

  test('where it breaks off the connection ends without an end of the answer', async () => {
    const { port, inFlight } = await serve(new Pieces(5, true));
    const client = await ask(port, get('/long'));
    await until(client.closed);
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(client.text()).not.toContain(END);
    await until(() => inFlight() === 0);
  });

  test('it may take the grace of a stop, and is over then', async () => {
    const pieces = new Pieces(100_000);
    const listening = await serve(pieces);
    const client = await ask(listening.port, get('/long'));
    await until(() => client.bytes() > 0);
    client.socket.pause();
    await listening.close(100);
    opened.length = 0;
    await until(() => pieces.ended > 0);
    client.socket.resume();
    await until(client.closed);
    expect(client.text()).not.toContain(END);
  });
});
