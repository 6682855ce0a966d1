import { connect, type Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { BodiesInFlight } from '../../src/http/bodies-in-flight.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { type RunningCore, startCore } from '../running-core.ts';

const KEY = 'k'.repeat(20);
const MIB = 1 << 20;
/** One body of the largest ordinary size. */
const BODY = Buffer.alloc(8 * MIB, 'a');
/** How many of them fit into the room that the thread is given. */
const ROOM = 256 * MIB;
const HELD = ROOM / BODY.length;
const RETURN_LIMIT_MS = 30_000;
const MARGIN = 100 * MIB;

interface Sender {
  readonly socket: Socket;
  text(): string;
  /** What came back when the answer was there, or the connection gone. */
  readonly answer: Promise<string>;
}

let core: RunningCore | undefined;
afterEach(async () => {
  await core?.stop();
});

/** Sends a head and so much of its body. */
function send(port: number, headers: readonly string[], body: Uint8Array, declared = body.length, pauseMs = 0): Sender {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (received.includes('\r\n\r\n')) resolve(received);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
  socket.write(['PUT /recipe/user/metadata HTTP/1.1', 'Host: localhost', ...headers, `Content-Length: ${declared}`, '', ''].join('\r\n'));
  if (pauseMs === 0) socket.write(body);
  else void later(pauseMs).then(() => socket.write(body));
  return { socket, text: () => received, answer };
}

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
const resident = (): number => core?.residentBytes() ?? 0;

/** Answers the lowest that memory came to, as soon as it is low enough. */
async function lowest(enough: number): Promise<number> {
  let least = resident();
  for (const end = Date.now() + RETURN_LIMIT_MS; least > enough && Date.now() < end; least = Math.min(least, resident())) await later(200);
  return least;
}

/** Resolves when so many of the senders are answered and, for half a second, no more were. */
async function answeredAtLeast(senders: readonly Sender[], least: number): Promise<number> {
  const count = (): number => senders.filter((sender) => sender.text() !== '').length;
  for (const end = Date.now() + RETURN_LIMIT_MS; count() < least && Date.now() < end; ) await later(50);
  await later(500);
  return count();
}

/** Resolves when the core has noticed that all senders are gone; it says so once a second. */
async function idle(): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    const response = await fetch(`${core?.url}/metrics`, { headers: { 'api-key': KEY } });
    return /^watchword_http_in_flight\{thread="http-0"\} [01]$/m.test(await response.text());
  };
  await later(1_500);
  for (const end = Date.now() + RETURN_LIMIT_MS; !(await isIdle()) && Date.now() < end; ) await later(200);
}

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  const start = async (): Promise<number> => {
    core = await startCore({ env: { HTTP_ENGINE: engine, API_KEYS: KEY, HTTP_THREADS: '1', MAX_BODIES_IN_FLIGHT_BYTES: String(ROOM) } });
    await later(500);
    return resident();
  };

  test('150 senders without a key are refused, and none of their bodies is kept', async () => {
    const before = await start();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, resident())), 20);
    const senders = Array.from({ length: 150 }, () => send(core?.port ?? 0, [], BODY));
    const answers = await Promise.all(senders.map(({ answer }) => answer));
    clearInterval(watch);
    for (const { socket } of senders) socket.destroy();
    expect(answers.map(statusOf)).toEqual(answers.map(() => 401));
    if (before > 0) expect(peak - before).toBeLessThan(MARGIN);
  }, 60_000);

  test('bodies that do not end are held up to the limit, further ones are answered 503, and the memory comes back', async () => {
    const before = await start();
    const stalled = (count: number): Sender[] =>
      Array.from({ length: count }, () => send(core?.port ?? 0, [`Api-Key: ${KEY}`], BODY.subarray(1), BODY.length));
    const senders = stalled(HELD + 10);
    expect(await answeredAtLeast(senders, 10)).toBe(10);
    const refused = senders.filter((sender) => sender.text() !== '');
    expect(refused.map((sender) => statusOf(sender.text()))).toEqual(refused.map(() => 503));
    expect(refused.every((sender) => /^Retry-After: 1\r$/m.test(sender.text()))).toBe(true);
    // What comes in one piece needs no room, with its head or after it.
    for (const pauseMs of [0, 200]) {
      const body = Buffer.from('{"userId":"u","metadataUpdate":{}}');
      const small = send(core?.port ?? 0, [`Api-Key: ${KEY}`], body, body.length, pauseMs);
      const answer = await small.answer;
      expect(statusOf(answer), answer).toBe(200);
      small.socket.destroy();
    }
    // Until all that is sent has come.
    for (const end = Date.now() + RETURN_LIMIT_MS; resident() < before + 2 * MARGIN && Date.now() < end; ) await later(50);
    if (before > 0) expect(resident() - before).toBeGreaterThan(2 * MARGIN);
    for (const { socket } of senders) socket.destroy();
    if (before > 0) expect(await lowest(before + MARGIN)).toBeLessThan(before + MARGIN);
    // Their room is free again, all of it.
    await idle();
    const others = stalled(HELD + 1);
    expect(await answeredAtLeast(others, 1)).toBe(1);
    for (const { socket } of others) socket.destroy();
  }, 90_000);
});

test('the room changes while some of it is taken', () => {
  const room = new BodiesInFlight(100);
  const taken = room.take(100, 60);
  room.resize(50);
  expect(room.take(100, 1)).toBeUndefined();
  taken?.release();
  const all = room.take(100, 50);
  expect([all?.limit, room.take(100, 1)]).toEqual([100, undefined]);
  room.resize(60);
  expect(room.take(100, 10)).toBeDefined();
});
