import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { SharedSnapshot } from '../../../src/store/lmdb/shared-snapshot.ts';

const CLIENTS = fileURLToPath(new URL('full-poll-clients.mjs', import.meta.url));
/** More than the 1,024 events that libuv takes in with one poll; when a poll was full, it polls again before any immediate runs. */
const CONNECTIONS = 1400;
/** Until all that was sent is there to be received. */
const STALL_MS = 300;

/** Clients that have connected and send one byte each when told to. */
async function connectedClients(server: Server): Promise<{ send(): void }> {
  server.listen({ port: 0, host: '127.0.0.1', backlog: CONNECTIONS });
  onTestFinished(() => void server.close());
  let accepted = 0;
  const allAccepted = new Promise<void>((resolve) => server.on('connection', () => ++accepted === CONNECTIONS && resolve()));
  await once(server, 'listening');
  const clients = fork(CLIENTS, [String((server.address() as AddressInfo).port), String(CONNECTIONS)], { execArgv: [] });
  onTestFinished(() => void clients.kill());
  await Promise.all([once(clients, 'message'), allAccepted]);
  return { send: () => void clients.send('go') };
}

/** Blocks this thread. */
function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

/** A snapshot of a number, and how many still use it. */
class CountedSnapshot {
  users = 1;
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  share(): void {
    this.users += 1;
  }

  release(): void {
    this.users -= 1;
  }
}

test('a request sees what was committed before the poll that received it, however many came before, and no snapshot is kept', async () => {
  let committed = 1;
  const made: CountedSnapshot[] = [];
  const shared = new SharedSnapshot(() => {
    const snapshot = new CountedSnapshot(committed);
    made.push(snapshot);
    return snapshot;
  });
  const seenNow = (): number => {
    const snapshot = shared.get();
    snapshot.release();
    return snapshot.value;
  };
  const seen: number[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      seen.push(seenNow());
      committed = 2;
      if (seen.length === CONNECTIONS) server.emit('answered');
    });
  });
  const clients = await connectedClients(server);
  const answered = once(server, 'answered');
  clients.send();
  stall();
  await answered;
  expect([seen[0], seen.at(-1)]).toEqual([1, 2]);
  expect(made.length).toBeLessThan(CONNECTIONS / 10);
  await nextTurn();
  expect(made.filter(({ users }) => users !== 0)).toEqual([]);
});
